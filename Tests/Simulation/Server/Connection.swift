import InstantCore
import SyncProtocol

/// One live stream between a process and the server: bytes in transit, and each end's state.
final class Connection {
    let process: ProcessID
    let stream: StreamID
    let token: IssuedToken
    let listener: UInt64
    /// Written by the server, not yet read by the client.
    var bytes: [UInt8] = []
    var parser = ServerSentEventParser()
    /// The server writes nothing more.
    var isEnded = false
    /// The connection is broken: unread data is lost.
    var isCut = false
    /// Nothing arrives any more, without an error at either end.
    var isSilent = false
    /// The cursor of successive long polls; nil for a stream.
    var polled: Cursor?
    /// Why it ended, if a status states it.
    var failure: SyncFailure?
    /// The revision reached while catching up.
    var reached: Revision = 0
    /// The local time of the last write, in milliseconds.
    var lastWritten: Int64 = 0

    init(process: ProcessID, stream: StreamID, token: IssuedToken, listener: UInt64) {
        self.process = process
        self.stream = stream
        self.token = token
        self.listener = listener
    }
}

import InstantCore
import SyncProtocol

/// One live stream between a process and the server: bytes on their way, and what each end knows of it.
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
    /// The connection is broken: what was not read is lost.
    var isCut = false
    /// Nothing arrives any more, and nobody is told.
    var isSilent = false
    /// One long poll after the other, from this cursor on; nil: a stream.
    var polled: Cursor?
    /// Why it ended, where a status says so.
    var failure: SyncFailure?
    /// What was told while catching up.
    var reached: Revision = 0
    /// Local milliseconds of the last thing written.
    var lastWritten: Int64 = 0

    init(process: ProcessID, stream: StreamID, token: IssuedToken, listener: UInt64) {
        self.process = process
        self.stream = stream
        self.token = token
        self.listener = listener
    }
}

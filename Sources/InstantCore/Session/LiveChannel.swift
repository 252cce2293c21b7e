package import SyncProtocol

/// The way by which changes of others arrive by themselves.
package enum LiveChannel: Hashable, Sendable {
    /// `GET events`: one answer that goes on.
    case events
    /// `GET events?wait=`: one answer after the other, for when something in between gathers a stream before it passes
    /// it on. What reads it gives each answer as a change, and an empty one as a heartbeat.
    case polling
}

/// Names one opening of a live channel.
package struct StreamID: Hashable, Sendable {
    package var number: Int

    package init(_ number: Int) { self.number = number }
}

/// A live channel to be opened, and the token it goes by.
package struct StreamRequest: Hashable, Sendable {
    package var id: StreamID
    package var ticket: TokenHandle
    /// Everything after it is to come.
    package var cursor: Cursor
    package var channel: LiveChannel
    /// Under which this client says where it is: with the channel it is gone from there.
    package var session: String?
}

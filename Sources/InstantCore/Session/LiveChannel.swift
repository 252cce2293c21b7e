package import SyncProtocol

/// How remote changes arrive.
package enum LiveChannel: Hashable, Sendable {
    /// `GET events`: one continuous response.
    case events
    /// `GET events?wait=`: long polling, for when a proxy buffers streams. The reader delivers each response as a
    /// change, and an empty one as a heartbeat.
    case polling
}

/// The identity of one opened live channel.
package struct StreamID: Hashable, Sendable {
    package var number: Int

    package init(_ number: Int) { self.number = number }
}

/// A live channel to open, with its token.
package struct StreamRequest: Hashable, Sendable {
    package var id: StreamID
    package var ticket: TokenHandle
    /// The channel delivers every change after this cursor.
    package var cursor: Cursor
    package var channel: LiveChannel
    /// The presence session of this client; its presence ends with the channel.
    package var session: String?
    /// The clientID of this client, whose own changes come with the answers to its pushes.
    package var client: String
}

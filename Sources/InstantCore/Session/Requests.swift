package import Annotations
package import SyncProtocol

/// One request to the server, with its token.
package struct SyncRequest: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// `GET session`
        case session
        /// `POST changes`
        case push(PushRequest)
        /// `GET records?since=`
        case pull(Cursor)
        /// `GET records?after=`
        case page(Layer.NextPage)
        /// `GET digest?epoch=`
        case digest(epoch: String)
        /// `PUT attachments/`
        case upload(AttachmentID)
        /// `POST presence`
        case presence(PresenceSign)
    }

    /// Returned with the response, so that a response to an abandoned request is ignored.
    package var id: Int
    package var ticket: TokenHandle
    package var kind: Kind
}

package enum SyncAnswer: Hashable, Sendable {
    case session(SessionAnswer)
    case push(PushAnswer)
    case delta(Delta)
    case page(SnapshotPage)
    case digest(DigestAnswer)
    case uploaded
    case presence(PresenceAnswer)
}

/// The reason why a request or a stream failed. Texts are for the user and never contain a token.
package enum SyncFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// 401
    case token(TokenNeed)
    /// 403: a permission is missing.
    case forbidden(String)
    /// 404: the document or the layer no longer exists.
    case lost(String)
    /// 410: the cursor is from another epoch or too old.
    case epochChanged
    /// The clientID belongs to another user on the server.
    case clientIDTaken
    /// 413
    case tooLarge
    /// A local attachment is missing, or the server rejects it.
    case attachment(String)
    /// No connection, a timeout or an overloaded server.
    case unreachable(String, retryAfterMilliseconds: Int64? = nil)
    /// The connection stands, but nothing has moved for too long: it is slow, or dead.
    case stalled(String)
    /// The server, or something on the way to it, does not accept edits, and answers everything else.
    case notSent(String, retryAfterMilliseconds: Int64? = nil)
    /// The responder is not a compatible server, or its response is invalid.
    case invalidServer(String)
    /// This program is too old for the server.
    case oldClient(String)
    /// The server is too old for this program.
    case oldServer(String)
    /// The local store could not be written.
    case store(String)

    package var description: String {
        switch self {
        case .token(let need): need.description
        case .forbidden(let why), .lost(let why), .unreachable(let why, _), .invalidServer(let why),
            .attachment(let why), .notSent(let why, _), .stalled(let why),
            .oldClient(let why), .oldServer(let why), .store(let why):
            why
        case .epochChanged: "the server requires a full reload"
        case .clientIDTaken: "the server knows this client under a different user"
        case .tooLarge: "the request is too large for the server"
        }
    }
}

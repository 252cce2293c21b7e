package import Annotations
package import SyncProtocol

/// One request to the server, and the token it goes by.
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

    /// Echoed with the answer: what comes for a request that was given up changes nothing.
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

/// Why a request or a stream brought nothing. Texts are for a person and never hold a token.
package enum SyncFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// 401
    case token(TokenNeed)
    /// 403: a right is missing.
    case forbidden(String)
    /// 404: the document or the layer is gone.
    case lost(String)
    /// 410: the cursor is of another epoch or too old.
    case epochChanged
    /// The server knows this store's name as another user's.
    case clientIDTaken
    /// 413
    case tooLarge
    /// A file of ours is not here any more, or the server does not take it.
    case attachment(String)
    /// No connection, a time-out, an overloaded server.
    case unreachable(String, retryAfterMilliseconds: Int64? = nil)
    /// What answers is no server of ours, or speaks nonsense.
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
            .attachment(let why),
            .oldClient(let why), .oldServer(let why), .store(let why):
            why
        case .epochChanged: "the server asks to start over"
        case .clientIDTaken: "the server knows this store under another user"
        case .tooLarge: "the request was too large for the server"
        }
    }
}

import InstantCore
import SyncProtocol

/// Something on its way between a process and the server. Each goes by its own connection: any may overtake any.
enum Parcel {
    case request(ProcessID, SyncRequest, token: IssuedToken)
    case answer(ProcessID, SyncRequest, Reply)
    /// A stream that is to be opened.
    case opening(ProcessID, StreamRequest, token: IssuedToken)

    var isRequest: Bool { if case .request = self { true } else { false } }
    var isAnswer: Bool { if case .answer = self { true } else { false } }

    /// Whether a token is good still: asked again and again by a process that does not lead.
    var isCheck: Bool {
        switch self {
        case .request(_, let request, _), .answer(_, let request, _): request.kind == .session
        case .opening: false
        }
    }

    var process: ProcessID {
        switch self {
        case .request(let id, _, _), .answer(let id, _, _), .opening(let id, _, _): id
        }
    }
}

import InstantCore
import SyncProtocol

/// A message in transit between a process and the server. Each uses a separate connection, so any may overtake any.
enum Parcel {
    case request(ProcessID, SyncRequest, token: IssuedToken)
    case answer(ProcessID, SyncRequest, Reply)
    /// A request to open a stream.
    case opening(ProcessID, StreamRequest, token: IssuedToken)

    var isRequest: Bool { if case .request = self { true } else { false } }
    var isAnswer: Bool { if case .answer = self { true } else { false } }

    /// Whether this checks a token's validity, which a process that does not lead repeats.
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

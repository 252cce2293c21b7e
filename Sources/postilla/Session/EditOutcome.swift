/// The outcome of one edit.
enum EditOutcome: Equatable, Sendable {
    /// The server has stored it.
    case applied
    /// Stored on this machine until the next sync sends it.
    case waiting
    /// Another edit came first, or the record is gone.
    case conflict(String)
    case denied(String)
    case invalid(String)

    /// The word that scripts read.
    var status: String {
        switch self {
        case .applied: "applied"
        case .waiting: "waiting"
        case .conflict: "conflict"
        case .denied: "denied"
        case .invalid: "invalid"
        }
    }

    /// What became of an edit that is kept, if the PDF to which it belongs could not be written.
    func kept(isWritten: Bool) -> EditOutcome { self == .applied && !isWritten ? .waiting : self }

    var reason: String? {
        switch self {
        case .applied, .waiting: nil
        case .conflict(let why), .denied(let why), .invalid(let why): why
        }
    }

    var exit: ExitStatus {
        switch self {
        case .applied, .waiting: .done
        case .conflict: .conflict
        case .denied: .notPermitted
        case .invalid: .failed
        }
    }
}

extension Sequence<EditOutcome> {
    /// One status for many: denied outranks conflict, conflict outranks invalid.
    var exit: ExitStatus {
        let all = Set(map(\.exit))
        return [.notPermitted, .conflict, .failed].first(where: all.contains) ?? .done
    }
}

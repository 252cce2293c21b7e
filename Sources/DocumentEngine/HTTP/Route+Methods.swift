import HTTPTypes

extension Route {
    /// What its address takes; `HEAD` is taken wherever `GET` is.
    var methods: [HTTPRequest.Method] {
        switch self {
        case .health, .readiness, .apiDescription: [.get]
        case .documents: [.get, .post]
        case .revoke, .copyDocument: [.post]
        case .document(_, let resource): resource.methods
        case .sync(let route): route.methods
        }
    }

    /// The same for the header of an answer (RFC 9110, section 10.2.1).
    var allow: String { methods.flatMap { $0 == .get ? [$0, .head] : [$0] }.map(\.rawValue).joined(separator: ", ") }
}

extension Route.Resource {
    fileprivate var methods: [HTTPRequest.Method] {
        switch self {
        case .itself, .layer: [.delete]
        case .properties, .info, .pdf, .attachment, .instantJSON, .xfdf: [.get]
        case .layers: [.get, .post]
        case .applyInstantJSON: [.post]
        case .annotations(_, let annotations): annotations.methods
        }
    }
}

extension Route.Annotations {
    fileprivate var methods: [HTTPRequest.Method] {
        switch self {
        case .all: [.get, .post, .put, .delete]
        case .onPage: [.get]
        case .one: [.get, .put, .delete]
        case .comments: [.get, .post]
        case .threads: [.post]
        }
    }
}

extension Route.Sync {
    fileprivate var methods: [HTTPRequest.Method] {
        switch self {
        case .session, .document, .records, .digest, .events: [.get]
        case .changes, .presence: [.post]
        case .attachment: [.get, .put]
        }
    }
}

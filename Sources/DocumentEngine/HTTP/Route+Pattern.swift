extension Route {
    /// The address with names in place of ids, as logs and figures tell it.
    var pattern: String {
        switch self {
        case .health: "/healthcheck"
        case .readiness: "/readiness"
        case .apiDescription: "/openapi.json"
        case .documents: "/api/documents"
        case .revoke: "/api/revoke"
        case .copyDocument: "/api/copy_document"
        case .document(_, let resource): "/api/documents/{id}" + resource.pattern
        case .sync(let route): "/instant/v1/" + route.pattern
        }
    }
}

extension Route.Resource {
    fileprivate var pattern: String {
        switch self {
        case .itself: ""
        case .properties: "/properties"
        case .info: "/document_info"
        case .pdf(let layer): Self.below(layer) + "/pdf"
        case .layers: "/layers"
        case .layer: "/layers/{layer}"
        case .attachment: "/attachments/{sha256}"
        case .instantJSON(let layer): Self.below(layer) + "/document.json"
        case .xfdf(let layer): Self.below(layer) + "/document.xfdf"
        case .applyInstantJSON(let layer): Self.below(layer) + "/apply_instant_json"
        case .annotations(let layer, let annotations): Self.below(layer) + annotations.pattern
        }
    }

    private static func below(_ layer: String) -> String { layer.isEmpty ? "" : "/layers/{layer}" }
}

extension Route.Annotations {
    fileprivate var pattern: String {
        switch self {
        case .all: "/annotations"
        case .onPage: "/pages/{index}/annotations"
        case .one: "/annotations/{annotation}"
        case .comments: "/annotations/{root}/comments"
        case .threads: "/comments"
        }
    }
}

extension Route.Sync {
    fileprivate var pattern: String {
        switch self {
        case .session: "session"
        case .document: "document"
        case .records: "records"
        case .digest: "digest"
        case .changes: "changes"
        case .events: "events"
        case .presence: "presence"
        case .attachment: "attachments/{sha256}"
        }
    }
}

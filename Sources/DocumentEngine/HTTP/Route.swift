import HTTPTypes

/// Where a request goes, read from its path alone. Ids are single segments, percent-decoded once: whatever an id
/// holds, it is never a path.
enum Route: Hashable {
    case health
    case readiness
    /// What there is, in OpenAPI.
    case apiDescription
    case documents
    case revoke
    case copyDocument
    case document(String, Resource)
    case sync(Sync)

    enum Resource: Hashable {
        case itself
        case properties
        case info
        /// As it was uploaded, or with what a layer holds.
        case pdf(layer: String)
        case layers
        case layer(String)
        case attachment(String)
        /// The whole layer as Instant JSON; written to it.
        case instantJSON(layer: String)
        case applyInstantJSON(layer: String)
        /// The whole layer as XFDF.
        case xfdf(layer: String)
        case annotations(layer: String, Annotations)
    }

    enum Annotations: Hashable {
        case all
        case onPage(String)
        case one(String)
        /// The thread under an annotation.
        case comments(under: String)
        /// Where a root is made together with its thread.
        case threads
    }

    enum Sync: Hashable {
        case session, document, records, digest, changes, events, presence
        case attachment(String)
    }

    /// - Parameter path: as it stands in the request, without its query.
    /// - Returns: nil when there is no such resource or the path is not properly encoded.
    init?(path: some StringProtocol) {
        var segments: [String] = []
        for segment in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let decoded = PercentEncoding.decode(segment) else { return nil }
            segments.append(decoded)
        }
        guard path.hasPrefix("/"), let route = Self.route(segments[...]) else { return nil }
        self = route
    }

    private static func route(_ segments: ArraySlice<String>) -> Route? {
        switch (segments.first, segments.dropFirst().first, segments.count) {
        case ("healthcheck", _, 1): return .health
        case ("readiness", _, 1): return .readiness
        case ("openapi.json", _, 1): return .apiDescription
        case ("instant", "v1", 3...): return Sync(segments.dropFirst(2)).map(Route.sync)
        case ("api", "revoke", 2): return .revoke
        case ("api", "copy_document", 2): return .copyDocument
        case ("api", "documents", 2): return .documents
        case ("api", "documents", 3...):
            let id = segments[segments.startIndex + 2]
            guard !id.isEmpty else { return nil }
            return resource(segments.dropFirst(3)).map { .document(id, $0) }
        default: return nil
        }
    }

    private static func resource(_ segments: ArraySlice<String>) -> Resource? {
        guard let first = segments.first else { return .itself }
        let rest = segments.dropFirst()
        switch (first, rest.count) {
        case ("properties", 0): return .properties
        case ("document_info", 0): return .info
        case ("pdf", 0): return .pdf(layer: "")
        case ("document.json", 0): return .instantJSON(layer: "")
        case ("document.xfdf", 0): return .xfdf(layer: "")
        case ("apply_instant_json", 0): return .applyInstantJSON(layer: "")
        case ("layers", 0): return .layers
        case ("attachments", 1): return .attachment(rest.first ?? "")
        case ("layers", 1): return .layer(rest.first ?? "")
        case ("layers", _):
            // Of a layer: what there is of the default layer without its name.
            switch resource(rest.dropFirst()) {
            case .annotations("", let annotations)?: return .annotations(layer: rest.first ?? "", annotations)
            case .instantJSON("")?: return .instantJSON(layer: rest.first ?? "")
            case .applyInstantJSON("")?: return .applyInstantJSON(layer: rest.first ?? "")
            case .xfdf("")?: return .xfdf(layer: rest.first ?? "")
            case .pdf("")?: return .pdf(layer: rest.first ?? "")
            case .info?: return .info
            default: return nil
            }
        default: return annotations(segments).map { .annotations(layer: "", $0) }
        }
    }

    private static func annotations(_ segments: ArraySlice<String>) -> Annotations? {
        let words = Array(segments)
        switch words.count {
        case 1 where words[0] == "annotations": return .all
        case 1 where words[0] == "comments": return .threads
        case 2 where words[0] == "annotations" && !words[1].isEmpty: return .one(words[1])
        case 3 where words[0] == "pages" && words[2] == "annotations": return .onPage(words[1])
        case 3 where words[0] == "annotations" && words[2] == "comments" && !words[1].isEmpty:
            return .comments(under: words[1])
        default: return nil
        }
    }
}

extension Route.Sync {
    /// - Parameter segments: behind `/instant/v1`.
    init?(_ segments: ArraySlice<String>) {
        switch (segments.first, segments.count) {
        case ("session", 1): self = .session
        case ("document", 1): self = .document
        case ("records", 1): self = .records
        case ("digest", 1): self = .digest
        case ("changes", 1): self = .changes
        case ("events", 1): self = .events
        case ("presence", 1): self = .presence
        case ("attachments", 2): self = .attachment(segments.last ?? "")
        default: return nil
        }
    }
}

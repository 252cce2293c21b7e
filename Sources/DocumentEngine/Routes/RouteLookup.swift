import Annotations
import EngineCore
import HTTPTypes
import Hummingbird

/// One address and method, with the requirements on its requests.
struct Route: Sendable {
    /// The required credentials.
    enum Access: String, Hashable, Sendable {
        case open
        /// The backend's secret: `Authorization: Token token="…"`.
        case secret
        /// A layer's token: `Authorization: Bearer …`.
        case token
    }

    typealias Handler = @Sendable (ServerRequest) async throws -> Response

    /// `GET` also answers `HEAD`.
    let method: HTTPRequest.Method
    /// The path with `{name}` for each parameter, as used in logs and metrics.
    let pattern: String
    let access: Access
    /// The maximum size of the body in bytes; 0: a body is not read.
    var maxBytes: Int64 = 0
    /// What it stores. Such requests are refused while the disk is nearly full, unlike deletions and revocations.
    var stores = DiskSpace.Use.nothing
    /// The handler uses the disk or takes long: it runs on ``WorkerThreads``.
    var blocks = false
    /// The response may last for hours.
    var streams = false
    /// The action in the audit log; nil: requests leave no line.
    var audit: AuditEvent.Action?
    let handle: Handler
}

/// Finds the route of a request. Ids are single path segments, percent-decoded once, and never used as paths.
struct RouteLookup: Sendable {
    /// The routes of one pattern.
    private struct Resource: Sendable {
        var segments: [Segment]
        var routes: [Route]
    }

    private enum Segment: Sendable {
        case literal(String)
        case parameter(String)
    }

    /// The result of matching a path.
    struct Match: Sendable {
        let pattern: String
        let parameters: [String: String]
        fileprivate let routes: [Route]

        /// All routes of a pattern have the same access.
        var access: Route.Access? { routes.first?.access }

        /// - Returns: nil if the address supports other methods only.
        func route(_ method: HTTPRequest.Method) -> Route? {
            let wanted = method == .head ? .get : method
            return routes.first { $0.method == wanted }
        }

        /// The value of the `Allow` header (RFC 9110, section 10.2.1).
        var allow: String {
            routes.flatMap { $0.method == .get ? [.get, .head] : [$0.method] }.map(\.rawValue).joined(separator: ", ")
        }
    }

    /// Parameters that must not be empty: `/api/documents/` names no document. The default layer's name is empty.
    private static let names: Set<String> = ["id", "annotation", "root"]

    let routes: [Route]
    /// Keyed by the number of segments.
    private let resources: [Int: [Resource]]

    /// - Parameter routes: all routes; for each pattern, in the order in which `Allow` lists the methods.
    init(_ routes: [Route]) {
        self.routes = routes
        var resources: [Int: [Resource]] = [:]
        var patterns: [String] = []
        var byPattern: [String: [Route]] = [:]
        for route in routes {
            if byPattern[route.pattern] == nil { patterns.append(route.pattern) }
            byPattern[route.pattern, default: []].append(route)
        }
        for pattern in patterns {
            let segments = pattern.split(scalar: "/").map { text -> Segment in
                text.dropping(prefix: "{")?.dropping(suffix: "}").map { .parameter(String($0)) }
                    ?? .literal(String(text))
            }
            resources[segments.count, default: []].append(
                Resource(segments: segments, routes: byPattern[pattern] ?? []))
        }
        self.resources = resources
    }

    /// - Parameter path: as in the request, without its query.
    /// - Returns: nil if nothing matches or the encoding is invalid.
    func match(_ path: Substring) -> Match? {
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        var segments: [String] = []
        for segment in path.split(scalar: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let decoded = PercentEncoding.decode(segment) else { return nil }
            segments.append(decoded)
        }
        for resource in resources[segments.count] ?? [] {
            guard let parameters = Self.parameters(of: segments, by: resource.segments) else { continue }
            return Match(
                pattern: resource.routes[0].pattern, parameters: parameters, routes: resource.routes)
        }
        return nil
    }

    private static func parameters(of path: [String], by pattern: [Segment]) -> [String: String]? {
        var found: [String: String] = [:]
        for (text, segment) in zip(path, pattern) {
            switch segment {
            case .literal(let word): guard text.isExactly(word) else { return nil }
            case .parameter(let name):
                guard !text.isEmpty || !names.contains(name) else { return nil }
                found[name] = text
            }
        }
        return found
    }
}

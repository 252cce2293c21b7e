import Annotations
import EngineCore
import HTTPTypes
import Hummingbird

/// One address and method of the server, and everything that is asked of a request for it.
struct Route: Sendable {
    /// What a caller has to show.
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
    /// The path with `{name}` for each parameter, as logs and metrics name it.
    let pattern: String
    let access: Access
    /// Bytes its body may have; 0: a body is not read.
    var maxBytes: Int64 = 0
    /// The handler uses the disk itself, or takes long: it runs on ``WorkerThreads``.
    var blocks = false
    let handle: Handler
}

/// Finds the route of a request. Ids are single segments of a path, percent-decoded once: whatever an id holds, it is
/// never a path.
struct RouteTable: Sendable {
    /// The routes of one pattern.
    private struct Resource: Sendable {
        var segments: [Segment]
        var routes: [Route]
    }

    private enum Segment: Sendable {
        case literal(String)
        case parameter(String)
    }

    /// What a path leads to.
    struct Match: Sendable {
        let pattern: String
        let parameters: [String: String]
        fileprivate let routes: [Route]

        /// All routes of a pattern ask for the same.
        var access: Route.Access? { routes.first?.access }

        /// - Returns: nil: the address takes other methods only.
        func route(_ method: HTTPRequest.Method) -> Route? {
            let wanted = method == .head ? .get : method
            return routes.first { $0.method == wanted }
        }

        /// The methods for the header of an answer (RFC 9110, section 10.2.1).
        var allow: String {
            routes.flatMap { $0.method == .get ? [.get, .head] : [$0.method] }.map(\.rawValue).joined(separator: ", ")
        }
    }

    /// These may not be empty: `/api/documents/` names no document. The default layer's name is empty.
    private static let names: Set<String> = ["id", "annotation", "root"]

    let routes: [Route]
    /// By the number of their segments.
    private let resources: [Int: [Resource]]

    /// - Parameter routes: those of one pattern in the order in which `Allow` names their methods.
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
            let segments = pattern.split(separator: "/").map { text -> Segment in
                text.first == "{" ? .parameter(String(text.dropFirst().dropLast())) : .literal(String(text))
            }
            resources[segments.count, default: []].append(
                Resource(segments: segments, routes: byPattern[pattern] ?? []))
        }
        self.resources = resources
    }

    /// - Parameter path: as it stands in the request, without its query.
    /// - Returns: nil when nothing is there, or the path is not properly encoded.
    func match(_ path: some StringProtocol) -> Match? {
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        var segments: [String] = []
        for segment in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
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

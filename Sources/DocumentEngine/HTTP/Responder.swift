import Annotations
import EngineCore
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SyncProtocol

/// Sends each request to its route and turns whatever goes wrong into the one error envelope.
struct Responder: HTTPResponder {
    typealias Context = BasicRequestContext

    let backend: BackendPlane
    let sync: SyncPlane
    let rate: Int?
    let logger: Logger

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        var response: Response
        do {
            response = try await answer(request)
        } catch let refusal as Refusal {
            response = refusal.response
        } catch is CancellationError {
            response = Refusal(.overload, "the server is stopping").response
        } catch {
            // What went wrong stays here: it may hold paths or texts.
            logger.error("request failed", metadata: ["error": "\(type(of: error)): \(error)"])
            response = Refusal(.internalError, "the server could not do this; its log tells why").response
        }
        response.headers[Self.version] = String(ProtocolVersion.current)
        if let rate { response.body = response.body.limited(to: rate) }
        return request.method == .head ? response.createHeadResponse() : response
    }

    static let version = HTTPField.Name(ProtocolVersion.header)!

    private func answer(_ request: Request) async throws -> Response {
        let parts = (request.head.path ?? "").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let route = Route(path: parts.first ?? ""), let query = Query(parts.count > 1 ? parts[1] : "") else {
            throw Refusal(.notFound, "there is nothing at this address")
        }
        let exchange = Exchange(request: request, query: query)
        switch route {
        case .health: return .json { $0.object { $0.member("status", "ok") } }
        case .sync(let route): return try await sync.answer(route, exchange)
        default: return try await backend.answer(route, exchange)
        }
    }
}

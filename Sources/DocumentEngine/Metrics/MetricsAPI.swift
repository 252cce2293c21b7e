import Annotations
import EngineCore
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

/// The operator's endpoints, on a separate address: `/metrics`, `/healthcheck` and `/readiness`.
struct MetricsAPI: HTTPResponder {
    typealias Context = BasicRequestContext

    let metrics: ServerMetrics
    let engine: Engine
    let work: PDFWork
    let admission: RequestLimiter
    let readiness: Readiness
    let space: DiskSpace
    let damage: DamageLog

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        let path = (request.head.path ?? "").split(scalar: "?", maxSplits: 1).first ?? ""
        guard RequestOrigin.hasValidHost(request.head) else {
            return APIError(.badRequest, #"expected one valid "Host""#).response
        }
        guard [.get, .head].contains(request.method) else {
            var response = APIError(.methodNotAllowed, "method not allowed; use GET, HEAD").response
            response.headers[.allow] = "GET, HEAD"
            return response
        }
        let response: Response
        switch path {
        case "/metrics": response = await metrics()
        case "/healthcheck": response = .health
        case "/readiness": response = await readiness.response()
        default: response = APIError(.notFound, "no such address").response
        }
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func metrics() async -> Response {
        metrics.set(.streams, Double(admission.streamCount))
        metrics.set(.connections, Double(metrics.openConnections))
        if let free = space.free { metrics.set(.freeDisk, Double(free)) }
        metrics.set(.damagedRows, Double(damage.count))
        metrics.set(.waitingWrites, Double(engine.writes.waiting))
        metrics.set(.runningPDFJobs, Double(work.running))
        metrics.set(.waitingPDFJobs, Double(work.waiting))
        metrics.set(.ready, await readiness.problem() == nil ? 1 : 0)
        if let memory = ProcessMetrics.memory { metrics.set(.memory, Double(memory)) }
        if let files = ProcessMetrics.openFiles { metrics.set(.files, Double(files)) }
        if let limit = ProcessMetrics.fileLimit { metrics.set(.fileLimit, Double(limit)) }
        return Response(
            status: .ok, headers: [.contentType: MetricsText.contentType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: MetricsText.text(metrics.registry))))
    }
}

extension Response {
    static var health: Response { .json { $0.object { $0.member("status", "ok") } } }
}

extension Readiness {
    func response() async -> Response {
        if let problem = await problem() { return problem.response }
        return .json { $0.object { $0.member("status", "ready") } }
    }
}

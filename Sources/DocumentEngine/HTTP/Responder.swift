import Annotations
import EngineCore
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import SyncProtocol

/// Dispatches each request to its route and turns every failure into the error envelope. Counts and logs each request.
struct Responder: HTTPResponder {
    typealias Context = RequestOrigin

    /// The largest body, in bytes, that is parsed on the thread that read it.
    static let smallBody: Int64 = 16 << 10

    let routes: RouteLookup
    let workers: WorkerThreads
    let admission: RequestLimiter
    let metrics: ServerMetrics
    let audit: AuditLog?
    let options: Server.Options
    let proxyWarning: ProxyWarning

    func respond(to request: Request, context: RequestOrigin) async throws -> Response {
        let parts = (request.head.path ?? "").split(scalar: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let (match, query) = (routes.match(parts.first ?? ""), parts.count > 1 ? parts[1] : "")
        guard match?.route(request.method)?.streams == true else {
            return try await respond(to: request, match, query, context)
        }
        // In a separate task, whose memory is freed when it ends (see ``EventStream``).
        async let response = respond(to: request, match, query, context)
        return try await response
    }

    private func respond(
        to request: Request, _ match: RouteLookup.Match?, _ query: Substring, _ context: RequestOrigin
    ) async throws -> Response {
        let start = ContinuousClock.now
        let id = RequestID(request.headers[RequestID.header])
        let address = RequestOrigin.address(request.head, from: context.peer, behindProxy: options.behindProxy)
        var response: Response
        var refusal: APIError?
        var audited: (action: AuditEvent.Action, notes: AuditNotes)?
        do {
            if !options.behindProxy { proxyWarning.look(at: request.head) }
            let target: Target
            do { target = try find(match, query, request.head) } catch {
                try admission.unauthenticated(from: address)
                throw error
            }
            let route = target.route
            if audit != nil, let action = route.audit, request.method != .head { audited = (action, AuditNotes()) }
            let incoming = ServerRequest(
                head: request.head, body: request.body, query: target.query, id: id, address: address,
                channel: context.channel, parameters: target.match.parameters, maxBytes: route.maxBytes,
                audit: audited?.notes)
            response = try await answer(route, incoming)
        } catch {
            let reason = self.refusal(error, id)
            response = reason.response
            // The vendor's backend clients expect 500 for an overload.
            if reason.reason == .overload, match?.access == .secret { response.status = .internalServerError }
            refusal = reason
        }
        if refusal?.reason == .methodNotAllowed { response.headers[.allow] = match?.allow }
        complete(&response.headers, id)
        if let (action, notes) = audited, case let details = notes.details, details.actor != nil, !details.isOmitted {
            audit?.record(
                AuditEvent(
                    time: options.now(), action: action, details: details, requestID: id.description,
                    address: address, status: response.status.code, problem: refusal?.reason.rawValue))
        }
        if let rate = options.rate { response.body = response.body.limited(to: rate) }
        let sent = request.method == .head ? 0 : response.body.contentLength ?? 0
        note(
            request.head, match?.pattern, response.status, sent: sent, refusal, id, took: start.duration(to: .now))
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// What a request is for.
    private struct Target {
        var match: RouteLookup.Match
        var route: Route
        var query: Query
    }

    private func find(_ match: RouteLookup.Match?, _ query: Substring, _ head: HTTPRequest) throws(APIError) -> Target {
        guard RequestOrigin.hasValidHost(head) else {
            throw APIError(.badRequest, #"expected one valid "Host" (RFC 9112, section 3.2)"#)
        }
        guard let match, let query = Query(query) else { throw APIError(.notFound, "no such address") }
        guard let route = match.route(head.method) else {
            throw APIError(.methodNotAllowed, "method not allowed; use \(match.allow)")
        }
        return Target(match: match, route: route, query: query)
    }

    /// Handles blocking routes and large bodies on worker threads.
    private func answer(_ route: Route, _ request: ServerRequest) async throws -> Response {
        let length = request.header(.contentLength).flatMap(Int64.init) ?? route.maxBytes
        guard route.blocks || min(length, route.maxBytes) > Self.smallBody else {
            return try await route.handle(request)
        }
        return try await withTaskExecutorPreference(workers) { try await route.handle(request) }
    }

    private func refusal(_ error: any Error, _ id: RequestID) -> APIError {
        if let refusal = error as? APIError { return refusal }
        if let problem = error as? OwnFileError { return problem.answer }
        if error is CancellationError { return APIError(.overload, "the server is stopping") }
        if error is HTTPParserError {
            return APIError(.badRequest, "the request body is incomplete, or its chunked encoding is malformed")
        }
        if let refusal = APIError.fullDisk(after: error) { return refusal }
        if let refusal = APIError.damage(after: error) {
            // A damaged row has been logged when it was read.
            if !(error is DamagedRow) {
                options.logger.error(
                    "the database is damaged: stop the server, run serve --check, restore a backup",
                    metadata: ["request": "\(id)"])
            }
            return refusal
        }
        if let refusal = APIError.diskFailure(after: error) {
            options.logger.error("the disk failed", metadata: ["request": "\(id)", "error": "\(error)"])
            return refusal
        }
        // The error is only logged: it may contain paths or texts.
        options.logger.error(
            "request failed", metadata: ["request": "\(id)", "error": "\(type(of: error)): \(error)"])
        return APIError(.internalError, "internal error; see the server's log")
    }

    // MARK: Every response

    static let version = HTTPField.Name(ProtocolVersion.header)!

    private func complete(_ headers: inout HTTPFields, _ id: RequestID) {
        headers[Self.version] = String(ProtocolVersion.current)
        headers[RequestID.header] = id.description
        // Responses may contain other users' files: browsers must accept the declared type and run nothing.
        headers[.xContentTypeOptions] = "nosniff"
        headers[.contentSecurityPolicy] = "default-src 'none'; sandbox"
        if options.tls != nil { headers[.strictTransportSecurity] = "max-age=31536000" }
    }

    /// Logs the route's pattern, not the address: ids belong to the customer, and a secret in a query would end up in
    /// the log.
    private func note(
        _ head: HTTPRequest, _ pattern: String?, _ status: HTTPResponse.Status, sent: Int, _ refusal: APIError?,
        _ id: RequestID, took duration: Duration
    ) {
        metrics.answered(
            pattern, head.method, status.code, in: duration,
            received: Int(head.headerFields[.contentLength] ?? "") ?? 0, sent: sent)
        if let refusal { metrics.refused(refusal.reason) }
        guard options.logsRequests else { return }
        var details: Logger.Metadata = [
            "request": "\(id)", "method": "\(head.method.isKnown ? head.method.rawValue : "other")",
            "route": "\(pattern ?? "none")", "status": "\(status.code)",
            "ms": "\(duration.milliseconds)",
        ]
        if let refusal { details["reason"] = "\(refusal.reason.rawValue)" }
        options.logger.info("request", metadata: details)
    }
}

extension HTTPRequest.Method {
    /// Whether the method is one of a fixed list; any other text comes from the client.
    var isKnown: Bool { [.get, .head, .post, .put, .delete, .options, .patch].contains(self) }
}

extension Duration {
    /// With three decimal places, because a request often takes less than a millisecond.
    fileprivate var milliseconds: Double {
        Double(components.seconds) * 1e3 + Double(components.attoseconds / 1_000_000_000_000) / 1e3
    }
}

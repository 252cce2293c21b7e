import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle

/// Serves a Unix socket as the framework's application does, but without its clock, which wakes the process every second for
/// the header `Date`. An engine of a person's own files may run all day on a battery, and its clients need no date.
struct QuietApplication: Service {
    let responder: Responder
    let server: HTTPServerBuilder
    let configuration: ServerConfiguration
    let ready: @Sendable (any Channel) -> Void
    let logger: Logger

    /// A response that has begun cannot be replaced by one about an error.
    private struct BrokenResponse: Error {}

    func run() async throws {
        let service = try server.buildServer(
            configuration: configuration, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger
        ) { [responder, logger] request, writer, channel in
            let context = RequestOrigin(source: ApplicationRequestContextSource(channel: channel, logger: logger))
            var response = try await responder.respond(to: request, context: context)
            response.headers[.server] = Server.name
            do { try await writer.write(response: response.head, body: response.body) } catch is HTTPParserError {
                throw BrokenResponse()
            }
        } onServerRunning: { [ready] in
            ready($0)
        }
        try await service.run()
    }
}

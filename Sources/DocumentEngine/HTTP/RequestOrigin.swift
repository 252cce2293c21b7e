import HTTPTypes
import Hummingbird
import NIOCore

/// Where a request came from.
struct RequestOrigin: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The other end of the connection: a client's, or a proxy's.
    let peer: String?
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress?.ipAddress
        channel = source.channel
    }

    static let forwarded = HTTPField.Name("X-Forwarded-For")!

    /// The client's address. Behind a proxy it is what the proxy added to `X-Forwarded-For`, which is the last one there:
    /// whatever stands before it anybody may have written.
    static func address(_ head: HTTPRequest, from peer: String?, behindProxy: Bool) -> String? {
        guard behindProxy, let last = head.headerFields[values: forwarded].last?.split(separator: ",").last else {
            return peer
        }
        let address = last.filter { $0 != " " && $0 != "\t" }
        return address.isEmpty || address.utf8.count > 64 ? peer : address
    }
}

import HTTPTypes
import Hummingbird
import NIOCore

/// The origin of a request.
struct RequestOrigin: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address of the peer: a client or a proxy.
    let peer: String?
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress?.ipAddress
        channel = source.channel
    }

    static let forwarded = HTTPField.Name("X-Forwarded-For")!

    /// Returns the client's address. Behind a proxy, this is the last entry of `X-Forwarded-For`, which the proxy
    /// added; a client can forge the entries before it.
    static func address(_ head: HTTPRequest, from peer: String?, behindProxy: Bool) -> String? {
        guard behindProxy, let last = head.headerFields[values: forwarded].last?.split(separator: ",").last else {
            return peer
        }
        let address = last.filter { $0 != " " && $0 != "\t" }
        return address.isEmpty || address.utf8.count > 64 ? peer : address
    }
}

import Annotations
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

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
    /// added; a client can forge the entries before it. Some proxies add the client's port, which is left out: with
    /// it, each connection would count as another client.
    static func address(_ head: HTTPRequest, from peer: String?, behindProxy: Bool) -> String? {
        guard behindProxy, let last = head.headerFields[values: forwarded].last?.split(scalar: ",").last else {
            return peer
        }
        let address = withoutPort(String(last.trimming { $0 == " " || $0 == "\t" }))
        return address.isEmpty || address.utf8.count > 64 ? peer : address
    }

    /// Returns the address of `203.0.113.9:4711`, `[2001:db8::1]:4711` or `[2001:db8::1]`, and other text unchanged.
    private static func withoutPort(_ text: String) -> String {
        if let (address, _) = text.dropping(prefix: "[")?.parted(atFirst: "]") { return String(address) }
        let parts = text.split(scalar: ":", omittingEmptySubsequences: false)
        return parts.count == 2 ? String(parts[0]) : text
    }

    /// Whether the request has exactly one `Host` whose characters are those of a host and a port (RFC 9112 §3.2,
    /// RFC 3986 §3.2). The framework keeps the first one apart from the other fields.
    static func hasValidHost(_ head: HTTPRequest) -> Bool {
        guard let host = head.authority, head.headerFields[values: host2].isEmpty else { return false }
        return host.utf8.allSatisfy(isHostCharacter)
    }

    private static let host2 = HTTPField.Name("Host")!

    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~%!$&'()*+,;=[]:".utf8.contains(byte)
        }
    }
}

/// Warns once if a proxy reports clients' addresses but the server is not set up for a proxy: all clients then share
/// the limits of the proxy's address.
final class ProxyWarning: Sendable {
    private let isGiven = Atomic(false)
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    func look(at head: HTTPRequest) {
        guard head.headerFields.contains(RequestOrigin.forwarded), !isGiven.exchange(true, ordering: .relaxed) else {
            return
        }
        logger.warning(
            """
            requests have X-Forwarded-For, which is ignored without behind-proxy: all clients of a proxy share its \
            address's limits
            """)
    }
}

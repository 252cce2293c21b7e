import Dispatch
import Glibc

/// A foreign web server that gives every request the same answer.
final class OtherServer: Sendable {
    let url: String
    private let listener: Int32

    /// - Parameter headers: Lines that end with a line break.
    init(status: Int = 200, headers: String = "", body: String = "<h1>It works!</h1>") throws {
        let (listener, url) = try Self.listen()
        (self.listener, self.url) = (listener, url)
        DispatchQueue(label: "other-server").async { Self.greet(listener, status, headers, body) }
    }

    fileprivate static func listen() throws -> (listener: Int32, url: String) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && Glibc.listen(listener, 8) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw StoryError("no port for another server: error \(errno)") }
        return (listener, "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))")
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func greet(_ listener: Int32, _ status: Int, _ headers: String, _ page: String) {
        let answer = Array(
            """
            HTTP/1.1 \(status) OK\r\nContent-Type: text/html\r\nContent-Length: \(page.utf8.count)\r\n\
            Connection: close\r\n\(headers)\r\n\(page)
            """.utf8)
        while case let client = accept(listener, nil, nil), client >= 0 {
            var request = [UInt8](repeating: 0, count: 16_384)
            _ = read(client, &request, request.count)
            _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
            // Unread input would reset the connection and lose the response.
            shutdown(client, Int32(SHUT_WR))
            while read(client, &request, request.count) > 0 {}
            close(client)
        }
        close(listener)
    }
}

/// A server that accepts connections and never answers.
final class SilentServer: Sendable {
    let url: String
    private let listener: Int32

    init() throws { (listener, url) = try OtherServer.listen() }

    deinit { close(listener) }
}

import AsyncHTTPClient
import Children
import Foundation
import Glibc
import InstantCore
import NIOCore
import NIOHTTP1
import TestThreads
import Testing

@testable import Instant

/// Where secrets may go.
@Suite(.timeLimit(.minutes(15))) struct SecretTests {
    @Test(arguments: [
        ("https://example.com", false, true), ("http://example.com", false, false), ("http://example.com", true, true),
        ("http://127.0.0.1:1", false, true), ("http://localhost", false, true), ("http://LOCALHOST.", false, true),
        ("http://0.0.0.0", false, false), ("http://127.1", false, false), ("http://ip6-localhost", false, false),
        ("http://[::1]", false, true), ("http+unix://%2Fs", false, true),
        ("http://localhost.example.com", false, false),
    ])
    func aSecretIsNotSentInClear(text: String, isAllowed: Bool, isSent: Bool) throws {
        let recipient = try? SecretRecipient(ServerAddress(text), allowsInsecureHTTP: isAllowed)
        #expect((recipient != nil) == isSent)
        let headers = recipient?.request(.GET, "/x?y", .token("t")).headers
        #expect(headers?["authorization"] == (isSent ? ["Bearer t"] : nil))
    }

    @Test(arguments: [
        ("Authorization: Bearer x", true), ("X-Key:y", true), ("none", false), (":x", false), ("a:b\r\nc:d", false),
    ])
    func aHeaderIsOneLine(line: String, isOne: Bool) { #expect((Secret(headerLine: line) != nil) == isOne) }

    /// A secret does not appear in a log by accident.
    @Test func aSecretDoesNotSayWhatItIs() throws {
        let request = try SecretRecipient(ServerAddress("https://example.com"), allowsInsecureHTTP: false)
            .request(.GET, "/", .backend("hidden"))
        #expect(request.headers["authorization"] == [#"Token token="hidden""#])
        #expect(!request.url.contains("hidden") && request.headers["referer"].isEmpty)
    }

    @Test(arguments: [
        ("https://other/there?token=hidden", "a redirect to https://other/there, which is not followed"),
        ("https://u:hidden@other/#hidden", "a redirect to https://other/, which is not followed"),
        ("/login\u{1B}[2J", "a redirect to /login, which is not followed"),
        (nil, "a redirect, which is not followed"),
    ])
    func aRedirectIsNamedWithoutItsQuery(location: String?, sentence: String) {
        var headers = HTTPHeaders()
        if let location { headers.add(name: "location", value: location) }
        let response = HTTPClientResponse(version: .http1_1, status: .found, headers: headers, body: .init())
        #expect(response.redirect == sentence)
        #expect(HTTPClientResponse(version: .http1_1, status: .ok, headers: headers, body: .init()).redirect == nil)
    }

    private func ask(_ url: String) async throws -> HTTPResponseStatus {
        let recipient = try SecretRecipient(ServerAddress(url), allowsInsecureHTTP: false)
        let request = recipient.request(.GET, "/", .token("hidden"))
        let response = try await HTTPClients.shared.execute(request, to: recipient, deadline: .now() + .seconds(60))
        return response.status
    }

    /// On 127.0.0.1, else on ::1.
    @Test(arguments: [AF_INET, AF_INET6]) func localhostIsThisMachine(family: Int32) async throws {
        guard let server = TinyServer(family) else { return }
        for host in ["localhost", "LocalHost", "localhost."] {
            #expect(try await ask("http://\(host):\(server.port)") == .noContent)
        }
        let free = try TakenPort.bound()
        close(free.socket)
        await #expect(throws: (any Error).self) { try await ask("http://localhost:\(free.port)") }
    }

    private static let isRoot =
        geteuid() == 0
        && ["/usr/bin/setpriv", "/usr/bin/perl"].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }

    /// Another user may own the path of a socket.
    @Test(.enabled(if: isRoot, "needs root, setpriv and perl")) func aSocketOfAnotherUserGetsNothing() async throws {
        let folder = try TemporaryFolder()
        chmod(folder.path, 0o777)
        let script = """
            use IO::Socket::UNIX; $| = 1;
            my $s = IO::Socket::UNIX->new(Type => SOCK_STREAM(), Local => "\(folder.path)/s", Listen => 9) or die;
            chmod 0777, "\(folder.path)/s"; print "ready\\n";
            while (my $c = $s->accept) { my $got = ""; sysread $c, $got, 9999;
              syswrite $c, "HTTP/1.1 204 No Content\\r\\n\\r\\n" if $got; print length($got), "\\n"; close $c; }
            """
        for (user, isServed) in [("0", true), ("65534", false)] {
            let process = ChildProcess()
            process.executableURL = URL(filePath: "/usr/bin/setpriv")
            process.arguments = [
                "--pdeathsig", "KILL", "--reuid", user, "--regid", user, "--clear-groups", "/usr/bin/perl", "-e",
                script,
            ]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            #expect(output.fileHandleForReading.availableData == Data("ready\n".utf8))
            let url = "http+unix://" + (folder.path + "/s").replacing("/", with: "%2F")
            if isServed {
                #expect(try await ask(url) == .noContent)
            } else {
                await #expect(throws: SocketPeer.Foreign.self) { try await ask(url) }
                // The library says so.
                let client = try InstantClient(
                    serverURL: #require(URL(string: url)), dataDirectory: folder.url.appending(path: "data"))
                let descriptor = try client.documentDescriptor(forJWT: token())
                await #expect(throws: InstantError.self) {
                    try await descriptor.reauthenticateAndWait(withJWT: token())
                }
                await client.close()
            }
            // Not SIGTERM, which a child may inherit as blocked.
            process.kill()
            let got = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            #expect(got.split(separator: "\n").allSatisfy { ($0 != "0") == isServed }, "\(got)")
            unlink(folder.path + "/s")
        }
    }
}

/// Answers every request on a loopback address with 204.
private final class TinyServer: Sendable {
    let port: UInt16
    private let socket: Int32

    /// - Returns: nil if this machine does not have the family.
    init?(_ family: Int32) {
        let socket = Glibc.socket(family, Int32(SOCK_STREAM.rawValue), 0)
        var (four, six) = (sockaddr_in(), sockaddr_in6())
        four.sin_family = sa_family_t(AF_INET)
        four.sin_addr.s_addr = inet_addr("127.0.0.1")
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_addr = in6addr_loopback
        func listens(_ address: UnsafeMutableRawPointer, _ size: Int) -> Bool {
            var length = socklen_t(size)
            let address = address.assumingMemoryBound(to: sockaddr.self)
            return bind(socket, address, length) == 0 && listen(socket, 9) == 0
                && getsockname(socket, address, &length) == 0
        }
        let isFour = family == AF_INET
        guard
            isFour
                ? listens(&four, MemoryLayout<sockaddr_in>.size) : listens(&six, MemoryLayout<sockaddr_in6>.size)
        else {
            close(socket)
            return nil
        }
        port = UInt16(bigEndian: isFour ? four.sin_port : six.sin6_port)
        self.socket = socket
        Thread.detachNewThread {
            var bytes = [UInt8](repeating: 0, count: 9999)
            while case let client = accept(socket, nil, nil), client >= 0 {
                if read(client, &bytes, bytes.count) > 0 {
                    _ = send(client, "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n", 46, Int32(MSG_NOSIGNAL))
                }
                close(client)
            }
            close(socket)
        }
    }

    deinit { shutdown(socket, Int32(SHUT_RDWR)) }
}

import InstantCore
import Testing

@Suite("Addresses of servers") struct ServerAddressTests {
    @Test(
        "The canonical form, and whether it is this machine",
        arguments: [
            ("http://127.0.0.1:5000", "http://127.0.0.1:5000", true), ("http://[::1]:5000", "http://[::1]:5000", true),
            ("HTTP://LocalHost:05000", "http://localhost:5000", true), ("http://localhost.", "http://localhost", true),
            ("http://localhost:80", "http://localhost", true), ("https://localhost:443/", "https://localhost", true),
            ("http://localhost:443", "http://localhost:443", true), ("http://localhost:", "http://localhost", true),
            ("https://Example.com:8443/Sync/%c3%a4//", "https://example.com:8443/Sync/%C3%A4", false),
            ("http://127.255.255.255", "http://127.255.255.255", true),
            ("http://[::FFFF:127.0.0.1]", "http://[::ffff:127.0.0.1]", true),
            ("http://[::ffff:7f01:203]", "http://[::ffff:7f01:203]", true),
            ("http://[0:0:0:0:0:0:0:1]", "http://[0:0:0:0:0:0:0:1]", true),
            ("http://[::ffff:128.0.0.1]", "http://[::ffff:128.0.0.1]", false),
            ("http://[::127.0.0.1]", "http://[::127.0.0.1]", false), ("http://[::2]", "http://[::2]", false),
            ("http://[::1%25lo]", "http://[::1%25lo]", false), ("http://128.0.0.1", "http://128.0.0.1", false),
            // Other programs may take these for this machine.
            ("http://0.0.0.0", "http://0.0.0.0", false), ("http://127.1", "http://127.1", false),
            ("http://0177.0.0.1", "http://0177.0.0.1", false), ("http://127.0.0.01", "http://127.0.0.01", false),
            ("http://0x7f.0.0.1", "http://0x7f.0.0.1", false), ("http://2130706433", "http://2130706433", false),
            ("http://ip6-localhost", "http://ip6-localhost", false),
            ("http://localhost..", "http://localhost..", false),
            ("http://127.0.0.1.", "http://127.0.0.1.", false), ("http://127.0.0.256", "http://127.0.0.256", false),
            ("http://127.example.com", "http://127.example.com", false), ("http://[::]", "http://[::]", false),
            ("http://127.0.0.1.example.com", "http://127.0.0.1.example.com", false),
            ("http://localhost.example.com", "http://localhost.example.com", false),
            ("http://a.localhost", "http://a.localhost", false),
            ("http+unix://%2Frun%2Fs.sock", "http+unix://%2Frun%2Fs.sock", true),
        ])
    func forms(text: String, canonical: String, isLoopback: Bool) throws {
        let address = try ServerAddress(text)
        #expect(address.canonical == canonical)
        #expect(address.isLoopback == isLoopback)
        #expect(try ServerAddress(canonical).canonical == canonical)
        #expect(try ServerAddress(canonical) == address)
    }

    @Test(arguments: [
        "", "x", "ftp://x", "https://", "https:///path", "/path", "https://user:pw@host", "https://host/?q",
        "https://host#f", "http:// host", "http://ho st", "http://host\n", "http://h\u{F6}st", "http://host\\@other",
        "http://[::1", "http://[::1]x", "http://[1:2]", "http://[::g]", "http://::1", "http://a:b:c", "http://.host",
        "http://ho%73t", "http+unix://", "http+unix://relative", "http://[1::2::3]", "http://[1:2:3:4:5:6:7:8:9]",
    ])
    func whatIsNoAddressIsRefused(_ text: String) {
        #expect(throws: InvalidAddress.self) { try ServerAddress(text) }
    }

    /// A port that does not fit ended the process in the library below.
    @Test(arguments: ["0", "65536", "99999", "-1", "+1", "1e3", "0x50", "9223372036854775808", "184467440737095516160"])
    func aPortHasALimit(_ port: String) {
        for host in ["127.0.0.1", "[::1]", "localhost", "example.com"] {
            #expect(throws: InvalidAddress.port(port)) { try ServerAddress("http://\(host):\(port)") }
        }
    }

    @Test(arguments: [
        ("127.0.0.1:5000", "http://127.0.0.1:5000", true), ("localhost", "http://localhost", true),
        ("[::1]:5000", "http://[::1]:5000", true), ("example.com", "https://example.com", true),
        ("example.com:8443/sync", "https://example.com:8443/sync", true), ("0.0.0.0:1", "https://0.0.0.0:1", true),
        ("http://example.com", "http://example.com", false),
    ])
    func aTypedAddressNeedsNoScheme(text: String, server: String, isCompleted: Bool) throws {
        let (address, wasCompleted) = try ServerAddress.typed(text)
        #expect((address.canonical, wasCompleted) == (server, isCompleted))
    }

    @Test(arguments: [
        ("https://Example.com/t?d={a}&k=1", "https://example.com", "/t?d={a}&k=1"),
        ("https://example.com", "https://example.com", "/"),
        ("https://example.com?a=/", "https://example.com", "/?a=/"),
        ("https://example.com/a/", "https://example.com", "/a/"),
        ("http://127.0.0.1:1/a://b", "http://127.0.0.1:1", "/a://b"),
    ])
    func aResourceHasAServerAndATarget(text: String, server: String, target: String) throws {
        let found = try ServerAddress.resource(text)
        #expect((found.server.canonical, found.target) == (server, target))
    }

    @Test(arguments: [
        "example.com/a", "https://u:p@example.com/", "https://example.com/a#b", "https://a/\u{7F}", "http://a:0/",
    ])
    func aResourceIsCheckedLikeAServer(_ text: String) {
        #expect(throws: InvalidAddress.self) { try ServerAddress.resource(text) }
    }
}

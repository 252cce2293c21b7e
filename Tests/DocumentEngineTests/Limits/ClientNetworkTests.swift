import HTTPTypes
import Testing

@testable import DocumentEngine

struct ClientNetworkTests {
    @Test(arguments: [
        ("203.0.113.7", "203.0.113.7"), ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2::1", "20:1:d:b8:0:1:0:2/64"), ("2001:db8:1:2:ffff::9", "20:1:d:b8:0:1:0:2/64"),
        ("2001:DB8:1:3::1", "20:1:d:b8:0:1:0:3/64"), ("nonsense", "nonsense"), ("", ""), ("1.2.3.4:5", "1.2.3.4:5"),
    ])
    func oneCustomerIsOnePlace(_ address: String, _ place: String) {
        #expect(ClientNetwork.of(address) == place)
    }

    /// Some proxies add the client's port.
    @Test(arguments: [
        ("203.0.113.9", "203.0.113.9"), ("1.1.1.1, 203.0.113.9:4711", "203.0.113.9"),
        ("2001:db8::1", "2001:db8::1"), ("[2001:db8::1]:4711", "2001:db8::1"), ("[2001:db8::1]", "2001:db8::1"),
        ("unknown", "unknown"), ("[", "["), (":80", "192.0.2.1"), ("[]", "192.0.2.1"), (",", "192.0.2.1"),
    ])
    func theProxysAddressCounts(_ header: String, _ address: String) {
        let head = HTTPRequest(
            method: .get, scheme: nil, authority: "x", path: "/", headerFields: [RequestOrigin.forwarded: header])
        #expect(RequestOrigin.address(head, from: "192.0.2.1", behindProxy: true) == address)
        #expect(RequestOrigin.address(head, from: "192.0.2.1", behindProxy: false) == "192.0.2.1")
    }
}

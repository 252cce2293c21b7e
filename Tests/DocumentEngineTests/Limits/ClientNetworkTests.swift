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
}

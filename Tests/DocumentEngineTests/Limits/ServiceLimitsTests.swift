import EngineCore
import SyncProtocol
import Testing

@testable import DocumentEngine

struct ServiceLimitsTests {
    /// Half of the files that may be open, less what the server itself needs.
    @Test(arguments: [(64, 16), (1_024, 384), (4_096, 1_920), (65_536, 32_640), (1_048_576, 50_000), (nil, 384)])
    func connectionsFitTheFilesThatMayBeOpen(_ files: Int?, _ connections: Int) {
        #expect(ServiceLimits.defaultConnections(files: files) == connections)
    }

    /// A network of 2^80 addresses is 65,536 customers' networks; the memory for them is bounded.
    @Test func manyAddressesTakeLittleMemory() throws {
        let limiter = RequestLimiter(ServiceLimits(), uptime: { .zero })
        var refused = 0
        for number in 0..<65_536 {
            let address = "2001:db8:1:\(String(number, radix: 16))::1"
            try limiter.unauthenticated(from: address)
            for proof in [RequestLimiter.Proof.secret, .token] {
                do {
                    try limiter.login(with: proof, from: address) { throw APIError(.unauthorized, "wrong") }
                } catch { refused += 1 }
            }
        }
        #expect(refused == 2 * 65_536)
        #expect(limiter.rememberedKeys <= 5 * 10_000)
    }
}

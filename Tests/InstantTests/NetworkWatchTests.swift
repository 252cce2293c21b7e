import Testing

@testable import Instant

@Suite("The network of this machine") struct NetworkWatchTests {
    private static func message(_ kind: UInt16, length: UInt32? = nil, body: Int = 8) -> [UInt8] {
        var bytes = withUnsafeBytes(of: length ?? UInt32(16 + body)) { Array($0) }
        bytes += withUnsafeBytes(of: kind) { Array($0) }
        bytes += [UInt8](repeating: 0, count: 10 + body)
        while bytes.count % 4 != 0 { bytes.append(0) }
        return bytes
    }

    @Test(
        arguments: [
            (message(20), true, "an address came"), (message(24), true, "a route came"),
            (message(21), false, "an address went"), (message(25), false, "a route went"),
            (message(16), false, "a link changed"), ([], false, "nothing"),
            (message(21) + message(24), true, "the second counts"),
            (message(16, body: 3) + message(20), true, "padded"),
            (Array(message(20).prefix(15)), false, "cut"), (message(16, length: 0) + message(20), false, "no length"),
            (message(16, length: .max) + message(20), false, "a length beyond the end"),
        ] as [([UInt8], Bool, String)])
    func onlyWhatComesIsNews(bytes: [UInt8], isNews: Bool, what: String) {
        #expect(RouteMessages.bringNetwork(bytes) == isNews, "\(what)")
    }

    @Test func aWatchBeginsAndEnds() {
        let watch = NetworkWatch {}
        withExtendedLifetime(watch) {}
        #expect(AddressList.present() == AddressList.present())
    }
}

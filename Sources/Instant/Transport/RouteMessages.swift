/// What the kernel of Linux tells of addresses and routes (rtnetlink(7)): one message after the other, each a header of
/// 16 bytes (length and kind first, in the order of this machine) and a body, the next one at a multiple of four.
enum RouteMessages {
    private static let newAddress: UInt16 = 20
    private static let newRoute: UInt16 = 24
    private static let headerBytes = 16

    /// Whether an address or a route came, so that a server may be reached again. What went away is no reason to try.
    static func bringNetwork(_ bytes: some Collection<UInt8>) -> Bool {
        let bytes = Array(bytes)
        return bytes.withUnsafeBytes { bytes in
            var start = 0
            while start + headerBytes <= bytes.count {
                let length = Int(bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
                let kind = bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt16.self)
                guard length >= headerBytes else { return false }
                if kind == newAddress || kind == newRoute { return true }
                start += (length + 3) & ~3
            }
            return false
        }
    }
}

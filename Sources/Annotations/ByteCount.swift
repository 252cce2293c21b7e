/// Formats byte counts in decimal units: `309 kB`, `1.2 MB`.
package enum ByteCount {
    package static func text(_ bytes: Int64) -> String {
        let bytes = max(0, bytes)
        switch bytes {
        case ..<1000: return "\(bytes) B"
        case ..<1_000_000: return "\(bytes / 1000) kB"
        case ..<1_000_000_000: return tenths(bytes, unit: 1_000_000) + " MB"
        default: return tenths(bytes, unit: 1_000_000_000) + " GB"
        }
    }

    private static func tenths(_ bytes: Int64, unit: Int64) -> String {
        let tenths = bytes / (unit / 10)
        return tenths < 1000 ? "\(tenths / 10).\(tenths % 10)" : "\(tenths / 10)"
    }
}

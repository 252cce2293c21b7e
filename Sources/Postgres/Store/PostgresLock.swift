import EngineCore

/// Numbers for PostgreSQL's advisory locks, which end with the transaction that took them. Two names may share one:
/// then somebody waits who need not.
enum PostgresLock {
    static let schema = number("schema")
    static let mark = number("mark")

    static func document(_ id: String) -> Int64 { number("document " + id) }
    static func layer(_ key: LayerKey) -> Int64 {
        number("layer \(key.document.utf8.count) \(key.document) \(key.name)")
    }
    static func blob(_ sha256: String) -> Int64 { number("blob " + sha256) }

    /// FNV-1a, 64 bits.
    private static func number(_ name: String) -> Int64 {
        Int64(bitPattern: name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    }
}

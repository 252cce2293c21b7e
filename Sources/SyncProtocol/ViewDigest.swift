package import Annotations

/// The digest of a view: the number of records, and a hash over their ids and revisions that does not depend on their
/// order, so that both sides can add rows in any order.
///
/// It detects accidental differences, but does not resist forgery. Each row is hashed with 64-bit FNV-1a over the bytes
/// of the id and the eight bytes of the revision, lowest first, then mixed (the last steps of MurmurHash3). This is
/// done with two offsets, each with its own sum; the sums wrap.
package struct ViewDigest: Hashable, Sendable {
    package private(set) var count: Int64 = 0
    private var one: UInt64 = 0
    private var other: UInt64 = 0

    package init() {}

    package mutating func add(_ id: Record.ID, _ revision: Revision) {
        count += 1
        one &+= Self.hash(id, revision, offset: 0xCBF2_9CE4_8422_2325)
        other &+= Self.hash(id, revision, offset: 0x6C62_272E_07BB_0142)
    }

    /// 32 hex digits.
    package var hash: String { Self.hex(one) + Self.hex(other) }

    private static func hash(_ id: Record.ID, _ revision: Revision, offset: UInt64) -> UInt64 {
        var hash = offset
        for byte in id.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        var rest = UInt64(bitPattern: revision)
        for _ in 0..<8 {
            hash = (hash ^ (rest & 0xFF)) &* 0x100_0000_01B3
            rest >>= 8
        }
        hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return hash ^ (hash >> 33)
    }

    private static func hex(_ value: UInt64) -> String { withUnsafeBytes(of: value.bigEndian) { $0.hexadecimal } }
}

/// `GET digest?epoch=`: the server's digest of a view at one revision.
package struct DigestAnswer: WireMessage {
    package var epoch: String
    /// The layer's head at the time of the digest.
    package var upTo: Revision
    package var count: Int64
    /// ``ViewDigest/hash``
    package var hash: String

    package init(epoch: String, upTo: Revision, _ digest: ViewDigest) {
        self.epoch = epoch
        self.upTo = upTo
        count = digest.count
        hash = digest.hash
    }

    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("epoch", epoch)
            $0.member("upTo", upTo)
            $0.member("count", count)
            $0.member("hash", hash)
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        var epoch: String?
        var upTo: Revision?
        var count: Int64?
        var hash: String?
        try reader.object { (key: String, reader: inout JSONReader) throws(JSONError) in
            switch key {
            case "epoch": epoch = try reader.string()
            case "upTo": upTo = try reader.integer()
            case "count": count = try reader.integer()
            case "hash": hash = try reader.string()
            default: try reader.skip()
            }
        }
        self.epoch = try epoch.required("epoch", reader)
        self.upTo = try upTo.required("upTo", reader)
        self.count = try count.required("count", reader)
        self.hash = try hash.required("hash", reader)
    }
}

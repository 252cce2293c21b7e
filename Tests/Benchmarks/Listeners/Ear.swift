/// What one listener has received, parsed from the bytes as they arrive: only event ids and heartbeats, so that one
/// thread can read for a thousand listeners.
struct Ear {
    /// Whether the stream has reported that it is open.
    private(set) var isOpen = false
    private(set) var heartbeats = 0
    /// The revision of the last change.
    private(set) var revision: Int64 = 0
    /// Whether a change arrived that does not directly follow the previous one.
    private(set) var hasMissed = false
    var isClosed = false

    private var line: [UInt8] = []
    /// Longer lines contain the changed records; the rest of them is skipped.
    private static let longest = 96

    /// - Parameter changed: Called with the revision of each change.
    mutating func hear(_ bytes: some Sequence<UInt8>, changed: (Int64) -> Void) {
        for byte in bytes {
            guard byte == 0x0A else {
                if line.count < Self.longest { line.append(byte) }
                continue
            }
            read(changed)
            line.removeAll(keepingCapacity: true)
        }
    }

    private mutating func read(_ changed: (Int64) -> Void) {
        if line.starts(with: Self.id), let dot = line.lastIndex(of: UInt8(ascii: ".")),
            let next = Int64(String(decoding: line[(dot + 1)...], as: UTF8.self).trimmed)
        {
            if next != revision + 1 { hasMissed = true }
            revision = next
            changed(next)
        } else if line.starts(with: Self.heartbeat) {
            heartbeats += 1
        } else if line.starts(with: Self.session) {
            isOpen = true
        }
    }

    private static let id = Array("id: ".utf8)
    private static let heartbeat = Array(": ".utf8)
    private static let session = Array("event: session".utf8)
}

extension String {
    fileprivate var trimmed: String { filter(\.isNumber) }
}

/// What one listener has heard, read from the bytes as they come: only the ids of events and the signs of life, so that
/// a thousand of them can be read by one thread.
struct Ear {
    /// The stream has said that it is open.
    private(set) var isOpen = false
    private(set) var heartbeats = 0
    /// Of the last change.
    private(set) var revision: Int64 = 0
    /// A change came that does not follow on the one before.
    private(set) var hasMissed = false
    var isClosed = false

    private var line: [UInt8] = []
    /// Longer lines hold what was changed, and end somewhere.
    private static let longest = 96

    /// - Parameter changed: called with the revision of each change.
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

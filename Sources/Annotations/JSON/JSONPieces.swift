/// A buffer into which pieces of JSON are copied verbatim, for values that are written a hundred thousand times.
package struct JSONPieces {
    /// The length of the longest number, with its sign.
    package static let digits = 20

    private let room: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init(_ room: UnsafeMutableBufferPointer<UInt8>) { self.room = room }

    @inline(__always)
    package mutating func put(_ text: StaticString) {
        put(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inline(__always)
    package mutating func put(_ text: UnsafeBufferPointer<UInt8>) {
        guard let from = text.baseAddress, let to = room.baseAddress else { return }
        precondition(text.count <= room.count - count, "more bytes than reserved")
        (to + count).update(from: from, count: text.count)
        count += text.count
    }

    /// - Parameter text: nil is written as `null`.
    @inline(__always)
    package mutating func put(string text: UnsafeBufferPointer<UInt8>?) {
        guard let text else { return put("null") }
        put("\"")
        put(text)
        put("\"")
    }

    @inline(__always)
    private mutating func put(_ byte: UInt8) {
        precondition(count < room.count, "more bytes than reserved")
        room[count] = byte
        count += 1
    }

    package mutating func put(_ value: Int64) {
        if value < 0 { put(UInt8(ascii: "-")) }
        var unit: UInt64 = 1
        while value.magnitude / unit >= 10 { unit *= 10 }
        while unit > 0 {
            put(UInt8(ascii: "0") + UInt8(value.magnitude / unit % 10))
            unit /= 10
        }
    }
}

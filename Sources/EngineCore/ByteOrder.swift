/// A string compared by its UTF-8 bytes. Swift's own comparison takes canonically equivalent strings for equal;
/// ids of records and documents that differ in one byte are different.
struct ByteOrdered: Hashable, Comparable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (one: ByteOrdered, other: ByteOrdered) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    static func < (one: ByteOrdered, other: ByteOrdered) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// A text compared by its UTF-8 bytes: what looks up ids, which are different when they differ in one byte. Swift's own
/// comparison takes canonically equivalent texts for equal, so that one would take the place of the other.
package struct ByteOrdered: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (one: ByteOrdered, other: ByteOrdered) -> Bool { one.text.isExactly(other.text) }

    package static func < (one: ByteOrdered, other: ByteOrdered) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Whether both are the same, scalar for scalar.
    ///
    /// `==` takes `é` and `e` with a combining accent for one text. Names that decide something must not: user ids,
    /// groups and JSON keys are compared as they stand (RFC 7519 section 7.3, RFC 8259 section 8.3), as a database does.
    package func isExactly(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let same = utf8.withContiguousStorageIfAvailable { one in
            other.utf8.withContiguousStorageIfAvailable { one.elementsEqual($0) }
        }
        // What came from Foundation on another system may lie in pieces.
        return (same ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension String? {
    /// nil is exactly nil, and nothing else: not the empty text, not `"null"`.
    package func isExactly(_ other: String?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let one?, let other?): one.isExactly(other)
        default: false
        }
    }
}

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

extension String {
    /// Whether both are the same, scalar for scalar.
    ///
    /// `==` treats `é` and `e` with a combining accent as equal. Such names must stay distinct in decisions: user ids,
    /// groups and JSON keys are compared exactly (RFC 7519 section 7.3, RFC 8259 section 8.3), as a database does.
    package func isExactly(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let same = utf8.withContiguousStorageIfAvailable { one in
            other.utf8.withContiguousStorageIfAvailable { one.elementsEqual($0) }
        }
        // A string from Foundation on another system may not be contiguous.
        return (same ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension String? {
    /// Whether both are the same; nil is neither the empty text nor `"null"`.
    package func isExactly(_ other: String?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let one?, let other?): one.isExactly(other)
        default: false
        }
    }
}

extension Sequence<String> {
    /// Whether one of the texts is the same, scalar for scalar.
    package func containsExactly(_ text: String) -> Bool { contains { $0.isExactly(text) } }
}

/// A text compared by its UTF-8 bytes, for looking up ids, which differ if any byte differs. Swift's own comparison
/// treats canonically equivalent texts as equal, so one id would replace the other.
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

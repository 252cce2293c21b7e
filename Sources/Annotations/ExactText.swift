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

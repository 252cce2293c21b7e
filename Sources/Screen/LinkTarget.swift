/// The address of a link in a cell. It consists of printable ASCII without blanks, so it cannot end the sequence that
/// sends it to the terminal.
package struct LinkTarget: Hashable, Sendable {
    package let bytes: [UInt8]

    private static let maxLength = 2_000

    /// Returns nil for an address with other characters, or a long one: terminals ignore those above 2,083 bytes.
    ///
    /// - Parameter address: Its scheme is the caller's concern.
    package init?(_ address: String) {
        let bytes = Array(address.utf8)
        guard (1...Self.maxLength).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        self.bytes = bytes
    }
}

/// Cells of one row that lead to an address.
package struct CanvasLink: Hashable, Sendable {
    package let row: Int
    package let columns: Range<Int>
    package let target: LinkTarget
}

/// A position in a text, counted as in editors: lines and columns from 1, columns in Unicode scalars.
package struct TextPlace: Hashable, Sendable, CustomStringConvertible {
    package var line: Int
    package var column: Int

    /// - Parameter offset: byte offset from 0, clamped to the end.
    package init(of offset: Int, in bytes: [UInt8]) {
        let before = bytes[..<min(max(0, offset), bytes.count)]
        line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        column = String(decoding: before[start...], as: UTF8.self).unicodeScalars.count + 1
    }

    /// `12:5`, as in compiler messages.
    package var description: String { "\(line):\(column)" }
}

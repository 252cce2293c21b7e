/// What of a file does not become a record, or not completely.
package struct FileProblem: Hashable, Sendable, CustomStringConvertible {
    /// A record's name in the file, or its element; nil for the file as a whole.
    package var name: String?
    /// A sentence without text of the file.
    package var reason: String
    /// Whether nothing of it is taken.
    package var isSkipped: Bool

    package init(_ name: String?, _ reason: String, isSkipped: Bool = true) {
        self.name = name
        self.reason = reason
        self.isSkipped = isSkipped
    }

    package var description: String { name.map { "\($0): \(reason)" } ?? reason }
}

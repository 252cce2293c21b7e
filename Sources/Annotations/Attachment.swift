/// The name of a file that records refer to, such as the picture of an image annotation: the SHA-256 of its bytes, as
/// 64 lower-case hexadecimal digits (Instant JSON: `imageAttachmentId`; of an attached file, `fileAttachmentId`).
public struct AttachmentID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let hex: String

    /// Returns nil for any other text; an accepted name is therefore safe in a path or a header.
    public init?(_ text: String) {
        let digits = text.utf8
        guard digits.count == 64,
            digits.allSatisfy({
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            })
        else { return nil }
        hex = text
    }

    public var description: String { hex }

    public static func < (one: AttachmentID, other: AttachmentID) -> Bool { one.hex < other.hex }
}

extension Content {
    /// The attachment that the record needs; nil if the record names none, or names it in another form, which earlier
    /// versions accepted. Such a name is preserved like any unknown member, and nothing is loaded for it.
    public var attachmentID: AttachmentID? { attachmentName?.string.flatMap(AttachmentID.init) }

    private var attachmentName: JSON? {
        // Few records have an attachment, and parsing every record would cost more than the rest of a write. A key may
        // be written with escapes.
        guard Self.keys.contains(where: { text.utf8.holds($0) }) || text.utf8.holds(Self.escape) else { return nil }
        let object = object
        // A record has one attachment: another name in it grants nothing.
        return ["imageAttachmentId", "fileAttachmentId"].lazy.compactMap { object[$0] }.first { !$0.isNull }
    }

    /// Checks the name of the attachment.
    ///
    /// - Parameter stored: the content that this one replaces, whose name stays valid; nil for a new record.
    package func checkAttachment(over stored: Content?) throws(InvalidContent) {
        guard let name = attachmentName, name.string.flatMap(AttachmentID.init) == nil else { return }
        guard name == stored?.attachmentName else { throw .badAttachmentName }
    }

    private static let keys = [#""imageAttachmentId""#, #""fileAttachmentId""#].map { Array($0.utf8) }
    private static let escape = Array(#"\u"#.utf8)
}

extension String.UTF8View {
    fileprivate func holds(_ needle: [UInt8]) -> Bool {
        let found = withContiguousStorageIfAvailable { hay in
            guard hay.count >= needle.count else { return false }
            return (0...(hay.count - needle.count)).contains { start in
                hay[start + 1] == needle[1] && hay[start...].starts(with: needle)
            }
        }
        return found
            ?? Array(self).withUnsafeBufferPointer { hay in
                hay.indices.contains { hay[$0...].starts(with: needle) }
            }
    }
}

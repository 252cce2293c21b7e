/// The mark of an annotation of which only a part could be read. It is never written as if it were whole: files keep their own,
/// exports leave it out, and edits are refused.
///
/// A record that an earlier version read in part has no mark. The file says so again whenever it is written.
extension Content {
    /// Why only a part was read, as a noun phrase such as `more than 10,000 points`; nil if all of it was.
    package var readInPart: String? { self["postilla"]?[Self.partKey]?.string }

    /// The key of the reason, in the member `postilla`.
    package static let partKey = "readInPart"

    /// The beginning of the warning about such an annotation.
    package static let partWarning = "read in part: "
}

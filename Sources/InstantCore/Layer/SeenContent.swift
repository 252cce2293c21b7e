import Annotations

/// Merges an edit with what was changed since its author read the record.
extension Content {
    /// The members that a store or a program sets by itself. They are nobody's edit.
    private static let stamps: Set = [
        "createdAt", "creatorName", "isCommentThreadRoot", "name", "pdfObjectId", "updatedAt", "v",
    ]
    /// The members that say together where an annotation is.
    private static let place: Set = [
        "bbox", "callout", "endPoint", "lines", "pageIndex", "points", "rects", "startPoint",
    ]

    /// Returns this edit of a record, made on top of what the record has become since its author read it.
    ///
    /// - Parameters:
    ///   - seen: the content that the author of this edit read.
    ///   - present: the content now.
    /// - Returns: nil if both changed the same member differently.
    func made(over seen: Content, on present: Content) -> Content? {
        let (old, mine, now) = (seen.object, object, present.object)
        func changed(_ new: JSONObject) -> Set<String> {
            let keys = Set(old.members.map(\.key) + new.members.map(\.key))
            return keys.filter { !Self.stamps.contains($0) && old[$0] != new[$0] }
        }
        let theirs = changed(now)
        guard !theirs.isEmpty else { return self }
        let ours = changed(mine)
        let both = ours.intersection(theirs)
        guard both.allSatisfy({ mine[$0] == now[$0] }) else { return nil }
        // A place is taken from one side, so that its members fit each other.
        if !ours.isDisjoint(with: Self.place), !theirs.isDisjoint(with: Self.place),
            Self.place.contains(where: { mine[$0] != now[$0] })
        {
            return nil
        }
        return present.changing { object in
            for key in ours { object[key] = mine[key] }
        }
    }
}

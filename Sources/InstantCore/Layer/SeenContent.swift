import Annotations

/// Merges an edit with what was changed since its author read the record.
extension Content {
    /// Returns this edit of a record, made on top of what the record has become since its author read it.
    ///
    /// - Parameters:
    ///   - seen: the content that the author of this edit read.
    ///   - present: the content now.
    /// - Returns: nil if both changed the same member differently, or the record has become another kind of annotation, whose
    ///   members mean other things.
    func made(over seen: Content, on present: Content) -> Content? {
        let (old, mine, now) = (seen.object, object, present.object)
        func changed(_ new: JSONObject) -> Set<ByteOrdered> {
            Set(old.keys(differingFrom: new, except: Self.stampMembers).map(ByteOrdered.init))
        }
        let theirs = changed(now)
        guard !theirs.isEmpty else { return self }
        guard mine["type"] == now["type"] else { return nil }
        let ours = changed(mine)
        let both = ours.intersection(theirs)
        guard both.allSatisfy({ mine[$0.text] == now[$0.text] }) else { return nil }
        // A place is taken from one side, so that its members fit each other.
        let places = Set(Self.placeMembers.map(ByteOrdered.init))
        if !ours.isDisjoint(with: places), !theirs.isDisjoint(with: places),
            Self.placeMembers.contains(where: { mine[$0] != now[$0] })
        {
            return nil
        }
        return present.changing { object in
            for key in ours { object[key.text] = mine[key.text] }
        }
    }
}

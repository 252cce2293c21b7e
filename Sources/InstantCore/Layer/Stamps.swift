import Annotations

extension Content {
    /// The same to a person: what is stamped on a record when it is written does not count.
    func isEquivalent(as other: Content) -> Bool { unstamped == other.unstamped }

    private var unstamped: Content {
        changing { object in
            object["updatedAt"] = nil
            object["creatorName"] = nil
        }
    }
}

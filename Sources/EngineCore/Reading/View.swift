package import Authorization
package import SyncProtocol

/// What one view gets to know of a record: its latest state, that it is gone, or nothing at all.
extension ViewScope {
    /// - Parameter departures: the ways by which the record left a group since the view last looked.
    package func item(_ record: ServerRecord, departures: some Sequence<Departure>) -> SyncItem? {
        if contains(record.subject) { return record.item }
        // Gone from this view only if this view could see it where it left from.
        guard let last = departures.filter({ contains($0.subject) }).map(\.revision).max() else { return nil }
        return .removed(record.id, last)
    }
}

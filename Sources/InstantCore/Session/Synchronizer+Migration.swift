import Annotations

/// An old local store is brought up to date before anything of it is changed, by the one who holds the lock.
extension Synchronizer {
    /// When the next step is due.
    static let atOnce = Timestamp(milliseconds: 0)

    /// One step at each waking; others get their turn between two.
    mutating func migrate() throws {
        guard isLeading, cycle.isMigrating else { return }
        perform(cycle.migrationBegan())
        if try layer.migrate() { try migrated() }
    }

    /// Whoever did it: this process, or the one that holds the lock.
    mutating func migrated() throws {
        guard cycle.isMigrating, try !layer.facts().needsMigration else { return }
        perform(cycle.migrated(backlog: try layer.backlog()))
        effects.append(.announce(.changed(LayerChanges())))
        if session.dataTicket != nil { try beginCycle() }
    }
}

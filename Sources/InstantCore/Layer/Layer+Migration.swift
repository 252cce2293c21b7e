/// Rows of an older program are derived anew from the records, some at a time, so that the layer stays readable
/// meanwhile and an end at any moment loses nothing but the time.
extension Layer {
    /// Derives the next rows; what is ours and not yet there comes first.
    ///
    /// - Returns: true when none is left.
    package func migrate(limit: Int = 500) throws -> Bool {
        try store.write { store in
            var facts = try store.metadata()
            guard facts.needsMigration else { return true }
            if facts.migratedTo == nil {
                let ours = try store.entries(in: Set(OutboxEntry.Stage.allCases), limit: .max)
                for id in Set(ours.map(\.id)) { try store.refresh(id, facts: facts) }
            }
            let batch = try store.records(after: facts.migratedTo, limit: limit)
            for record in batch { try store.refresh(record.id, facts: facts) }
            facts.migratedTo = batch.last?.id
            if batch.count < limit {
                facts.derivation = ShownRow.derivation
                facts.migratedTo = nil
                facts.wasReset = false
            }
            try store.set(facts)
            return !facts.needsMigration
        }
    }
}

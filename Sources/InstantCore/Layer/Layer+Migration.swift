import Annotations

/// Migration. Derives the rows of an older program version again from the records, in batches. The layer remains
/// readable during this time; an interruption loses no data.
extension Layer {
    /// Derives the next batch of rows; records with outbox entries come first.
    ///
    /// - Returns: true if no row is left.
    package func migrate(limit: Int = 500) throws -> Bool {
        try store.write { store in
            var metadata = try store.metadata()
            guard metadata.needsMigration else { return true }
            if metadata.migratedTo == nil {
                // The words under markups are derived, too; they are read again.
                try store.forgetQuotes()
                let ours = try store.entries(in: Set(OutboxEntry.Stage.allCases), limit: .max)
                for id in Set(ours.map { ByteOrdered($0.id) }) { try store.refresh(id.text, metadata: metadata) }
            }
            let batch = try store.records(after: metadata.migratedTo, limit: limit)
            for record in batch { try store.refresh(record.id, metadata: metadata) }
            metadata.migratedTo = batch.last?.id
            if batch.count < limit {
                metadata.derivation = ShownRow.derivation
                metadata.migratedTo = nil
                metadata.wasReset = false
            }
            try store.set(metadata)
            return !metadata.needsMigration
        }
    }
}

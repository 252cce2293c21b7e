package import Annotations
package import SyncProtocol

/// Loading a layer whole, page by page, each page durable with its own position.
extension Layer {
    package struct NextPage: Hashable, Sendable {
        package var after: Record.ID?
        package var at: Revision?
        package var epoch: String?

        /// Of all nils: the first page of now.
        package init(after: Record.ID? = nil, at: Revision? = nil, epoch: String? = nil) {
            self.after = after
            self.at = at
            self.epoch = epoch
        }
    }

    /// The page to ask for, or nil when a snapshot is complete and its cursor good for this epoch.
    package func nextPage(epoch: String) throws -> NextPage? {
        try store.read { store in
            let facts = try store.metadata()
            if let loading = facts.loading, loading.epoch == epoch {
                return NextPage(after: loading.after, at: loading.at, epoch: loading.epoch)
            }
            return facts.cursor?.epoch == epoch ? nil : NextPage()
        }
    }

    /// Begins again at the first page: the epoch changed under way, or the server no longer knows the snapshot.
    package func restartSnapshot() throws {
        try store.write { store in
            try store.changeMetadata { ($0.loading, $0.cursor) = (nil, nil) }
            try store.clearStage()
        }
    }

    /// Takes the page that was asked for. The last one is on the disk with all before it.
    package func take(_ page: SnapshotPage, for asked: NextPage) throws -> LayerChanges {
        try store.write(page.next == nil ? .synced : .recoverable) { store in
            var facts = try store.metadata()
            var changes = LayerChanges()
            for item in page.records { try item.check() }
            if let next = page.next, let after = asked.after, !after.isBefore(next) {
                throw InvalidServerData("the server's snapshot goes round in circles")
            }
            var loading: LayerMetadata.Loading
            if asked.after != nil {
                // Nil: that snapshot was given up while the page was under way.
                guard let present = facts.loading else { return changes }
                guard present.epoch == page.epoch, present.at == page.at, present.after == asked.after else {
                    changes.needsSnapshot = true
                    return changes
                }
                loading = present
            } else {
                try store.clearStage()
                let isEmpty = try store.records(after: nil, limit: 1).isEmpty
                loading = LayerMetadata.Loading(epoch: page.epoch, at: page.at, after: nil, inPlace: isEmpty)
            }
            try store.keep(page.records, inPlace: loading.inPlace, facts: facts, into: &changes)
            loading.after = page.next
            facts.loading = loading
            if page.next == nil {
                var recovered = LayerChanges()
                if facts.isRecovering {
                    try store.recover(inPlace: loading.inPlace, facts: facts, into: &recovered)
                    facts.isRecovering = false
                }
                if !loading.inPlace { try store.swap(facts: facts, into: &changes) }
                for id in recovered.ids { try store.refresh(id, facts: facts) }
                changes.merge(recovered)
                facts.loading = nil
                facts.cursor = Cursor(epoch: loading.epoch, revision: loading.at)
            }
            try store.set(facts)
            if page.next == nil {
                var caughtUp = LayerChanges()
                try store.forgetApplied(upTo: loading.at, into: &caughtUp)
                try store.show(caughtUp)
                changes.merge(caughtUp)
            }
            return changes
        }
    }
}

extension WritableLayer {
    fileprivate func keep(
        _ items: [SyncItem], inPlace: Bool, facts: LayerMetadata, into changes: inout LayerChanges
    ) throws {
        let nothingWaits = try !hasEntries()
        for case .record(let record, let revision) in items {
            let stored = StoredRecord(record, revision)
            guard inPlace else {
                try stage(stored)
                continue
            }
            try put(stored)
            changes.ids.insert(record.id)
            if nothingWaits {
                try show(ShownRow(record, delivery: .delivered))
            } else {
                try refresh(record.id, as: Overlay(stored, under: entries(of: record.id), facts: facts))
            }
        }
    }

    /// The staged rows take the place of the old ones; what did not change is not touched.
    private func replaceRows(facts: LayerMetadata, into changes: inout LayerChanges) throws {
        var last: Record.ID?
        while case let batch = try staged(after: last, limit: 500), !batch.isEmpty {
            for row in batch {
                let old = try record(row.id)
                guard old != row else { continue }
                try put(row)
                try refresh(row.id, as: Overlay(row, under: entries(of: row.id), facts: facts))
                changes.ids.insert(row.id)
                let ours = try ownWrite(row.id)?.revision == row.revision
                let own = facts.identity.userID.map { row.record.updatedBy == $0 } ?? false
                if old?.record != row.record, !ours, !own {
                    changes.byOthers.insert(row.id)
                    try setUnread(CollectionOfOne(row.id), true)
                }
            }
            last = batch.last?.id
        }
    }

    fileprivate func swap(facts: LayerMetadata, into changes: inout LayerChanges) throws {
        try replaceRows(facts: facts, into: &changes)
        var last: Record.ID?
        while case let batch = try records(after: last, limit: 500), !batch.isEmpty {
            for row in batch where try !isStaged(row.id) {
                try removeRecord(row.id)
                try forgetOwnWrite(row.id, upTo: row.revision)
                try refresh(row.id, as: Overlay(nil, under: entries(of: row.id), facts: facts))
                changes.ids.insert(row.id)
                changes.byOthers.insert(row.id)
            }
            last = batch.last?.id
        }
        try clearStage()
    }
}

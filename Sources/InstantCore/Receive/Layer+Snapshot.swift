package import Annotations
package import SyncProtocol

/// Snapshots: loading a whole layer page by page; each page is stored with its position.
extension Layer {
    package struct NextPage: Hashable, Sendable {
        package var after: Record.ID?
        package var at: Revision?
        package var epoch: String?

        /// If all are nil, the request is for the first page of the current state.
        package init(after: Record.ID? = nil, at: Revision? = nil, epoch: String? = nil) {
            self.after = after
            self.at = at
            self.epoch = epoch
        }
    }

    /// Returns the page to request; nil if a snapshot is complete and its cursor valid for this epoch.
    package func nextPage(epoch: String) throws -> NextPage? {
        try store.read { store in
            let metadata = try store.metadata()
            if let loading = metadata.loading, loading.epoch == epoch {
                return NextPage(after: loading.after, at: loading.at, epoch: loading.epoch)
            }
            return metadata.cursor?.epoch == epoch ? nil : NextPage()
        }
    }

    /// Restarts at the first page, because the epoch changed or the server no longer has the snapshot.
    package func restartSnapshot() throws {
        try store.write { store in
            try store.changeMetadata { ($0.loading, $0.cursor) = (nil, nil) }
            try store.clearStage()
        }
    }

    /// Applies the requested page. The last page is synced to disk together with all earlier ones.
    package func take(_ page: SnapshotPage, for asked: NextPage) throws -> LayerChanges {
        try store.write(page.next == nil ? .synced : .recoverable) { store in
            var metadata = try store.metadata()
            var changes = LayerChanges()
            for item in page.records { try item.check() }
            if let next = page.next, let after = asked.after, !after.isBefore(next) {
                throw InvalidServerData("the server's snapshot does not end")
            }
            var loading: LayerMetadata.Loading
            if asked.after != nil {
                // nil: the snapshot was abandoned while the page was in flight.
                guard let present = metadata.loading else { return changes }
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
            try store.keep(page.records, inPlace: loading.inPlace, metadata: metadata, into: &changes)
            loading.after = page.next
            metadata.loading = loading
            if page.next == nil {
                var recovered = LayerChanges()
                if metadata.isRecovering {
                    try store.recover(inPlace: loading.inPlace, metadata: metadata, into: &recovered)
                    metadata.isRecovering = false
                }
                if !loading.inPlace { try store.swap(metadata: metadata, into: &changes) }
                try store.showLeftComments(metadata: metadata)
                for id in recovered.ids { try store.refresh(id.text, metadata: metadata) }
                changes.merge(recovered)
                metadata.loading = nil
                metadata.cursor = Cursor(epoch: loading.epoch, revision: loading.at)
            }
            try store.set(metadata)
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
        _ items: [SyncItem], inPlace: Bool, metadata: LayerMetadata, into changes: inout LayerChanges
    ) throws {
        let nothingWaits = try !hasEntries()
        for case .record(let record, let revision) in items {
            let stored = StoredRecord(record, revision)
            guard inPlace else {
                try stage(stored)
                continue
            }
            try put(stored)
            changes.touch(record.id)
            if nothingWaits {
                try show(ShownRow(record, delivery: .delivered))
            } else {
                let overlay = try overlay(stored, of: record.id, metadata: metadata)
                try refresh(record.id, as: overlay, metadata: metadata)
            }
        }
    }

    /// Adds the headings of comments whose root is not in the snapshot: before its last page, the root may still arrive.
    fileprivate func showLeftComments(metadata: LayerMetadata) throws {
        for root in try rootsWithoutRow() { try refresh(root, metadata: metadata) }
    }

    /// Replaces the old rows with the staged ones; unchanged rows are not touched.
    private func replaceRows(metadata: LayerMetadata, into changes: inout LayerChanges) throws {
        var last: Record.ID?
        while case let batch = try staged(after: last, limit: 500), !batch.isEmpty {
            for row in batch {
                let old = try record(row.id)
                guard old != row else { continue }
                try put(row)
                try refresh(row.id, as: overlay(row, of: row.id, metadata: metadata), metadata: metadata)
                let ours = try ownWrite(row.id)?.revision == row.revision
                let own = metadata.identity.userID.map { row.record.updatedBy.isExactly($0) } ?? false
                let isByOthers = old?.record != row.record && !ours && !own
                changes.touch(row.id, byOthers: isByOthers)
                if isByOthers { try setUnread(CollectionOfOne(row.id), true) }
            }
            last = batch.last?.id
        }
    }

    fileprivate func swap(metadata: LayerMetadata, into changes: inout LayerChanges) throws {
        try replaceRows(metadata: metadata, into: &changes)
        var last: Record.ID?
        while case let batch = try records(after: last, limit: 500), !batch.isEmpty {
            for row in batch where try !isStaged(row.id) {
                try removeRecord(row.id)
                try forgetOwnWrite(row.id, upTo: row.revision)
                try refresh(row.id, as: overlay(nil, of: row.id, metadata: metadata), metadata: metadata)
                changes.touch(row.id, byOthers: true)
            }
            last = batch.last?.id
        }
        try clearStage()
    }
}

public import Annotations
import Authorization
public import InstantCore

/// What the program shows: answered from the local storage, quickly, on the calling thread.
extension InstantDocumentDescriptor {
    /// Connection, rights and what waits, at this moment.
    public var status: SyncStatus {
        guard let performer = try? performer(), let facts = try? performer.layer.metadata(),
            let tally = try? performer.layer.tally()
        else { return SyncStatus(connection: .lost("the local storage cannot be read")) }
        let snapshot = performer.snapshot
        let sealed = tally[.sealed, default: 0]
        let grant = snapshot.grant ?? facts.grant
        let maySend = grant?.mayWrite ?? true
        return SyncStatus(
            connection: snapshot.connection, grant: grant,
            unsent: tally[.waiting, default: 0] + (maySend ? sealed : 0),
            parked: tally[.parked, default: 0] + (maySend ? 0 : sealed), conflicts: tally[.conflict, default: 0],
            refused: tally[.refused, default: 0], isSyncing: snapshot.isSyncing, lastSync: facts.lastSync,
            clockOffset: facts.clockOffset, problem: snapshot.problem)
    }

    /// The document's title; nil when none is known.
    public var title: String? {
        guard let title = try? layer.metadata().title, !title.isEmpty else { return nil }
        return title
    }

    // MARK: Identifiers of annotations, for links, notifications and backends, and the way back

    /// The identifier by which every client and the server know an annotation.
    ///
    /// - Throws: `unmanagedAnnotation` when this layer has none like it.
    public func identifier(for annotation: Annotation) throws(InstantError) -> Record.ID {
        guard try InstantError.translating({ try layer.record(annotation.id) }) != nil else {
            throw InstantError(.unmanagedAnnotation, "this annotation is none of this layer")
        }
        return annotation.id
    }

    /// - Throws: `unmanagedDocument` for a document of another descriptor; `noSuchAnnotation`.
    public func annotation(
        with identifier: Record.ID, for document: InstantDocument
    ) throws(InstantError) -> InstantRecord {
        guard document.documentDescriptor === self else {
            throw InstantError(.unmanagedDocument, "this document belongs to another layer")
        }
        guard let record = try document.record(identifier) else {
            throw InstantError(.noSuchAnnotation, "there is no annotation \(identifier) in this layer")
        }
        return record
    }

    // MARK: What is only on this machine

    /// Everything of ours that the server has not taken, oldest first.
    public func unsentEdits() throws(InstantError) -> [UnsentEdit] {
        try InstantError.translating { try layer.outbox().map(UnsentEdit.init) }
    }

    /// Edits that lost or were refused, oldest first, with base, mine and theirs.
    public func conflicts() throws(InstantError) -> [Conflict] {
        try InstantError.translating { try layer.conflicts() }
    }
}

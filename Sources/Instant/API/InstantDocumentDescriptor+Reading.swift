public import Annotations
import Authorization
public import InstantCore

/// Data to display, read from the local storage, quickly and on the calling thread.
extension InstantDocumentDescriptor {
    /// The current connection, permissions and waiting edits.
    public var status: SyncStatus {
        guard let performer = try? performer(), let metadata = try? performer.layer.metadata(),
            let tally = try? performer.layer.tally()
        else { return SyncStatus(connection: .lost(end?.message ?? "cannot read the local storage")) }
        let snapshot = performer.snapshot
        let sealed = tally[.sealed, default: 0]
        let grant = snapshot.grant ?? metadata.grant
        let maySend = grant?.mayWrite ?? true
        let aside = tally[.parked, default: 0] > 0 ? (try? performer.layer.asideCount()) ?? 0 : 0
        return SyncStatus(
            connection: snapshot.connection, syncedBy: snapshot.syncedBy, grant: grant,
            unsent: tally[.waiting, default: 0] + (maySend ? sealed : 0),
            parked: tally[.parked, default: 0] + (maySend ? 0 : sealed), aside: aside,
            conflicts: tally[.conflict, default: 0],
            refused: tally[.refused, default: 0], isSyncing: snapshot.isSyncing, lastSync: metadata.lastSync,
            clockOffset: metadata.clockOffset, problem: snapshot.problem,
            unsentBecause: metadata.unsentBecause)
    }

    /// The document's title; nil if unknown.
    public var title: String? {
        guard let title = try? layer.metadata().title, !title.isEmpty else { return nil }
        return title
    }

    // MARK: Pages

    /// The number of pages of the document; nil before the first session, or if the server does not report it.
    public var pageCount: Int? { try? layer.metadata().pageCount }

    /// Returns the size of a page as displayed; nil if it is unknown, because ``pageCount`` is or the document has very
    /// many different sizes.
    ///
    /// - Parameter page: Zero-based.
    public func pageSize(ofPage page: Int) -> PageSize? {
        (try? layer.metadata().pageRuns)?.run(ofPage: page).map { PageSize(width: $0.width, height: $0.height) }
    }

    // MARK: Identifiers of annotations, for links, notifications and backends

    /// Returns the identifier of an annotation, which is the same for every client and the server.
    ///
    /// - Throws: `unmanagedAnnotation` if this layer does not contain it.
    public func identifier(for annotation: Annotation) throws(InstantError) -> Record.ID {
        guard try InstantError.translating({ try layer.record(annotation.id) }) != nil else {
            throw InstantError(.unmanagedAnnotation, "this annotation is not in this layer")
        }
        return annotation.id
    }

    /// Returns the annotation or comment with an identifier.
    ///
    /// - Throws: `unmanagedDocument` for a document of another descriptor; `noSuchAnnotation`.
    public func annotation(
        with identifier: Record.ID, for document: InstantDocument
    ) throws(InstantError) -> InstantRecord {
        guard document.documentDescriptor === self else {
            throw InstantError(.unmanagedDocument, "this document belongs to another layer")
        }
        guard let record = try document.record(identifier) else {
            throw InstantError(.noSuchAnnotation, "no annotation \(identifier) in this layer")
        }
        return record
    }

    // MARK: Edits that exist only on this machine

    /// Returns all local edits that the server has not accepted, oldest first.
    public func unsentEdits() throws(InstantError) -> [UnsentEdit] {
        try InstantError.translating { try layer.outbox().map(UnsentEdit.init) }
    }

    /// Returns what the other stores of this layer contain that the server has not accepted, and what cannot be read in
    /// them. Other processes use these stores, or have left them.
    package func unsentInOtherStores() throws(InstantError) -> LayerLosses {
        stores.unsent(besides: try performer().open.folder)
    }

    /// Returns a record as each store of this layer has it, with waiting edits applied: the store in use, and those that
    /// other processes use or have left.
    package func copies(of id: Record.ID) -> [Record] {
        guard let open = try? performer().open else { return [] }
        let mine = (try? open.layer.record(id)).map { [$0] } ?? []
        return mine + stores.otherCopies(of: id, besides: open.folder)
    }

    /// Returns the conflicting and refused edits, oldest first, with the base and both versions.
    public func conflicts() throws(InstantError) -> [Conflict] {
        try InstantError.translating { try layer.conflicts() }
    }
}

/// The size of a page, in points (1/72 inch).
public struct PageSize: Hashable, Sendable {
    public var width: Double
    public var height: Double

    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}

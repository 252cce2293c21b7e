import Annotations
import EngineCore
import PDFPages
import SyncProtocol

// Reading what a file and its layer have.
extension OwnFiles {
    /// The records as the file has them and as the layer has them, by the layer's ids, at one revision.
    struct Versions: Sendable {
        var base: [Record] = []
        var mine: [Record] = []
        var revision: Revision = 0
        var pages: [PageFrame] = []
    }

    /// A file's state, and its records at the revision of that state. An edit between reading one and reading the other
    /// would count as written although the file does not have it.
    struct Moment: Sendable {
        let state: OwnFileState
        let versions: Versions

        fileprivate init?(_ state: OwnFileState, _ versions: Versions) {
            guard versions.revision == state.revision else { return nil }
            (self.state, self.versions) = (state, versions)
        }
    }

    /// Reads state and layer at one moment.
    func moment(of file: OwnFile) async throws -> Moment {
        while true {
            try await file.journal.pass { try await catchUp(file) }
            if let moment = try await currentMoment(of: file) { return moment }
        }
    }

    /// Reads state and layer at one moment. Call it while holding the journal.
    ///
    /// - Returns: nil if an edit came in between.
    func momentInJournal(of file: OwnFile) async throws -> Moment? {
        try await catchUp(file)
        return try await currentMoment(of: file)
    }

    private func currentMoment(of file: OwnFile) async throws -> Moment? {
        let state = file.state
        if let body = betweenReads.withLock({ $0 }) { try await body() }
        return Moment(state, try await versions(of: state, file.key))
    }

    private func versions(of state: OwnFileState, _ key: LayerKey) async throws -> Versions {
        let rows = state.rows
        return try await engine.read { store in
            let document = try BackendAPI.document(key.document, in: store)
            let layer = try BackendAPI.layer(key, in: store)
            var versions = Versions(revision: layer.head, pages: document.pages.map(\.frame))
            try Self.visit(Self.original(of: layer), in: store) { record in
                if rows[ByteOrdered(record.id)] == nil { versions.base.append(record) }
            }
            versions.base += rows.values.compactMap(\.base)
            versions.base.sort { Self.isBefore($0, $1) }
            try Self.visit(layer, in: store) { versions.mine.append($0) }
            return versions
        }
    }

    private static func visit(_ layer: ServerLayer, in store: any StoreReading, _ body: (Record) -> Void) throws {
        var last: Record.ID?
        while case let rows = try store.live(in: layer, after: last, limit: 500), !rows.isEmpty {
            for row in rows { body(row.record) }
            last = rows.last?.id
        }
    }

    /// An order that does not depend on the order of a dictionary; annotations before comments.
    private static func isBefore(_ one: Record, _ other: Record) -> Bool {
        let (first, second) = (one.contentType == .comments, other.contentType == .comments)
        return first == second ? ByteOrdered(one.id) < ByteOrdered(other.id) : second
    }
}

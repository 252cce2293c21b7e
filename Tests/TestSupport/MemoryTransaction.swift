import Annotations
import Authorization
import EngineCore
import SyncProtocol

/// One transaction over a memory store: reads and writes its own copy of the state.
final class MemoryTransaction: StoreWriting {
    private(set) var state: MemoryState
    /// Whether the indexes tell less than the rows do, as damaged ones can: no row is left out.
    private let hasBadIndexes: Bool

    init(_ state: MemoryState, hasBadIndexes: Bool = false) {
        (self.state, self.hasBadIndexes) = (state, hasBadIndexes)
    }

    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        let before = state
        do { return try body() } catch {
            state = before
            throw error
        }
    }

    // MARK: Documents

    func document(_ id: String) throws -> ServerDocument? { state.documents[ByteOrdered(id)] }

    func documents(_ query: DocumentQuery) throws -> [ServerDocument] {
        let found = matching(query).sorted { one, other in
            let key = (ByteOrdered(one.title), ByteOrdered(other.title))
            if query.order == .title, key.0 != key.1 { return (key.0 < key.1) != query.descending }
            if query.order == .createdAt, one.createdAt != other.createdAt {
                return (one.createdAt < other.createdAt) != query.descending
            }
            return (ByteOrdered(one.id) < ByteOrdered(other.id)) != query.descending
        }
        return Array(found.dropFirst(query.offset).prefix(query.limit))
    }

    func documentCount(_ query: DocumentQuery) throws -> Int { matching(query).count }

    func isPDFUsed(_ sha256: String) throws -> Bool {
        state.documents.values.contains { $0.files.contains { $0.sha256 == sha256 } }
    }

    private func matching(_ query: DocumentQuery) -> [ServerDocument] {
        guard let title = query.title.map(Self.folded) else { return Array(state.documents.values) }
        return state.documents.values.filter { Self.folded($0.title).contains(title) }
    }

    private static func folded(_ text: String) -> [UInt8] {
        text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 }
    }

    func put(_ document: ServerDocument) throws {
        if let old = try self.document(document.id), old.base != document.base {
            state.unusedBases[old.base] = .startOfTime
        }
        state.unusedBases[document.base] = nil
        state.documents[ByteOrdered(document.id)] = document
    }

    func unusedSince(_ base: Int64) throws -> Timestamp? { state.unusedBases[base] }

    func unusedBases(before moment: Timestamp) throws -> [Int64] {
        state.unusedBases.filter { $0.value < moment }.keys.sorted()
    }

    func addBase(at moment: Timestamp) throws -> Int64 {
        state.lastBase += 1
        state.bases[state.lastBase] = []
        state.unusedBases[state.lastBase] = moment
        return state.lastBase
    }

    func add(_ records: [Record], toBase base: Int64) throws { state.bases[base, default: []] += records }

    func removeBase(_ base: Int64, limit: Int) throws -> Int {
        guard state.unusedBases[base] != nil else { return 0 }
        state.unusedBases[base] = .startOfTime
        let records = state.bases[base] ?? []
        state.bases[base] = Array(records.dropFirst(limit))
        if records.count < limit { (state.bases[base], state.unusedBases[base]) = (nil, nil) }
        return min(records.count, limit)
    }

    func removeDocument(_ id: String, at moment: Timestamp) throws {
        guard let document = state.documents.removeValue(forKey: ByteOrdered(id)) else { return }
        state.unusedBases[document.base] = .startOfTime
        try noteDeletion(of: .whole(id), at: moment)
        state.attachments[ByteOrdered(id)] = nil
        for layer in state.layers.values where ByteOrdered(layer.layer.key.document) == ByteOrdered(id) {
            try removeLayer(layer.layer, at: moment)
        }
    }

    // MARK: Layers

    func layer(_ key: LayerKey) throws -> ServerLayer? { key.isHidden ? nil : try find(key) }

    func hiddenLayer(_ key: LayerKey) throws -> ServerLayer? { key.isHidden ? try find(key) : nil }

    private func find(_ key: LayerKey) throws -> ServerLayer? {
        guard let id = state.layerIDs[MemoryState.Key(key)], var layer = state.layers[id]?.layer,
            let document = try document(key.document)
        else { return nil }
        layer.base = document.base
        layer.pageCount = document.pages.count
        return layer
    }

    func layers(_ keys: [LayerKey]) throws -> [ServerLayer] { try keys.compactMap(layer) }

    func layers() throws -> [LayerKey] {
        state.layers.values.sorted { $0.layer.id < $1.layer.id }.map(\.layer.key).filter { !$0.isHidden }
    }

    func hiddenLayers() throws -> [HiddenLayer] {
        state.layers.values.map { HiddenLayer(id: $0.layer.id, key: $0.layer.key) }.filter(\.key.isHidden)
            .sorted { $0.id < $1.id }
    }

    func layerNames(of document: String) throws -> [String] {
        state.layers.values.map(\.layer.key)
            .filter { ByteOrdered($0.document) == ByteOrdered(document) && !$0.isHidden }
            .map { ByteOrdered($0.name) }.sorted().map(\.text)
    }

    func deletion(of key: LayerKey) throws -> Timestamp? { state.deletions[MemoryState.Key(key)] }

    func addLayer(_ key: LayerKey, generation: String) throws -> ServerLayer {
        guard let document = try document(key.document) else { throw MemoryStoreError.noSuchDocument }
        guard state.layerIDs[MemoryState.Key(key)] == nil else { throw MemoryStoreError.layerExists }
        state.lastLayer += 1
        let layer = ServerLayer(
            id: state.lastLayer, key: key, generation: generation, base: document.base,
            pageCount: document.pages.count)
        state.layers[layer.id] = MemoryState.Layer(layer: layer)
        state.layerIDs[MemoryState.Key(key)] = layer.id
        return layer
    }

    func move(_ layer: ServerLayer, to key: LayerKey) throws {
        guard state.layerIDs[MemoryState.Key(key)] == nil else { throw MemoryStoreError.layerExists }
        try change(layer) { $0.layer.key = key }
        state.layerIDs[MemoryState.Key(layer.key)] = nil
        state.layerIDs[MemoryState.Key(key)] = layer.id
    }

    func removeLayer(_ layer: ServerLayer, at moment: Timestamp) throws {
        guard !layer.key.document.isEmpty else { return }
        try move(layer, to: .removed(layer.id))
        if !layer.key.isHidden { try noteDeletion(of: layer.key, at: moment) }
    }

    func noteDeletion(of key: LayerKey, at moment: Timestamp) throws {
        let key = MemoryState.Key(key)
        state.deletions[key] = max(moment, state.deletions[key] ?? moment)
    }

    /// Removes up to `limit` rows. The layer's clients and their answers are removed with the last row and are not
    /// counted.
    func removeRows(ofLayer id: Int64, limit: Int) throws -> Int {
        guard var layer = state.layers[id], layer.layer.key.document.isEmpty else { return 0 }
        let records = layer.records.keys.sorted().prefix(limit)
        for record in records { layer.records[record] = nil }
        let departures = min(limit - records.count, layer.departures.count)
        layer.departures.removeFirst(departures)
        state.layers[id] = layer
        if records.count + departures < limit {
            state.layers[id] = nil
            state.layerIDs[MemoryState.Key(layer.layer.key)] = nil
        }
        return records.count + departures
    }

    func setHead(_ head: Revision, of layer: ServerLayer) throws { try change(layer) { $0.layer.head = head } }

    func restoredGenerations(of layer: ServerLayer) throws -> [LineageEntry] { state.layers[layer.id]?.lineage ?? [] }

    func renew(_ layer: ServerLayer, generation: String, at moment: Timestamp) throws {
        try change(layer) {
            let head = $0.layer.head
            $0.lineage.append(
                LineageEntry(generation: $0.layer.generation, head: head, at: moment, ending: .restored))
            $0.lineage = $0.lineage.suffix(LineageEntry.maxCount)
            $0.layer.generation = generation
            ($0.clients, $0.answers) = ([:], [:])
        }
    }

    private func change(_ layer: ServerLayer, _ body: (inout MemoryState.Layer) -> Void) throws {
        guard state.layers[layer.id] != nil else { throw MemoryStoreError.noSuchLayer(layer.id) }
        body(&state.layers[layer.id]!)
    }

    // MARK: Records

    func record(_ id: Record.ID, in layer: ServerLayer) throws -> ServerRecord? {
        if let own = state.layers[layer.id]?.records[ByteOrdered(id)] { return own }
        return base(layer).first { ByteOrdered($0.id) == ByteOrdered(id) }.map(ServerRecord.init(base:))
    }

    func subject(of id: Record.ID, in layer: ServerLayer) throws -> Subject? { try record(id, in: layer)?.subject }

    func live(in layer: ServerLayer, after id: Record.ID?, limit: Int) throws -> [ServerRecord] {
        let rows = overlaid(layer).filter { row in id.map { ByteOrdered($0) < ByteOrdered(row.id) } ?? true }
        return Array(rows.prefix(limit))
    }

    func visitLive(
        in layer: ServerLayer, after id: Record.ID?, where isVisible: ((Subject) -> Bool)?,
        _ visit: (LiveRow) throws -> Bool
    ) throws {
        try visitPages(in: layer, after: id) { row in
            if !hasBadIndexes, let isVisible, try !isVisible(row.subject()) { return true }
            return try visit(row)
        }
    }

    func marks(
        in layer: ServerLayer, after id: Record.ID?, limit: Int, where isVisible: ((Subject) -> Bool)?
    ) throws -> [RecordMark] {
        let live = try live(in: layer, after: id, limit: .max)
            .filter { hasBadIndexes || isVisible?($0.subject) ?? true }
        return live.prefix(limit).map { RecordMark(id: $0.id, revision: $0.revision, subject: $0.subject) }
    }

    func changed(in layer: ServerLayer, after revision: Revision, limit: Int) throws -> [ServerRecord] {
        let rows = (state.layers[layer.id]?.records.values).map(Array.init) ?? []
        return Array(rows.filter { $0.revision > revision }.sorted { $0.revision < $1.revision }.prefix(limit))
    }

    func departures(in layer: ServerLayer, after revision: Revision, limit: Int) throws -> [Departure] {
        let rows = state.layers[layer.id]?.departures ?? []
        return Array(rows.filter { $0.revision > revision }.sorted { $0.revision < $1.revision }.prefix(limit))
    }

    func thread(of root: Record.ID, in layer: ServerLayer) throws -> [ServerRecord] {
        overlaid(layer).filter { row in row.rootID.map { ByteOrdered($0) == ByteOrdered(root) } ?? false }
    }

    func marks(ofThread root: Record.ID, in layer: ServerLayer) throws -> [RecordMark] {
        try thread(of: root, in: layer).map { RecordMark(id: $0.id, revision: $0.revision, subject: $0.subject) }
    }

    func cascade(of revision: Revision, in layer: ServerLayer) throws -> [ServerRecord] {
        try changed(in: layer, after: 0, limit: .max).filter { $0.removal?.cascade == revision }
    }

    private func base(_ layer: ServerLayer) -> [Record] { state.bases[layer.base] ?? [] }

    /// Returns live rows in id order.
    private func overlaid(_ layer: ServerLayer) -> [ServerRecord] {
        let own = state.layers[layer.id]?.records ?? [:]
        let beneath = base(layer).filter { own[ByteOrdered($0.id)] == nil }.map(ServerRecord.init(base:))
        return (own.values.filter(\.isLive) + beneath).sorted { ByteOrdered($0.id) < ByteOrdered($1.id) }
    }

    func put(_ record: ServerRecord, in layer: ServerLayer) throws {
        try change(layer) { $0.records[ByteOrdered(record.id)] = record }
    }

    func add(_ departure: Departure, in layer: ServerLayer) throws {
        try change(layer) { $0.departures.append(departure) }
    }

    func prune(_ layer: ServerLayer, before moment: Timestamp) throws {
        let base = Set(base(layer).map { ByteOrdered($0.id) })
        let roots = Set(overlaid(layer).compactMap { $0.rootID.map(ByteOrdered.init) })
        try change(layer) { layer in
            let removed = layer.records.values.filter { ($0.removal?.at).map { $0 < moment } ?? false }
            let left = layer.departures.filter { $0.at < moment }
            let horizon = (removed.map(\.revision) + left.map(\.revision)).max() ?? 0
            layer.layer.horizon = max(layer.layer.horizon, horizon)
            for id in removed.map({ ByteOrdered($0.id) }) where !base.contains(id) && !roots.contains(id) {
                layer.records[id] = nil
            }
            layer.departures.removeAll { $0.at < moment }
        }
    }

    // MARK: Attachments

    func attachment(_ id: AttachmentID, of document: String) throws -> StoredAttachment? {
        state.attachments[ByteOrdered(document)]?[id]
    }

    func attachments(of document: String) throws -> [StoredAttachment] {
        (state.attachments[ByteOrdered(document)] ?? [:]).values.sorted { $0.id < $1.id }
    }

    func unnamedAttachments(before moment: Timestamp, limit: Int) throws -> [StoredAttachment] {
        let old = state.attachments.values.flatMap(\.values).filter { $0.at < moment }
        return Array(
            old.filter { attachment in
                !state.layers.values.contains { layer in
                    ByteOrdered(layer.layer.key.document) == ByteOrdered(attachment.document)
                        && layer.records.values.contains { $0.record.content.attachmentID == attachment.id }
                } && !(base(of: attachment.document).contains { $0.content.attachmentID == attachment.id })
            }.sorted { $0.id < $1.id }.prefix(limit))
    }

    func isAttachmentKept(_ id: AttachmentID) throws -> Bool { state.attachments.values.contains { $0[id] != nil } }

    func marks(naming id: AttachmentID, in layer: ServerLayer) throws -> [RecordMark] {
        let own = state.layers[layer.id]?.records ?? [:]
        let base = (state.bases[layer.base] ?? []).filter { own[ByteOrdered($0.id)] == nil }
        return (own.values + base.map(ServerRecord.init(base:)))
            .filter { $0.isLive && $0.record.content.attachmentID == id }
            .sorted { ByteOrdered($0.id) < ByteOrdered($1.id) }
            .map { RecordMark(id: $0.id, revision: $0.revision, subject: $0.subject) }
    }

    private func base(of document: String) -> [Record] {
        state.documents[ByteOrdered(document)].flatMap { state.bases[$0.base] } ?? []
    }

    func put(_ attachment: StoredAttachment) throws {
        state.attachments[ByteOrdered(attachment.document), default: [:]][attachment.id] = attachment
    }

    func removeAttachment(_ id: AttachmentID, of document: String) throws {
        state.attachments[ByteOrdered(document)]?[id] = nil
        for layer in state.layers.values where ByteOrdered(layer.layer.key.document) == ByteOrdered(document) {
            state.layers[layer.layer.id]?.uploads[id] = nil
        }
    }

    func isUploaded(_ id: AttachmentID, by user: String?, in layer: ServerLayer) throws -> Bool {
        state.layers[layer.id]?.uploads[id]?.contains(ByteOrdered(user ?? "")) ?? false
    }

    func addUpload(of id: AttachmentID, by user: String?, in layer: ServerLayer) throws {
        try change(layer) { _ = $0.uploads[id, default: []].insert(ByteOrdered(user ?? "")) }
    }

    // MARK: Clients and tokens

    func client(_ id: String, in layer: ServerLayer) throws -> StoredClient? { state.layers[layer.id]?.clients[id] }

    func answer(_ n: Int64, to client: String, in layer: ServerLayer) throws -> StoredAnswer? {
        state.layers[layer.id]?.answers[client]?[n]
    }

    func put(_ client: StoredClient, in layer: ServerLayer) throws {
        try change(layer) { $0.clients[client.id] = client }
    }

    func put(_ answer: StoredAnswer, to client: String, in layer: ServerLayer) throws {
        try change(layer) { $0.answers[client, default: [:]][answer.n] = answer }
    }

    func removeAnswers(upTo n: Int64, to client: String, in layer: ServerLayer) throws {
        try change(layer) { layer in layer.answers[client] = layer.answers[client]?.filter { $0.key > n } }
    }

    func isRevoked(tokenID: String) throws -> Bool { state.revoked[ByteOrdered(tokenID)] != nil }

    func revoke(tokenID: String, until expiry: Timestamp) throws {
        state.revoked[ByteOrdered(tokenID), default: expiry] = max(
            expiry, state.revoked[ByteOrdered(tokenID)] ?? expiry)
    }

    func removeRevocations(before moment: Timestamp) throws {
        state.revoked = state.revoked.filter { $0.value >= moment }
    }
}

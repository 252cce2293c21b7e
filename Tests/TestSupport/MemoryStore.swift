import Annotations
package import InstantCore
import SyncProtocol
import Synchronization

/// A local store that loses its data when the process ends: for tests and the simulator, and as the simplest statement
/// of the contract.
package final class MemoryStore: LocalStore {
    private let kept: Mutex<Kept>
    /// The state after the last synced transaction.
    private let synced: Mutex<Kept>

    package init(_ metadata: LayerMetadata) {
        kept = Mutex(Kept(metadata: metadata))
        synced = Mutex(Kept(metadata: metadata))
    }

    package func read<T>(_ body: (any StoredLayer) throws -> T) throws -> T {
        let copy = kept.withLock { $0 }
        return try body(MemoryLocalTransaction(copy))
    }

    /// Simulates a power failure: unsynced data is lost.
    package func losePower() {
        let synced = synced.withLock { $0 }
        kept.withLock { $0 = synced }
    }

    package func write<T>(_ durability: Durability, _ body: (any WritableLayer) throws -> T) throws -> T {
        // The body's result may have any type, so a variable carries it out of the lock, not the lock's return value.
        var result: Result<T, any Error>?
        kept.withLock { kept in
            let transaction = MemoryLocalTransaction(kept)
            result = Result { try body(transaction) }
            guard case .success = result else { return }
            kept = transaction.kept
            if durability == .synced { synced.withLock { $0 = transaction.kept } }
        }
        guard let result else { throw LocalStoreError.failed(path: "memory", "the transaction did not run") }
        return try result.get()
    }

    struct Kept: Sendable {
        var metadata: LayerMetadata
        var records: [ByteOrdered: StoredRecord] = [:]
        var outbox: [OutboxEntry] = []
        var nextSeq: Int64 = 1
        var own: [ByteOrdered: OwnWrite] = [:]
        var shown: [ByteOrdered: ShownRow] = [:]
        /// In lower case.
        var quotes: [ByteOrdered: String] = [:]
        var stage: [ByteOrdered: StoredRecord] = [:]
    }
}

/// A copy that becomes the store's state when its body succeeds.
final class MemoryLocalTransaction: WritableLayer {
    var kept: MemoryStore.Kept

    init(_ kept: MemoryStore.Kept) { self.kept = kept }

    func metadata() -> LayerMetadata { kept.metadata }
    func set(_ metadata: LayerMetadata) { kept.metadata = metadata }
    func moveCursor(to revision: Revision) { kept.metadata.cursor?.revision = revision }
    func setLastN(_ n: Int64) { kept.metadata.lastN = n }

    func record(_ id: Record.ID) -> StoredRecord? { kept.records[ByteOrdered(id)] }
    func records(after id: Record.ID?, limit: Int) -> [StoredRecord] {
        Self.page(kept.records, after: id, limit: limit)
    }
    func put(_ record: StoredRecord) { kept.records[ByteOrdered(record.id)] = record }
    func removeRecord(_ id: Record.ID) { kept.records[ByteOrdered(id)] = nil }

    func hasEntries() -> Bool { !kept.outbox.isEmpty }
    func entries(of id: Record.ID) -> [OutboxEntry] { kept.outbox.filter { $0.id.isExactly(id) } }
    func entries(in stages: Set<OutboxEntry.Stage>, limit: Int) -> [OutboxEntry] {
        Array(kept.outbox.lazy.filter { stages.contains($0.stage) }.prefix(limit))
    }
    func entries(takingRoot root: Record.ID) -> [OutboxEntry] { kept.outbox.filter { $0.takenRoot.isExactly(root) } }
    func entry(_ seq: Int64) -> OutboxEntry? { kept.outbox.first { $0.seq == seq } }
    func asideCount() -> Int { kept.outbox.count { $0.stage == .parked && $0.isAside } }
    func tally() -> [OutboxEntry.Stage: Int] { kept.outbox.reduce(into: [:]) { $0[$1.stage, default: 0] += 1 } }
    func append(_ entry: OutboxEntry) -> OutboxEntry {
        var entry = entry
        entry.seq = kept.nextSeq
        kept.nextSeq += 1
        kept.outbox.append(entry)
        return entry
    }
    func replace(_ entry: OutboxEntry) {
        if let index = kept.outbox.firstIndex(where: { $0.seq == entry.seq }) { kept.outbox[index] = entry }
    }
    func mark(_ seq: Int64, _ state: OutboxEntry.State) {
        guard let index = kept.outbox.firstIndex(where: { $0.seq == seq }) else { return }
        kept.outbox[index].state = state
        // Stored with the state, as in a database.
        (kept.outbox[index].wasSent, kept.outbox[index].isAside) = (false, false)
    }
    func removeEntry(_ seq: Int64) { kept.outbox.removeAll { $0.seq == seq } }
    func ownWrite(_ id: Record.ID) -> OwnWrite? { kept.own[ByteOrdered(id)] }
    func ownWrites(after id: Record.ID?, limit: Int) -> [OwnWrite] { Self.page(kept.own, after: id, limit: limit) }
    func note(_ write: OwnWrite) { kept.own[ByteOrdered(write.id)] = write }
    func forgetOwnWrite(_ id: Record.ID) { kept.own[ByteOrdered(id)] = nil }
    func forgetOwnWrites() { kept.own = [:] }

    func digest() -> ViewDigest {
        kept.records.values.reduce(into: ViewDigest()) { $0.add($1.id, $1.revision) }
    }

    func stage(_ record: StoredRecord) { kept.stage[ByteOrdered(record.id)] = record }
    func clearStage() { kept.stage = [:] }
    func isStaged(_ id: Record.ID) -> Bool { kept.stage[ByteOrdered(id)] != nil }
    func stagedRecord(_ id: Record.ID) -> StoredRecord? { kept.stage[ByteOrdered(id)] }
    func staged(after id: Record.ID?, limit: Int) -> [StoredRecord] { Self.page(kept.stage, after: id, limit: limit) }

    private static func page<Row>(_ rows: [ByteOrdered: Row], after id: Record.ID?, limit: Int) -> [Row] {
        let ids = rows.keys.sorted().drop { key in id.map { ByteOrdered($0) >= key } ?? false }
        return ids.prefix(limit).compactMap { rows[$0] }
    }
}

extension MemoryLocalTransaction {
    func show(_ row: ShownRow) {
        var row = row
        let id = ByteOrdered(row.row.id)
        let before = kept.shown[id]?.row
        row.row.isUnread = before?.isUnread ?? false
        let stays =
            before?.pageIndex == row.row.pageIndex && before?.box == row.row.box && before?.rects == row.row.rects
        if !stays { kept.quotes[id] = nil }
        kept.shown[id] = row
    }
    func hide(_ id: Record.ID) -> Record.ID? {
        kept.quotes[ByteOrdered(id)] = nil
        return kept.shown.removeValue(forKey: ByteOrdered(id))?.root
    }
    func setQuotes(_ words: [ByteOrdered: String]) {
        for (id, words) in words where kept.shown[id] != nil { kept.quotes[id] = words.searchForm }
    }
    func forgetQuotes() { kept.quotes = [:] }
    func pagesToQuote() -> [Int] { Set(unquoted.compactMap(\.row.pageIndex)).sorted() }
    func rowsToQuote(onPage page: Int) -> [ListRow] {
        unquoted.filter { $0.row.pageIndex == page }.sorted { ListQuery.Order.page.puts($0.row, before: $1.row) }
            .map(withReplies)
    }
    private var unquoted: [ShownRow] {
        kept.shown.values.filter { !$0.isComment && $0.row.kind.isMarkup && kept.quotes[ByteOrdered($0.row.id)] == nil }
    }
    func setUnread(_ ids: some Sequence<Record.ID>, _ unread: Bool) {
        for id in ids { kept.shown[ByteOrdered(id)]?.row.isUnread = unread }
    }
    func setRead(_ query: ListQuery, limit: Int) -> Int {
        var query = query
        query.filter.unreadOnly = true
        let ids = rows(query, offset: 0, limit: limit, of: nil).map(\.id)
        setUnread(ids, false)
        return ids.count
    }
    func mentions(of user: String) -> [MentioningComment] {
        kept.shown.values.compactMap { shown in
            guard let root = shown.root, shown.search.containsBytes(of: ShownRow.mark(ofMentioned: user)) else {
                return nil
            }
            return MentioningComment(id: shown.row.id, root: root, isUnread: shown.row.isUnread)
        }
    }
    func people() -> [RecordCreator] {
        let rows = kept.shown.values.map(\.row).filter { $0.createdBy != nil }
        let users = Dictionary(grouping: rows) { ByteOrdered($0.createdBy ?? "") }
        return users.sorted { $0.value.count != $1.value.count ? $0.value.count > $1.value.count : $0.key < $1.key }
            .prefix(RecordCreator.maxCount).map { user, rows in
                RecordCreator(userID: user.text, name: Self.counted(rows.compactMap(\.author), \.self).first?.value)
            }
    }
    func unreadCount() -> Int {
        kept.shown.values.count { $0.row.isUnread && [.list, .heading].contains($0.place) }
    }

    func facets() -> ListFacets {
        let rows = matching(ListFilter()).map(\.row)
        return ListFacets(
            kinds: Self.counted(rows.map(\.kind), \.type), authors: Self.counted(rows.compactMap(\.author), \.self),
            groups: Self.counted(rows.compactMap(\.group), \.self))
    }

    private static func counted<Value>(_ values: [Value], _ name: (Value) -> String) -> [ListFacets.Facet<Value>] {
        let counts = values.reduce(into: [Value: Int]()) { $0[$1, default: 0] += 1 }
        let facets = counts.map { ListFacets.Facet($0, $1) }.sorted {
            $0.count != $1.count ? $0.count > $1.count : name($0.value).isBefore(name($1.value))
        }
        return Array(facets.prefix(ListFacets.maxRows))
    }

    func row(_ id: Record.ID) -> ListRow? { kept.shown[ByteOrdered(id)].map(withReplies) }

    func count(_ query: ListQuery) -> Int { matching(query.filter).count }
    func counts(_ query: ListQuery, before id: Record.ID?) -> ListCounts {
        var counts = ListCounts(
            matching: count(query), all: count(ListQuery(filter: query.filter.withoutSearch)), unread: unreadCount(),
            position: id.flatMap { position(of: $0, in: query) })
        if query.filter.resolved == false {
            var resolved = ListFilter()
            resolved.resolved = true
            counts.resolvedHidden = matching(resolved).count
        }
        if query.filter.hidesFurniture {
            let kinds = kept.shown.values.filter { $0.place == .hidden }.map(\.row.kind)
            counts.hidden = Self.counted(kinds, \.type)
        }
        return counts
    }
    func rows(_ query: ListQuery, offset: Int, limit: Int, of total: Int?) -> [ListRow] {
        let sorted = matching(query.filter).sorted { query.order.puts($0.row, before: $1.row) }
        return sorted.dropFirst(max(0, offset)).prefix(max(0, limit)).map(withReplies)
    }
    func position(of id: Record.ID, in query: ListQuery) -> Int? {
        matching(query.filter).sorted { query.order.puts($0.row, before: $1.row) }.firstIndex {
            $0.row.id.isExactly(id)
        }
    }
    func rows(onPage page: Int) -> [ListRow] {
        var filter = ListFilter()
        filter.pageIndex = page
        filter.recordsOnly = true
        let rows = rows(ListQuery(order: .page, filter: filter), offset: 0, limit: .max, of: nil)
        return rows.map { row in
            kept.records[ByteOrdered(row.id)].flatMap { row.standing(on: page, as: $0.record.content) } ?? row
        }.sortedOnPage
    }

    /// Whether an annotation stands on a page, by its row or by what the PDF says.
    private func isOn(_ page: Int?, _ row: ListRow) -> Bool {
        guard let page else { return true }
        return row.pageIndex == page
            || kept.records[ByteOrdered(row.id)].flatMap { row.standing(on: page, as: $0.record.content) } != nil
    }
    func thread(under root: Record.ID) -> [Record.ID] {
        kept.shown.values.filter { $0.root.isExactly(root) }.sorted {
            let one = $0.createdAt?.milliseconds ?? .min
            let other = $1.createdAt?.milliseconds ?? .min
            return one != other ? one < other : $0.row.id.isBefore($1.row.id)
        }.map(\.row.id)
    }

    func threadSummary(under root: Record.ID) -> ThreadSummary? {
        let rows = kept.shown.values.filter { $0.root.isExactly(root) }.map(\.row)
        guard !rows.isEmpty else { return nil }
        return ThreadSummary(
            pageIndex: rows.compactMap(\.pageIndex).min(),
            changedAt: rows.compactMap(\.changedAt).max { $0.milliseconds < $1.milliseconds })
    }
    func rootsWithoutRow() -> [Record.ID] {
        Set(kept.shown.values.compactMap { $0.root.map(ByteOrdered.init) }).filter { kept.shown[$0] == nil }.map(\.text)
    }
    func isAnnotationShown(_ id: Record.ID) -> Bool {
        kept.shown[ByteOrdered(id)].map { [.list, .hidden].contains($0.place) } ?? false
    }

    func root(ofShown id: Record.ID) -> Record.ID? { kept.shown[ByteOrdered(id)]?.root }

    private func matching(_ filter: ListFilter) -> [ShownRow] {
        let text = filter.text.searchForm
        let fuzzy = filter.fuzzy.map(\.searchForm)
        return kept.shown.values.filter { shown in
            let places =
                [shown.search] + (filter.inQuotes ? kept.quotes[ByteOrdered(shown.row.id)].map { [$0] } ?? [] : [])
            return
                (text.isEmpty || places.contains { $0.containsBytes(of: text) }
                || filter.inComments && isSaid(text, under: shown.row.id))
                && fuzzy.allSatisfy { letters in places.contains { $0.containsInOrder(letters) } }
        }.filter {
            $0.place != .none && (!filter.hidesFurniture || $0.place != .hidden)
                && (filter.kinds.isEmpty || filter.kinds.contains($0.row.kind))
                && (filter.author == nil || filter.author == $0.row.author)
                && (filter.group == nil || filter.group == $0.row.groupKey)
                && isOn(filter.pageIndex, $0.row)
                && (filter.excluded.isEmpty || !isLeftOut($0, filter))
                && (!filter.unreadOnly || $0.row.isUnread)
                && (!filter.pendingOnly || $0.row.delivery != .delivered)
                && (!filter.recordsOnly || !$0.row.isDeletedRoot)
                && (filter.resolved == nil || filter.resolved == withReplies($0).isResolved)
                && (filter.states.isEmpty || withReplies($0).review.map(filter.states.contains) == true)
                && (!filter.headsOnly || !isPart($0))
                && (filter.mentions == nil || isMentioning(filter.mentions ?? "", $0.row.id))
        }
    }

    private func isLeftOut(_ shown: ShownRow, _ filter: ListFilter) -> Bool {
        let (excluded, row) = (filter.excluded, shown.row)
        let places = [shown.search] + (filter.inQuotes ? kept.quotes[ByteOrdered(row.id)].map { [$0] } ?? [] : [])
        return excluded.kinds.contains(row.kind) || excluded.authors.contains(row.author ?? "")
            || excluded.groups.contains(row.groupKey) || row.pageIndex.map(excluded.pages.contains) == true
            || excluded.words.contains { word in
                places.contains { $0.containsBytes(of: word.searchForm) }
                    || filter.inComments && isSaid(word.searchForm, under: row.id)
            }
    }

    private func isSaid(_ words: String, under root: Record.ID) -> Bool {
        kept.shown.values.contains { $0.root.isExactly(root) && $0.search.containsBytes(of: words) }
    }

    private func isMentioning(_ user: String, _ root: Record.ID) -> Bool {
        mentions(of: user).contains { $0.root.isExactly(root) }
    }

    private func isPart(_ shown: ShownRow) -> Bool {
        guard let head = shown.row.head.flatMap({ kept.shown[ByteOrdered($0)] }) else { return false }
        return !head.isComment && !head.row.isDeletedRoot && head.row.head == nil
    }

    private func withReplies(_ shown: ShownRow) -> ListRow {
        var row = shown.row
        let states = thread(under: row.id).compactMap { kept.shown[ByteOrdered($0)]?.state }
        row.states = states.count
        row.review = states.last { $0.model == .review }
        row.replies = kept.shown.values.count { $0.root.isExactly(row.id) }
        return row
    }
}

extension String {
    /// Whether the scalars of another text occur in it in the same order, with any others between them.
    func containsInOrder(_ other: String) -> Bool {
        var wanted = other.unicodeScalars[...]
        for scalar in unicodeScalars where scalar == wanted.first { wanted.removeFirst() }
        return wanted.isEmpty
    }

    func containsBytes(of other: String) -> Bool {
        let (text, sought) = (Array(utf8), Array(other.utf8))
        guard !sought.isEmpty else { return true }
        guard text.count >= sought.count else { return false }
        return (0...(text.count - sought.count)).contains { start in
            text[start] == sought[0] && text[start..<(start + sought.count)].elementsEqual(sought)
        }
    }
}

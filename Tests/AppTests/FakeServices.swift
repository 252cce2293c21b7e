import Annotations
import App
import Authorization
import InstantCore
import PDFPages
import PageLayout
import Screen

/// In-memory services: a layer with records, a PDF with pages, and events that a test triggers. They respond at once,
/// in the order of the requests.
final class FakeServices: AppServices {
    var entries: [LibraryEntry] = []
    var opened = OpenedLayer(reference: .hotos, title: "hotos17", status: .live(), hasPDF: true, author: "me")
    var records: [Record] = []
    var unread: Set<Record.ID> = []
    /// Unread comments that name the user.
    var mentions = 0
    var delivery: [Record.ID: DeliveryState] = [:]
    var pages: [PageText] = []
    var outbox: [OutboxItem] = []
    var navigation = PDFNavigation()
    var requests: [SentRequest] = []
    var people: [RecordCreator] = []
    /// Files and folders on disk.
    var paths: [String] = []
    /// Lines typed after `:` in earlier sessions.
    var history: [String] = []
    /// What becomes of drafts; nil while the disk is busy.
    var draftFate: DraftFate? = .stored
    /// Makes edits fail with this message.
    var failure: String?
    /// Whether page requests stay unanswered.
    var holdsPages = false
    /// Whether the annotations of a local PDF are still being read.
    var holdsAnnotations = false
    /// The status of a PDF from disk when it is opened; nil for one that can only be read.
    var fileStatus: FileStatus?
    /// The PDFs that the library offers.
    var files: [LibraryFile] = []
    /// Whether the disk is busy: edits wait until ``saveHeld()``.
    var holdsEdits = false
    private var held: [() -> Void] = []
    /// Whether rows that were read stay on their way until ``answerRows()``.
    var holdsRows = false
    private var heldRows: [() -> Void] = []
    /// Every request, in order, except announcements of presence.
    private(set) var asked: [Effect] = []
    /// The presence announced for this person, in order.
    private(set) var announced: [OwnPresence] = []
    private var steps: [Int: [Record]] = [:]
    /// The layer that requests apply to.
    private var selected: LayerReference?

    func perform(_ effect: Effect, post: @escaping @Sendable (Message) -> Void) {
        if case .announce(let own) = effect { return announced.append(own) }
        asked.append(effect)
        if case .select(let reference) = effect { selected = reference }
        let open = post
        let selected = selected
        let post: @Sendable (Message) -> Void = { message in
            open(selected.map { Message.at($0, message) } ?? message)
        }
        switch effect {
        case .loadLibrary:
            open(.library(entries))
            if !files.isEmpty { open(.libraryFiles(files)) }
        case .openLayer(let reference): self.open(reference, post: open)
        case .join: self.open(opened.reference, post: open)
        case .openFile(let path) where path == opened.file?.path: self.open(opened.reference, post: open)
        case .openFile(let path):
            let reference = LayerReference(server: "", documentID: path)
            open(
                .opened(
                    OpenedLayer(
                        reference: reference, status: fileStatus.map { _ in .live() } ?? SyncStatus(), hasPDF: true,
                        author: "me",
                        file: fileStatus ?? FileStatus(path: path, condition: .readOnly("the engine cannot start")))))
            open(.at(reference, pdfReady))
            if !holdsAnnotations { open(.at(reference, .annotationsRead)) }
        case .loadPage(let index) where !holdsPages:
            post(pages.indices.contains(index) ? .page(index, pages[index]) : .pageFailed(index, "No such page."))
        case .loadNavigation: post(.navigation(navigation))
        case .quoteDocument: post(.quoted(isAll: true))
        case .indexDocument where !holdsPages:
            for (index, page) in pages.enumerated() { post(.indexed([index: PageGlyphs(page).searchText])) }
        case .loadRows(let request):
            let window = window(request, anchor: request.around)
            if holdsRows { heldRows.append { post(.rows(window)) } } else { post(.rows(window)) }
        case .findUnread(let request):
            let all = rows(request.query)
            let later = all.indices.first { $0 > request.index && all[$0].isUnread }
            let target = later ?? all.indices.first { all[$0].isUnread }
            post(.rows(window(request, anchor: target.map { all[$0].id })))
        case .findMark(let request):
            let all = rows(request.query).filter { $0.pageIndex != nil }
            let later = all.filter { $0.pageKey > request.page }
            let earlier = all.filter { $0.pageKey < request.page }
            let found =
                request.steps > 0 ? later.dropFirst(request.steps - 1).first : earlier.dropLast(-request.steps - 1).last
            post(.markFound(request, found))
        case .loadPageRows(let index):
            post(.pageRows(index, rows(.onPage(index)).filter { !$0.isDeletedRoot }))
        case .loadRecord(let id): post(.record(id, records.first { $0.id.isExactly(id) }))
        case .loadThread(let root): post(.thread(root, comments(under: root)))
        case .loadBatch(let wanted):
            let listed =
                wanted.span.map { rows(wanted.query).dropFirst($0.lowerBound).prefix($0.count).map(\.id) } ?? []
            let ids = Set((listed + wanted.ids).map(ByteOrdered.init))
            post(
                .batchLoaded(
                    records.filter { ids.contains(ByteOrdered($0.id)) }.map {
                        BatchRecord($0, comments: comments(under: $0.id), root: rootTaken(by: $0))
                    }))
        case .loadFacets: post(.facets(facets))
        case .loadPeople: post(.people(people))
        case .copy(let text, let isAddress):
            post(.notice("Copied \(isAddress ? text : "\(text.count) characters") (if your terminal allows OSC 52)"))
        case .loadOutbox: post(.outbox(outbox))
        case .saveDraft(let key, _, _): draftFate.map { post(.draftKept(key, $0)) }
        case .findGoneDrafts(let keys):
            let gone = keys.filter { key in key.records.contains { id in !records.contains { $0.id.isExactly(id) } } }
            post(.goneDrafts(gone, of: keys))
        case .loadRequests: post(.requests(requests))
        case .markAllRead(let query):
            unread.subtract(rows(query).map(\.id))
            post(.recordsChanged([], author: nil))
        case .completePath(let text):
            post(.pathsFound(text, paths.filter { $0.hasPrefix(text) }))
        case .markRead(let ids):
            unread.subtract(ids)
            post(.recordsChanged(ids, author: nil))
        case .perform, .undo, .resolve:
            if holdsEdits { held.append { self.edit(effect, post: post) } } else { edit(effect, post: post) }
        case .loadHistory: post(.history(history))
        case .remember(let line): history.append(line)
        default: break
        }
    }

    private func edit(_ effect: Effect, post: (Message) -> Void) {
        switch effect {
        case .perform(let step): perform(step, post: post)
        case .undo(let step):
            if let undoRefusal { return post(undoRefusal) }
            guard let before = steps.removeValue(forKey: step) else {
                post(.undoFailed(step: step, "someone wrote since"))
                return
            }
            records = before
            post(.undone(step: step))
            post(.recordsChanged([], author: nil))
        case .resolve(let id, _, _): post(failure.map { .resolveFailed(id, $0) } ?? .resolved(id))
        default: break
        }
    }

    /// Saves waiting edits in order, as when the disk is free again.
    func saveHeld(_ count: Int = .max) {
        let now = Array(held.prefix(count))
        held.removeFirst(now.count)
        for edit in now { edit() }
    }

    /// Lets rows arrive that were read since ``holdsRows`` was set, in order.
    func answerRows(_ count: Int = .max) {
        let now = Array(heldRows.prefix(count))
        heldRows.removeFirst(now.count)
        for answer in now { answer() }
    }

    private func open(_ reference: LayerReference, post: (Message) -> Void) {
        var opened = opened
        opened.title = entries.first { $0.id == reference }?.title ?? opened.title
        opened.reference = reference
        post(.opened(opened))
        if opened.hasPDF { post(.at(reference, pdfReady)) }
        if opened.file != nil, !holdsAnnotations { post(.at(reference, .annotationsRead)) }
    }

    var pdfReady: Message {
        .pdfReady(
            PDFInfo(
                title: nil, isEncrypted: false, pages: pages.map { PageSize(width: $0.width, height: $0.height) }))
    }

    /// Why no step is undone.
    var undoRefusal: Message?

    /// Makes steps of an earlier session undoable, to the records of now.
    func remember(steps ids: [Int]) { for id in ids { steps[id] = records } }

    /// Makes undo impossible, as if others had written since.
    func forgetSteps() { steps = [:] }

    private func perform(_ step: EditStep, post: (Message) -> Void) {
        if let failure {
            post(.editFailed(step: step.id, failure))
            return
        }
        steps[step.id] = records
        var ids: [Record.ID] = []
        var new = step.newIDs
        for edit in step.edits {
            switch edit {
            case .create(let content): ids.append(create(content, new.removeFirst()))
            case .beginThread(let root, let text):
                let id = create(root, new.removeFirst())
                ids += [id, create(.comment(text, under: id, root), new.removeFirst())]
            case .update(let id, let content):
                ids.append(id)
                delivery[id] = .unsent
                if let index = records.firstIndex(where: { $0.id == id }) { records[index].content = content }
            case .delete(let id, let along):
                let gone = [id] + comments(under: id).map(\.id) + along.filter { $0 != id }
                for id in gone where !ids.contains(id) { ids.append(id) }
                records.removeAll { gone.contains($0.id) }
            }
        }
        post(.edited(step: step.id, ids))
    }

    private func create(_ content: Content, _ id: Record.ID) -> Record.ID {
        let stamped = content.changing { $0["creatorName"] = "me" }
        records.append(Record(id: id, content: stamped, createdBy: opened.reference.userID))
        delivery[id] = .unsent
        return id
    }

    // MARK: The list

    private func comments(under root: Record.ID) -> [Record] {
        records.filter { $0.content["rootId"]?.string == root }
    }

    /// Returns the root that is deleted with its last comment.
    private func rootTaken(by comment: Record) -> Record? {
        guard let id = comment.content["rootId"]?.string, comments(under: id).count == 1 else { return nil }
        return records.first { $0.id == id && $0.content["isCommentThreadRoot"] == true }
    }

    private var facets: ListFacets {
        let rows = rows(ListQuery())
        func count<Value>(_ values: [Value]) -> [ListFacets.Facet<Value>] {
            Dictionary(grouping: values) { $0 }.map { ListFacets.Facet($0, $1.count) }
                .sorted { ($1.count, "\($0.value)") < ($0.count, "\($1.value)") }
        }
        return ListFacets(
            kinds: count(rows.map(\.kind)), authors: count(rows.compactMap(\.author)),
            groups: count(rows.compactMap(\.group)))
    }

    private var hiddenIDs: Set<Record.ID> { Set(records.map { Annotation($0) }.filter(\.isHidden).map(\.id)) }

    func rows(_ query: ListQuery) -> [ListRow] {
        let filter = query.filter
        let replies = Dictionary(grouping: records.compactMap { $0.content["rootId"]?.string }) { $0 }
        let left = Set(replies.keys).subtracting(records.map(\.id)).map { root in
            let pages = comments(under: root).compactMap { Annotation($0).pageIndex }
            var row = ShownRow(leftBy: root, ThreadSummary(pageIndex: pages.min(), changedAt: nil)).row
            row.replies = replies[root]?.count ?? 0
            return row
        }
        // Each computed once, because tests have lists of a thousand rows.
        let hiddenIDs = hiddenIDs
        let threads = Dictionary(grouping: records.filter { $0.content["rootId"] != nil }) {
            $0.content["rootId"]?.string ?? ""
        }
        let rows =
            (records.filter { $0.contentType == .annotations }.map { record in
                var row = ListRow(
                    annotation: Annotation(record), createdBy: record.createdBy, updatedBy: record.updatedBy,
                    group: record.group,
                    delivery: delivery[record.id] ?? .delivered, isUnread: unread.contains(record.id),
                    replies: replies[record.id]?.count ?? 0)
                let thread = threads[record.id] ?? []
                row.states = thread.count { $0.content.state != nil }
                row.review = AnnotationStates(thread).review
                return row
            } + left).filter { row in
                (!filter.hidesFurniture || !hiddenIDs.contains(row.id))
                    && (filter.kinds.isEmpty || filter.kinds.contains(row.kind))
                    && (filter.text.isEmpty || row.text.lowercased().contains(filter.text.lowercased()))
                    && (filter.author == nil || filter.author == row.author)
                    && (filter.group == nil || filter.group == row.group ?? "")
                    && (filter.pageIndex.map { stands(row, onPage: $0) } ?? true)
                    && (!filter.unreadOnly || row.isUnread)
                    && !filter.excluded.kinds.contains(row.kind)
                    && !filter.excluded.authors.contains(row.author ?? "")
                    && !filter.excluded.words.contains { row.text.lowercased().contains($0.lowercased()) }
                    && (filter.resolved == nil || filter.resolved == row.isResolved)
                    && (filter.states.isEmpty || row.review.map(filter.states.contains) == true)
                    && (!filter.headsOnly || row.head == nil)
                    && (filter.mentions.map { user in
                        (threads[row.id] ?? []).contains { $0.content.mentions(user) }
                    } ?? true)
            }
        switch query.order {
        case .page:
            return rows.sorted {
                ($0.pageIndex ?? .max, $0.box?.top ?? 0, $0.id) < ($1.pageIndex ?? .max, $1.box?.top ?? 0, $1.id)
            }
        case .newest: return rows.sorted { ($1.changedAt?.milliseconds ?? 0) < ($0.changedAt?.milliseconds ?? 0) }
        case .group: return rows.sorted { ($0.group ?? "", $0.id) < ($1.group ?? "", $1.id) }
        case .author: return rows.sorted { ($0.author ?? "", $0.id) < ($1.author ?? "", $1.id) }
        }
    }

    private func stands(_ row: ListRow, onPage page: Int) -> Bool {
        row.pageIndex == page || records.first { $0.id.isExactly(row.id) }?.content.stands(onPage: page) == true
    }

    private func window(_ request: RowRequest, anchor: Record.ID?) -> RowWindow {
        let all = rows(request.query)
        let place = all.firstIndex { anchor.isExactly($0.id) }
        let offset = request.offset(middle: place ?? request.index, total: all.count)
        var window = RowWindow(
            query: request.query, request: request.number, offset: offset, total: all.count,
            rows: Array(all[offset..<min(all.count, offset + request.limit)]), anchor: place, all: records.count,
            unread: unread.count, hidden: hidden(request.query))
        window.mentions = mentions
        if request.query.filter.resolved == false {
            window.resolvedHidden = rows(ListQuery()).count(where: \.isResolved)
        }
        return window
    }

    private func hidden(_ query: ListQuery) -> [ListFacets.Facet<AnnotationKind>] {
        guard query.filter.hidesFurniture else { return [] }
        let kinds = records.map { Annotation($0) }.filter(\.isHidden).map(\.kind)
        return Dictionary(grouping: kinds) { $0 }.map { ListFacets.Facet($0, $1.count) }.sorted { $1.count < $0.count }
    }
}

extension ListQuery {
    static func onPage(_ index: Int) -> ListQuery {
        var filter = ListFilter()
        filter.pageIndex = index
        return ListQuery(filter: filter)
    }
}

extension LayerReference {
    static let hotos = LayerReference(
        server: "http://localhost:5000", documentID: "hotos17", layer: "review", userID: "mia")
}

extension Grant {
    /// - Parameter minutes: How long it is valid from noon.
    static func hotos(
        _ general: Set<GeneralPermission> = Set(GeneralPermission.allCases), minutes: Int64 = 12
    ) -> Grant {
        Grant(
            documentID: "hotos17", layer: "review", userID: "mia", general: general,
            expiresAt: Timestamp.noon + minutes * 60_000)
    }
}

extension SyncStatus {
    static func live(_ grant: Grant = .hotos()) -> SyncStatus { SyncStatus(connection: .live, grant: grant) }
}

extension Timestamp {
    /// 2026-05-30, 12:00 UTC.
    static let noon = Timestamp(milliseconds: 1_780_142_400_000)
}

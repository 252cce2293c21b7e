import Annotations
import App
import InstantCore
import PDFPages

/// Services that answer every request at once, with untrusted text in every field.
final class HostileWorld: AppServices {
    let texts: HostileTexts
    private let records: [Record]
    private var steps = 0

    init(_ texts: HostileTexts) {
        self.texts = texts
        records = [
            texts.record("1", "markup/highlight"), texts.record("2", "note"), texts.record("3", nil),
            texts.record("4", "comment-marker"), texts.record("5", "comment", root: "4"),
        ]
    }

    func perform(_ effect: Effect, post: @escaping @Sendable (Message) -> Void) {
        for answer in answers(to: effect) { post(answer) }
    }

    private func answers(to effect: Effect) -> [Message] {
        switch effect {
        case .loadLibrary, .removeLayer, .pruneStorage: [.library([texts.entry, texts.entry]), .notice(texts.next)]
        case .openLayer(let reference): open(reference)
        case .join, .startDemo: open(texts.reference)
        case .openFile: open(texts.reference) + [.annotationsRead]
        case .loadPage(let page): page < 2 ? [.page(page, texts.page)] : [.pageFailed(page, texts.next)]
        case .loadNavigation: [.navigation(texts.navigation)]
        case .indexDocument(let words):
            [.likelyPages([1, 9], seeking: words), .indexed([0: texts.next]), .indexFailed(texts.next)]
        case .loadRows(let request), .findUnread(let request): [.rows(window(request))]
        case .loadPageRows(let page): [.pageRows(page, rows)]
        case .loadRecord(let id): [.record(id, records.first { $0.id == id })]
        case .loadThread(let root): [.thread(root, records.filter { $0.content["rootId"]?.string == root })]
        case .loadBatch: [.batchLoaded(records.prefix(3).map { BatchRecord($0, comments: [$0]) })]
        case .loadFacets: [.facets(texts.facets)]
        case .loadOutbox: [.outbox(records.map(texts.edit))]
        case .markRead(let ids): [.recordsChanged(ids, author: texts.next)]
        case .perform(let step): edited(step)
        case .undo(let step): [.undone(step: step), .undoFailed(step: step, texts.next)]
        case .resolve, .saveUnsent, .saveFile, .copy: [.notice(texts.next)]
        case .loadHistory: [.history([texts.next, texts.next])]
        case .supplyToken: [.tokenRefused(texts.next)]
        case .readTokenFile: [.tokenRead(texts.token)]
        case .loadRequests: [.requests([texts.request, texts.request])]
        case .editExternally: [.externallyEdited(texts.next)]
        default: []
        }
    }

    private func open(_ reference: LayerReference) -> [Message] {
        let opened = OpenedLayer(
            reference: reference, title: texts.next,
            status: SyncStatus(connection: .live, grant: texts.grant, unsent: 1, conflicts: 1), hasPDF: true,
            author: texts.next, groupChoice: .init(group: texts.next), drafts: [.note(page: 0): texts.next])
        return [.opened(opened), .at(reference, pdf)]
    }

    private var pdf: Message {
        .pdfReady(
            PDFInfo(
                title: texts.next, isEncrypted: false,
                pages: Array(repeating: PageSize(width: 612, height: 792), count: 3)))
    }

    /// Fails every second edit.
    private func edited(_ step: EditStep) -> [Message] {
        steps += 1
        return steps % 2 == 0 ? [.editFailed(step: step.id, texts.next)] : [.edited(step: step.id, ["1"])]
    }

    private var rows: [ListRow] {
        records.filter { $0.contentType == .annotations }.map { record in
            ListRow(
                annotation: Annotation(record), createdBy: record.createdBy, updatedBy: texts.next, group: record.group,
                isUnread: true,
                replies: 1)
        }
    }

    private func window(_ request: RowRequest) -> RowWindow {
        RowWindow(
            query: request.query, request: request.number, total: rows.count, rows: rows, anchor: 0,
            all: records.count, unread: 2)
    }
}

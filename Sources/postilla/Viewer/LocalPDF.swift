import Annotations
import App
import Instant
import InstantCore
import PDFPages
import Synchronization

/// A PDF from the disk: its pages and its own annotations, held in memory, without a layer and without sync.
final class LocalPDF: Sendable {
    let records: Layer
    private let path: String
    private let tools: PDFTools
    let pages: PageReader
    private let post: @Sendable (Message) -> Void
    private let reading = Mutex<Task<Void, Never>?>(nil)

    init(_ path: String, tools: PDFTools, post: @escaping @Sendable (Message) -> Void) throws {
        self.path = path
        self.tools = tools
        self.post = post
        records = try Layer(
            inMemory: LayerMetadata(
                identity: LayerIdentity(server: "", documentID: path, layer: "", userID: nil), clientID: "local"))
        pages = PageReader(file: path, tools: tools)
    }

    /// The file is looked at first, so that one that is no PDF is said instead of shown; its annotations follow.
    func start() {
        let task = Task {
            do {
                let info = try await pages.info()
                let name = String(path.split(separator: "/").last ?? "PDF")
                post(
                    .opened(
                        OpenedLayer(
                            reference: LayerReference(server: "", documentID: path), title: info.title ?? name,
                            status: SyncStatus(), hasPDF: true, isLocal: true)))
                post(.pdfReady(info))
                let found = try await tools.annotations(of: path)
                try records.store.write { store in
                    for record in found.records {
                        try store.put(StoredRecord(record, 0))
                        try store.show(ShownRow(record, delivery: .delivered))
                    }
                    try store.setUnread(found.records.map(\.id), false)
                }
                post(.recordsChanged([], author: nil))
            } catch is CancellationError {
                return
            } catch { post(.openFailed("\(path): \(error)")) }
        }
        reading.withLock { $0 = task }
    }

    func close() {
        reading.withLock { $0?.cancel() }
        pages.close()
    }
}

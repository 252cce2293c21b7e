import Annotations
import App
import FoundationEssentials
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

/// What was once found out about PDFs, by the hash of their bytes: to ask the PDF tools how many pages a large file has
/// takes longer than all else until the first picture. What is here can be thrown away at any time.
struct KnownPDFs: Sendable {
    /// Belongs to this alone.
    let folder: String
    /// Another way of writing them down, or of counting, gets another number.
    private static let version: Int64 = 1
    private static let maxCount = 256
    /// Of a file: more is no PDF that a person reads.
    private static let maxPages = 1_000_000

    /// nil when nothing is known, or what is written there makes no sense.
    func info(of sha256: String) -> PDFInfo? {
        guard let text = try? PrivateFile.read(path(sha256), limit: 4 << 20), let json = try? JSON(parsing: text),
            json["version"]?.integer == Self.version, let isEncrypted = json["encrypted"]?.bool,
            let groups = json["pages"]?.array
        else { return nil }
        var pages: [PageSize] = []
        for group in groups {
            guard let numbers = group.array?.compactMap(\.double), numbers.count == 3,
                numbers.allSatisfy({ $0 > 0 && $0 < 1e6 }), pages.count + Int(numbers[2]) <= Self.maxPages
            else { return nil }
            pages += Array(repeating: PageSize(width: numbers[0], height: numbers[1]), count: Int(numbers[2]))
        }
        return pages.isEmpty ? nil : PDFInfo(title: json["title"]?.string, isEncrypted: isEncrypted, pages: pages)
    }

    /// Nothing depends on it: what cannot be written is found out again.
    func keep(_ info: PDFInfo, of sha256: String) {
        var json = JSONObject()
        json["version"] = .number(JSONNumber(Self.version))
        json["title"] = info.title.map(JSON.string)
        json["encrypted"] = .bool(info.isEncrypted)
        json["pages"] = .array(groups(info.pages))
        do {
            try Folders.make(folder)
            if try FileManager.default.contentsOfDirectory(atPath: folder).count >= Self.maxCount {
                try FileManager.default.removeItem(atPath: folder)
                try Folders.make(folder)
            }
            try PrivateFile.write(JSON.object(json).text + "\n", to: path(sha256))
        } catch { return }
    }

    /// Width, height, and how many pages in a row have them.
    private func groups(_ pages: [PageSize]) -> [JSON] {
        var groups: [(size: PageSize, count: Int64)] = []
        for page in pages {
            if groups.last?.size == page {
                groups[groups.count - 1].count += 1
            } else {
                groups.append((page, 1))
            }
        }
        return groups.map {
            [
                .number(JSONNumber($0.size.width)), .number(JSONNumber($0.size.height)),
                .number(JSONNumber($0.count)),
            ]
        }
    }

    private func path(_ sha256: String) -> String { "\(folder)/\(sha256).json" }
}

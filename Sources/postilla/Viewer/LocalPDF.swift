import Annotations
import App
import Crypto
import Dispatch
import FoundationEssentials
import Glibc
import Instant
import InstantCore
import PDFPages
import Synchronization

import struct PDFPages.PageSize

/// A local PDF: its pages and its own annotations, in memory, without a layer and without sync. When the file changes on
/// disk, it is read again.
final class LocalPDF: Sendable {
    let records: Layer
    private let path: String
    private let tools: PDFTools
    private let reader: Mutex<PageReader>
    /// Returns where the person was in the file.
    private let reading: @Sendable () async -> ReadingPlace?
    private let post: @Sendable (Message) -> Void
    /// The path as the person gave it.
    private let name: String
    /// Why the file is not opened for editing; nil: it is, once its first page is shown.
    private let readOnlyReason: String?
    private let drafts: [DraftKey: String]
    private let author: String?
    /// Called once, when the first page is shown, or when the file is closed before that.
    private let shown: @Sendable () -> Void
    /// Waits until the engine has opened the file, or for a moment: reading the whole file would hold it up.
    private let turn: (@Sendable () async -> Void)?
    private let wasShown = Atomic(false)
    /// Whether the records come from the engine now, which also watches the file.
    private let isTaken = Mutex(false)
    private let pagesShown = Mutex(ShownPages())
    private let loading = Mutex<Task<Void, Never>?>(nil)
    /// For the file's state, which is asked about once a second.
    private let queue = DispatchQueue(label: "postilla.watched-file")
    private static let interval = Duration.seconds(1)

    /// The sizes of the pages in points, once they are known.
    private final class Sizes: Sendable { let all = Mutex<[PageSize]>([]) }

    init(
        _ path: String, tools: PDFTools, readOnly reason: String? = "it is not in a layer",
        drafts: [DraftKey: String] = [:], author: String? = nil,
        reading: @escaping @Sendable () async -> ReadingPlace? = { nil }, shown: @escaping @Sendable () -> Void = {},
        turn: (@Sendable () async -> Void)? = nil, post: @escaping @Sendable (Message) -> Void
    ) throws {
        self.path = path
        name = path
        readOnlyReason = reason
        (self.drafts, self.author, self.shown, self.turn) = (drafts, author, shown, turn)
        self.tools = tools
        self.reading = reading
        self.post = post
        records = try Layer(
            inMemory: LayerMetadata(
                identity: LayerIdentity(server: "", documentID: path, layer: "", userID: nil), clientID: "local"))
        reader = Mutex(PageReader(file: path, tools: tools))
    }

    var pages: PageReader { reader.withLock { $0 } }

    /// Checks the file first, so that a file that is not a PDF is reported instead of shown; its annotations are loaded
    /// later.
    func start() {
        let task = Task {
            do {
                let version = await currentVersion()
                let (first, sizes) = try await open()
                pagesShown.withLock { $0.show(version) }
                let place = await reading()
                let name = String(path.split(scalar: "/").last ?? "PDF")
                post(
                    .opened(
                        OpenedLayer(
                            reference: LayerReference(server: "", documentID: path), title: first.title ?? name,
                            status: SyncStatus(), hasPDF: true, author: author, drafts: drafts,
                            file: FileStatus(
                                path: path, condition: readOnlyReason.map(FileStatus.Condition.readOnly) ?? .opening),
                            reading: place)))
                do { try await show(first, sizes) } catch let error as PDFError {
                    post(.annotationsRead)
                    return try await watch(after: error, version)
                }
                try await watch(since: version)
            } catch is CancellationError {
                return
            } catch {
                guard !Task.isCancelled else { return }
                post(.openFailed("\(path.onOneLine): \(error)"))
                post(.annotationsRead)
            }
        }
        loading.withLock { $0 = task }
    }

    func close() {
        loading.withLock { $0?.cancel() }
        pages.close()
        if !wasShown.exchange(true, ordering: .relaxed) { shown() }
    }

    /// Begins to read the file as it is now.
    private func open() async throws -> (PDFInfo, Sizes) {
        let sizes = Sizes()
        let new = PageReader(
            file: path, tools: tools,
            trueSizes: { page in sizes.all.withLock { $0.indices.contains(page) ? $0[page] : nil } },
            turn: turn)
        do {
            let first = try await new.firstInfo()
            // A reader that is made after the tab was closed would never be closed.
            try Task.checkCancellation()
            let old = reader.withLock { reader in
                defer { reader = new }
                return reader
            }
            old.close()
            return (first, sizes)
        } catch {
            new.close()
            throw error
        }
    }

    /// Shows the pages, then the file's annotations.
    private func show(_ first: PDFInfo, _ sizes: Sizes) async throws {
        post(.pdfReady(first))
        // Whatever reads the whole file would delay the page that the person waits for.
        await pages.finishNewestPage()
        // Not for the pages of a later version of the file.
        if !wasShown.exchange(true, ordering: .relaxed) { shown() }
        await turn?()
        try Task.checkCancellation()
        let info = try await pages.info()
        post(.pdfMeasured(info))
        let found = try await tools.annotations(of: path).byOwnNames
        if found.frames.contains(where: { $0.unit != 1 }) {
            let pageSizes = found.frames.map { PageSize(width: $0.displayedWidth, height: $0.displayedHeight) }
            sizes.all.withLock { $0 = pageSizes }
            await pages.forget()
            post(.pdfReady(info.scaled { pageSizes.indices.contains($0) ? pageSizes[$0] : nil }))
        }
        let new = found.records + found.values
        let ids = Set(new.map { ByteOrdered($0.id) })
        guard !isTaken.withLock({ $0 }) else { return post(.annotationsRead) }
        try records.store.write { store in
            for old in try store.records(after: nil, limit: .max) where !ids.contains(ByteOrdered(old.record.id)) {
                try store.removeRecord(old.record.id)
                try store.hide(old.record.id)
            }
            for record in new {
                try store.put(StoredRecord(record, 0))
                try store.show(ShownRow(record, delivery: .delivered))
            }
            try store.setUnread(found.records.map(\.id), false)
        }
        post(.annotationsRead)
    }

    // MARK: Changes on disk

    /// From now on, the records are those of a layer, and the engine watches the file.
    func handOver() { isTaken.withLock { $0 = true } }

    /// Shows the pages of the file as it is now if they are others than those that are shown.
    ///
    /// - Parameter isTold: whether the person knows already that the file changed.
    func compare(with engine: ShownPages.File, isTold: Bool) {
        queue.async { [self] in
            guard let disk = version(), pagesShown.withLock({ $0.mustReload(disk: disk, engine: engine) }) else {
                return
            }
            if !isTold { post(.notice("The file changed on disk; showing it as it is now")) }
            reload()
        }
    }

    private func reload() {
        let old = loading.withLock { $0 }
        // It may wait for a file that cannot be read.
        old?.cancel()
        let task = Task {
            _ = await old?.value
            let version = await currentVersion()
            do { try await read(version) } catch {
                guard !Task.isCancelled, !(error is CancellationError) else { return }
                post(.annotationsRead)
                guard let error = error as? PDFError else {
                    return post(.notice("The file cannot be read: \(error)"))
                }
                try? await watch(after: error, version)
            }
        }
        loading.withLock { $0 = task }
    }

    /// What tells one version of the file from another, in the engine's form. Blocks briefly.
    private func version() -> String? {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        return ShownPages.version(
            inode: UInt64(facts.st_ino), size: Int64(facts.st_size),
            changed: Int64(facts.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(facts.st_mtim.tv_nsec))
    }

    private func currentVersion() async -> String? {
        await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: version()) }
        }
    }

    /// Reads the file as it is now, and shows it.
    private func read(_ version: String?) async throws {
        let (first, sizes) = try await open()
        pagesShown.withLock { $0.show(version) }
        try await show(first, sizes)
    }

    /// Tells that this version of the file cannot be read, and reads the next. One that could not be opened counts as none: a
    /// program that saves may move the file away for a moment, after which it looks as before.
    private func watch(after error: PDFError, _ version: String?) async throws {
        post(.notice("The file cannot be read: \(error)"))
        try await watch(since: error == .unreadable ? nil : version)
    }

    /// Reads the file again whenever it has changed and then stayed the same for an interval, because it may be written
    /// piece by piece.
    ///
    /// - Parameter shown: nil if it could not be opened. It is read then also if its annotations come from the engine.
    private func watch(since shown: String?) async throws {
        var (shown, last) = (shown, shown)
        while shown == nil || !isTaken.withLock({ $0 }) {
            try await Task.sleep(for: Self.interval)
            guard shown == nil || !isTaken.withLock({ $0 }) else { return }
            let now = await currentVersion()
            defer { last = now }
            guard let now, now != shown, now == last else { continue }
            let wasAbsent = shown == nil
            shown = now
            do {
                try await read(now)
                post(.notice("The file \(wasAbsent ? "is back" : "changed on disk"); showing it as it is now"))
            } catch is CancellationError { throw CancellationError() } catch PDFError.unreadable {
                shown = nil
                // Told once, however often it is tried.
                if !wasAbsent { post(.notice("The file changed on disk and cannot be read: \(PDFError.unreadable)")) }
            } catch { post(.notice("The file changed on disk and cannot be read: \(error)")) }
        }
    }
}

/// Cached facts about PDFs, by the hash of their bytes: getting the page count of a large file from the PDF tools takes
/// longer than everything else before the first frame. The cache can be deleted at any time.
struct KnownPDFs: Sendable {
    /// A folder used by this cache only.
    let folder: String
    /// Incremented with every change to the format or to the way pages are counted.
    private static let version: Int64 = 2
    private static let maxCount = 256
    /// The limit for one file; larger counts are not plausible.
    private static let maxPages = 1_000_000

    /// Returns nil when nothing is cached or the entry is invalid.
    func info(of sha256: String) -> PDFInfo? {
        guard let text = try? PrivateFile.read(path(sha256), limit: 4 << 20),
            let first = text.split(scalar: "\n").first,
            text == Self.checked(String(first)), let json = try? JSON(parsing: String(first)),
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

    /// Stores the facts; a write failure is ignored, because they can be recomputed.
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
            try PrivateFile.write(Self.checked(JSON.object(json).text), to: path(sha256))
        } catch { return }
    }

    /// Returns width, height and the number of consecutive pages with that size.
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

    /// A line and its SHA-256, which shows damage.
    static func checked(_ line: String) -> String {
        "\(line)\n\(SHA256.hash(data: Array(line.utf8)).hexadecimal)\n"
    }

    private func path(_ sha256: String) -> String { "\(folder)/\(sha256).json" }
}

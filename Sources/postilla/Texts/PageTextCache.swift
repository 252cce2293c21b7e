import Annotations
import Crypto
import Dispatch
import FoundationEssentials
import Glibc
import PDFPages
import PageLayout
import Synchronization

/// The text of a PDF's pages, kept so that each page is read once: beside a server's PDF, whose name is the hash of its
/// bytes, and in memory for a local file.
///
/// There are two files: `HASH.words`, read page by page, and `HASH.search`, read as a whole by a search. Both can be
/// deleted at any time. A damaged page is missing and read again from the PDF.
///
/// Files are read and written on a queue of the cache's own.
final class PageTextCache: Sendable {
    private let queue = DispatchQueue(label: "postilla.page-texts", qos: .userInitiated)
    /// Taken on the queue only, so no thread waits for it.
    private let state: Mutex<State>

    fileprivate struct State {
        /// The path without its extension, and the version of the PDF tools; nil for a local file.
        var place: (stem: String, tools: String)?
        var words: PageTextFile?
        var search: PageTextFile?
        /// For a local file: the pages in search form.
        var texts: [Int: String] = [:]
        var bytes = 0
    }

    /// Incremented when the form of the files changes.
    fileprivate static let version = 1
    /// The bytes in memory for one local file.
    fileprivate static let maxMemory = 64 << 20
    /// The bytes of all files in a folder; above it, those used least recently are removed.
    static let maxBytes: Int64 = 1 << 30

    /// - Parameter pdf: the path `…/HASH.pdf` of a server's PDF; nil for a local file. Nothing is ever written beside a
    ///   file with another name: its folder is the person's.
    init(besides pdf: String? = nil, tools: PDFTools = PDFTools()) {
        var place: (String, String)?
        if let pdf, Self.isOurs(pdf), let version = tools.textVersion {
            place = (String(pdf.dropLast(scalars: 4)), version)
        }
        state = Mutex(State(place: place))
    }

    private static func isOurs(_ pdf: String) -> Bool {
        guard pdf.ends(with: ".pdf") else { return false }
        return AttachmentID(String(pdf.dropLast(scalars: 4).split(scalar: "/").last ?? "")) != nil
    }

    /// Returns the words of a page; nil if they are not kept.
    func words(on page: Int) async -> PageText? {
        await perform { state in
            state.open()
            return state.words?.payload(of: page).flatMap(PageText.init(bytes:))
        }
    }

    /// Returns the text of every page that is kept, in search form.
    func searchTexts() async -> [Int: String] {
        await perform { state in
            state.open()
            var texts = state.texts
            state.search?.forEachPayload { texts[$0] = String(decoding: $1, as: UTF8.self) }
            return texts
        }
    }

    /// Keeps a page, without making the caller wait.
    ///
    /// - Parameter searchText: the page in search form, if the caller has it.
    func keep(_ text: PageText, of page: Int, searchText: String? = nil) {
        queue.async { [self] in
            state.withLock { state in
                state.open()
                state.words?.add(text.bytes, of: page)
                guard state.search?.has(page) != true, state.texts[page] == nil else { return }
                state.keep(searchText ?? PageGlyphs(text).searchText, of: page)
            }
        }
    }

    /// Waits until all pages are written.
    func finish() async { await perform { _ in } }

    private func perform<Result: Sendable>(_ body: @escaping @Sendable (inout State) -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: state.withLock { body(&$0) }) }
        }
    }
}

extension PageTextCache.State {
    fileprivate mutating func open() {
        guard let (stem, tools) = place else { return }
        place = nil
        func key(_ parts: String) -> [UInt8] {
            Array(SHA256.hash(data: Array("postilla \(PageTextCache.version) \(parts) \(tools)".utf8)))
        }
        PageTextCache.makeRoom(in: stem)
        words = PageTextFile(path: stem + ".words", key: key("words"))
        search = PageTextFile(path: stem + ".search", key: key("search \(PageGlyphs.version)"))
    }

    fileprivate mutating func keep(_ text: String, of page: Int) {
        if let search { return search.add(Array(text.utf8), of: page) }
        guard bytes + text.utf8.count <= PageTextCache.maxMemory else { return }
        bytes += text.utf8.count
        texts[page] = text
    }
}

extension PageTextCache {
    /// Removes the files used least recently until the others have less than ``maxBytes`` together.
    ///
    /// - Parameter stem: a path in the folder.
    static func makeRoom(in stem: String, limit: Int64 = maxBytes) {
        let folder = String(stem[..<(stem.unicodeScalars.lastIndex(of: "/") ?? stem.startIndex)])
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var files: [(path: String, bytes: Int64, used: Int)] = []
        for name in names where name.ends(with: ".words") || name.ends(with: ".search") {
            var info = stat()
            guard lstat(folder + "/" + name, &info) == 0 else { continue }
            files.append((folder + "/" + name, Int64(info.st_size), info.st_mtim.tv_sec))
        }
        var total = files.reduce(0) { $0 + $1.bytes }
        for file in files.sorted(by: { $0.used < $1.used }) where total > limit {
            unlink(file.path)
            total -= file.bytes
        }
    }
}

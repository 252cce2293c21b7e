import Annotations
import App
import Dispatch
import Foundation
import PDFPages
import PageLayout
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import postilla

@Suite(.onOwnThreads)
struct PageTextCacheTests {
    private let folder: Folder
    private let file: String
    private let pages: [PageText]

    init() async throws {
        folder = try Folder()
        file = try folder.write(String(repeating: "a", count: 64) + ".pdf", SmallPDF.paper().bytes)
        var pages: [PageText] = []
        for page in 0..<3 { pages.append(try await PDFTools().text(of: file, page: page)) }
        self.pages = pages
    }

    private var stem: String { String(file.dropLast(4)) }

    private func filled() async -> PageTextCache {
        let cache = PageTextCache(besides: file)
        for (page, text) in pages.enumerated() { cache.keep(text, of: page) }
        await cache.finish()
        return cache
    }

    @Test func aPageIsKeptWithoutLoss() async throws {
        _ = await filled()
        let again = PageTextCache(besides: file)
        for (page, text) in pages.enumerated() { #expect(await again.words(on: page) == text) }
        #expect(await again.words(on: 3) == nil)
        #expect(
            await again.searchTexts() == [
                0: PageGlyphs(pages[0]).searchText, 1: PageGlyphs(pages[1]).searchText,
                2: PageGlyphs(pages[2]).searchText,
            ])
        for path in [stem + ".words", stem + ".search"] {
            let facts = try FileManager.default.attributesOfItem(atPath: path)
            #expect((facts[.posixPermissions] as? Int) == 0o600)
        }
    }

    /// The PDF is no longer there, so what is told was kept.
    @Test func theNextReaderNeedsNoTool() async throws {
        let info = try await PDFTools().info(of: file)
        let cache = PageTextCache(besides: file)
        let first = PageReader(file: file, known: info, texts: cache)
        let told = Told()
        first.tellTexts { told.take($0) }
        try told.wait(for: 3)
        first.close()
        await cache.finish()
        try FileManager.default.removeItem(atPath: file)
        let second = PageReader(file: file, known: info, texts: PageTextCache(besides: file))
        #expect(try await second.text(1) == pages[1])
        let again = Told()
        second.tellTexts { again.take($0) }
        try again.wait(for: 3)
        #expect(again.texts == told.texts)
        second.close()
    }

    @Test func aLocalFileIsKeptInMemoryOnly() async throws {
        let cache = PageTextCache()
        let reader = PageReader(file: file, texts: cache)
        let told = Told()
        reader.tellTexts { told.take($0) }
        try told.wait(for: 3)
        await cache.finish()
        try FileManager.default.removeItem(atPath: file)
        let again = Told()
        reader.tellTexts { again.take($0) }
        try again.wait(for: 3)
        #expect(again.texts == told.texts)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        reader.close()
    }

    @Test func aDamagedFileNeverTellsAnythingWrong() async throws {
        for name in [stem + ".words", stem + ".search"] {
            _ = await filled()
            let intact = try Data(contentsOf: URL(filePath: name))
            for place in stride(from: 0, to: intact.count, by: max(1, intact.count / 60)) {
                var damaged = intact
                damaged[place] ^= 0x41
                try damaged.write(to: URL(filePath: name))
                let cache = PageTextCache(besides: file)
                for (page, text) in pages.enumerated() {
                    let words = await cache.words(on: page)
                    #expect(words == nil || words == text, "byte \(place)")
                }
                for (page, text) in await cache.searchTexts() {
                    #expect(text == PageGlyphs(pages[page]).searchText, "byte \(place)")
                }
            }
            // A reader notices what is missing, and keeps it again.
            let reader = PageTextCache(besides: file)
            _ = await reader.searchTexts()
            for (page, text) in pages.enumerated() where await reader.words(on: page) == nil {
                reader.keep(text, of: page)
            }
            for page in pages.indices where await reader.searchTexts()[page] == nil {
                reader.keep(pages[page], of: page)
            }
            await reader.finish()
            let cache = PageTextCache(besides: file)
            #expect(await cache.searchTexts().count == 3)
            for (page, text) in pages.enumerated() { #expect(await cache.words(on: page) == text) }
        }
    }

    @Test func aFileCutShortIsMadeAnew() async throws {
        _ = await filled()
        let whole = try Data(contentsOf: URL(filePath: stem + ".words"))
        try whole.dropLast(5).write(to: URL(filePath: stem + ".words"))
        #expect(await PageTextCache(besides: file).words(on: 0) == pages[0])
        #expect(await filled().words(on: 2) == pages[2])
    }

    @Test func severalWritersShareAFile() async throws {
        let caches = (0..<3).map { _ in PageTextCache(besides: file) }
        for cache in caches { #expect(await cache.words(on: 0) == nil) }
        for (page, cache) in caches.enumerated() { cache.keep(pages[page], of: page) }
        for cache in caches { await cache.finish() }
        let all = PageTextCache(besides: file)
        for (page, text) in pages.enumerated() { #expect(await all.words(on: page) == text) }
    }

    @Test func whatOthersCanWriteOrLinkToIsNotUsed() async throws {
        _ = await filled()
        let words = stem + ".words"
        try FileManager.default.setAttributes([.posixPermissions: 0o660], ofItemAtPath: words)
        #expect(await PageTextCache(besides: file).words(on: 0) == nil)
        _ = await filled()
        try FileManager.default.moveItem(atPath: words, toPath: folder.path + "/elsewhere")
        try FileManager.default.createSymbolicLink(atPath: words, withDestinationPath: folder.path + "/elsewhere")
        #expect(await PageTextCache(besides: file).words(on: 0) == nil)
    }

    /// Another poppler reads pages differently.
    @Test func anotherVersionOfTheToolsKeepsItsOwn() async throws {
        _ = await filled()
        let tools = try folder.makeFolder("tools")
        try FileManager.default.copyItem(atPath: "/usr/bin/pdftotext", toPath: tools + "/pdftotext")
        let other = PageTextCache(besides: file, tools: PDFTools(directories: [tools]))
        #expect(await other.words(on: 0) == nil)
        // Without tools nothing is kept.
        let none = PageTextCache(besides: file, tools: PDFTools(directories: []))
        none.keep(pages[0], of: 0)
        #expect(await none.words(on: 0) == nil)
    }

    @Test func theFilesUsedLeastRecentlyGoFirst() throws {
        for (index, name) in ["old.words", "new.search", "other.pdf"].enumerated() {
            let path = try folder.write(name, [UInt8](repeating: 0, count: 1000))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: Double(1000 + index))], ofItemAtPath: path)
        }
        PageTextCache.makeRoom(in: stem, limit: 1500)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(left.filter { !$0.hasPrefix("a") } == ["new.search", "other.pdf"])
    }

    private final class Told: Sendable {
        private let pages = Mutex<[Int: String]>([:])
        private let news = DispatchSemaphore(value: 0)

        var texts: [Int: String] { pages.withLock { $0 } }

        func take(_ message: Message) {
            switch message {
            case .indexed(let texts): pages.withLock { $0.merge(texts) { $1 } }
            case .indexFailed: break
            default: return
            }
            news.signal()
        }

        func wait(for count: Int) throws {
            while texts.count < count {
                guard news.wait(timeout: .now() + 60) == .success else { throw StoryError("\(texts.count) pages") }
            }
        }
    }
}

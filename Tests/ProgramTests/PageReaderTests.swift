import App
import Dispatch
import Foundation
import PDFPages
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import postilla

@Suite(.onOwnThreads)
struct PageReaderTests {
    private let folder: Folder
    private let file: String

    init() throws {
        folder = try Folder()
        file = try folder.write("paper.pdf", SmallPDF.paper().bytes)
    }

    private final class Told: Sendable {
        private let pages = Mutex<[Int]>([])
        private let news = DispatchSemaphore(value: 0)

        var count: Int { pages.withLock(\.count) }

        func take(_ message: Message) {
            guard case .indexed(let texts) = message else { return }
            pages.withLock { $0 += texts.keys }
            for _ in texts { news.signal() }
        }

        func wait(for count: Int) throws {
            while self.count < count {
                guard news.wait(timeout: .now() + 60) == .success else { throw StoryError("\(self.count) pages") }
            }
        }
    }

    /// Starts and stops in the order of the calls, whichever threads run the tasks.
    @Test func anIndexThatWasStoppedTellsNothingMore() throws {
        let reader = PageReader(file: file)
        let before = Told()
        for _ in 0..<20 {
            reader.tellTexts { before.take($0) }
            reader.stopTexts()
        }
        let stopped = before.count
        // The last run takes as long as an earlier one would have taken without the stop.
        let last = Told()
        reader.tellTexts { last.take($0) }
        try last.wait(for: 3)
        #expect(before.count == stopped)
        #expect(last.count == 3)
        reader.close()
    }

    @Test func pagesThatHaveTheWordsAreReadFirst() {
        #expect(
            PageReader.stretches(of: Array(1..<300), likely: [7, 8, 211], current: 100) == [
                211...211, 7...8, 9...136, 137...210, 212...299, 1...6,
            ])
        #expect(PageReader.stretches(of: [3, 4], likely: [], current: 9) == [3...4])
    }

    @Test func pagesThatHaveTheWordsAreNamedBeforeTheyAreRead() async throws {
        var pdf = SmallPDF()
        pdf.pages = (0..<400).map { page in
            let text = page == 311 ? "an unexpected Walrus" : "page \(page) of a long report"
            return ("/MediaBox[0 0 612 792]", "BT /F1 20 Tf 100 602 Td (\(text)) Tj ET")
        }
        let file = try folder.write("long.pdf", pdf.bytes)
        let reader = PageReader(file: file)
        defer { reader.close() }
        let told = Mutex<[Message]>([])
        let all = Told()
        reader.tellTexts(seeking: "unexpected wal") { message in
            told.withLock { $0.append(message) }
            all.take(message)
        }
        try all.wait(for: 400)
        // The page that the document opens on is kept.
        let messages = told.withLock { $0 }.filter {
            if case .indexed(let texts) = $0 { texts[0] == nil } else { true }
        }
        #expect(messages.prefix(1) == [.likelyPages([311], seeking: "unexpected wal")])
        #expect(messages.contains(.indexed([311: "an unexpected walrus"])))
    }

    @Test func nothingBeginsOnceItIsClosed() throws {
        let reader = PageReader(file: file)
        reader.close()
        let told = Told()
        reader.tellTexts { told.take($0) }
        let other = PageReader(file: file)
        let last = Told()
        other.tellTexts { last.take($0) }
        try last.wait(for: 3)
        #expect(told.count == 0)
        other.close()
    }
}

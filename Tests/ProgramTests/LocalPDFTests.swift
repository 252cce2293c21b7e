import App
import Foundation
import InstantCore
import PDFPages
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import postilla

/// What a program does to a PDF while the viewer reads it.
@Suite(.onOwnThreads, .timeLimit(.minutes(3)))
struct LocalPDFTests {
    private let folder: Folder
    private let path: String

    init() throws {
        folder = try Folder()
        path = try folder.write("paper.pdf", SmallPDF.paper().bytes)
    }

    /// Opens the file, and changes it between its first page and its annotations.
    private func opened(_ change: @escaping @Sendable () -> Void) throws -> (LocalPDF, AsyncStream<Message>) {
        let (messages, continuation) = AsyncStream.makeStream(of: Message.self)
        let pdf = try LocalPDF(
            path, tools: PDFTools(), readOnly: nil, drafts: [:], author: "ana", reading: { nil }, shown: {},
            turn: change, post: { continuation.yield($0) })
        pdf.start()
        return (pdf, messages)
    }

    /// Waits for the notice that begins so. On a slow machine, others may come before.
    private func wait(_ messages: AsyncStream<Message>, until start: String) async throws {
        for await message in messages {
            switch message {
            case .notice(let text) where text.hasPrefix(start): return
            case .openFailed(let why): throw StoryError("the file was not opened: \(why)")
            default: continue
            }
        }
    }

    /// It has its time, size and number again, so nothing but its absence tells that it must be read.
    @Test func aFileThatWasAwayIsReadWhenItIsBack() async throws {
        let (path, away) = (path, path + ".away")
        let isAway = Atomic(false)
        let (pdf, messages) = try opened {
            if !isAway.exchange(true, ordering: .relaxed) { rename(path, away) }
        }
        defer { pdf.close() }
        try await wait(messages, until: "The file cannot be read")
        // By now its annotations come from the engine, which does not read its pages.
        pdf.handOver()
        rename(away, path)
        try await wait(messages, until: "The file is back")
    }

    @Test func aFileThatIsEmptiedAndWrittenIsReadWhenItIsWhole() async throws {
        let (path, whole) = (path, try Data(contentsOf: URL(filePath: path)))
        let isEmptied = Atomic(false)
        let (pdf, messages) = try opened {
            if !isEmptied.exchange(true, ordering: .relaxed) { truncate(path, 0) }
        }
        defer { pdf.close() }
        try await wait(messages, until: "The file cannot be read")
        try whole.write(to: URL(filePath: path))
        try await wait(messages, until: "The file changed on disk; showing")
        #expect(try pdf.records.store.read { try $0.records(after: nil, limit: .max).count } > 0)
    }
}

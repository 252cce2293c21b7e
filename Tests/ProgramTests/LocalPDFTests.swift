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

    /// Returns the notices up to the one that begins so.
    private func notices(_ messages: AsyncStream<Message>, until end: String) async throws -> [String] {
        var told: [String] = []
        for await message in messages {
            switch message {
            case .notice(let text): told.append(text)
            case .openFailed(let why): throw StoryError("the file was not opened: \(why)")
            default: continue
            }
            if told.last?.hasPrefix(end) == true { break }
        }
        return told
    }

    /// It has its time, size and number again, so nothing but its absence tells that it must be read.
    @Test func aFileThatWasAwayIsReadWhenItIsBack() async throws {
        let (path, away) = (path, path + ".away")
        let isAway = Atomic(false)
        let (pdf, messages) = try opened {
            if !isAway.exchange(true, ordering: .relaxed) { rename(path, away) }
        }
        defer { pdf.close() }
        #expect(try await notices(messages, until: "The file cannot be read").count == 1)
        // By now its annotations come from the engine, which does not read its pages.
        pdf.handOver()
        rename(away, path)
        #expect(try await notices(messages, until: "The file is back").count == 1)
    }

    @Test func aFileThatIsEmptiedAndWrittenIsReadWhenItIsWhole() async throws {
        let (path, whole) = (path, try Data(contentsOf: URL(filePath: path)))
        let isEmptied = Atomic(false)
        let (pdf, messages) = try opened {
            if !isEmptied.exchange(true, ordering: .relaxed) { truncate(path, 0) }
        }
        defer { pdf.close() }
        #expect(try await notices(messages, until: "The file cannot be read").count == 1)
        try whole.write(to: URL(filePath: path))
        #expect(try await notices(messages, until: "The file changed on disk; showing").count == 1)
        #expect(try pdf.records.store.read { try $0.records(after: nil, limit: .max).count } > 0)
    }
}

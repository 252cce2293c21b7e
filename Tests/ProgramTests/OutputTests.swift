import Foundation
import Glibc
import Screen
import TestThreads
import Testing

@testable import postilla

/// Where output goes that is not a terminal.
@Suite(.onOwnThreads) struct OutputTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// The temporary names beside it have at most as many bytes.
    @Test(arguments: ["a", "अ", "👍"]) func aFileMayHaveTheLongestName(_ letter: String) throws {
        let path = folder.path + "/" + String(repeating: letter, count: 255 / letter.utf8.count)
        let file = try NewFile(replacing: path)
        let notes = try NewFile(replacing: path, purpose: ".notes")
        #expect(access(file.temporary, F_OK) == 0 && access(notes.temporary, F_OK) == 0)
        try file.write(PrintableText(replacing: "text"))
        try file.finish()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "text")
        withExtendedLifetime(notes) {}
    }

    /// Another program that has the same output open may make it non-blocking, for everybody.
    @Test func nothingIsLostOnAnOutputThatDoesNotWait() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        try #require(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
        let text = (0..<100_000).map { "line \($0)\n" }.joined()
        Thread.detachNewThread {
            try? Output.writeAll(text, to: writing)
            close(writing)
        }
        let found = FileHandle(fileDescriptor: reading, closeOnDealloc: true).readDataToEndOfFile()
        let isWhole = found == Data(text.utf8)
        #expect(isWhole, "\(found.count) of \(text.utf8.count) bytes")
    }
}

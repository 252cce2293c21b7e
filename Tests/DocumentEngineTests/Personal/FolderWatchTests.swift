import Foundation
import TestSupport
import TestThreads
import Testing

@testable import DocumentEngine

/// What is told of the files of a folder.
@Suite(.onOwnThreads) struct FolderWatchTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/paper.pdf" }

    init() throws { folder = try TemporaryFolder() }

    private func write(_ name: String, _ text: String = "text") throws {
        try Data(text.utf8).write(to: URL(filePath: folder.path + "/" + name))
    }

    @Test func aFileThatIsWrittenReplacedMovedOrRemovedIsTold() async throws {
        try write("paper.pdf")
        let watch = try #require(FolderWatch())
        #expect(watch.follow(path))
        var events = watch.events.makeAsyncIterator()
        // Others in the folder are not told: each event would come before that of the file.
        for change: () throws -> Void in [
            { try write("paper.pdf", "more") },
            {
                try write("other.pdf")
                try write("new.pdf")
                rename(folder.path + "/new.pdf", path)
            },
            { rename(path, folder.path + "/away.pdf") },
            { try write("paper.pdf") },
            { unlink(path) },
        ] {
            try change()
            #expect(await events.next() == path)
        }
    }

    @Test func whatIsNoLongerFollowedIsNotTold() async throws {
        let other = folder.path + "/other/one.pdf"
        mkdir(folder.path + "/other", 0o700)
        let watch = try #require(FolderWatch())
        #expect(watch.follow(path) && watch.follow(other))
        watch.drop { [other] }
        var events = watch.events.makeAsyncIterator()
        try write("paper.pdf")
        try write("other/one.pdf")
        #expect(await events.next() == other)
        // A folder that cannot be watched.
        #expect(!watch.follow(folder.path + "/none/a.pdf"))
        unlink(other)
        #expect(await events.next() == other)
    }
}

import Foundation
import Glibc
import Testing

@testable import PDFPages

/// Intermediate files of killed processes are removed later, and nobody else's.
struct ScratchFolderTests {
    private let place: String

    init() throws {
        place = FileManager.default.temporaryDirectory.path + "/postilla-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    }

    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? [] }

    @Test func whatAKilledProcessHasLeftIsRemoved() throws {
        defer { try? FileManager.default.removeItem(atPath: place) }
        let used = try ScratchFolder(in: place)
        _ = try used.file("notes.json")
        // As a killed process leaves it: nobody holds its lock.
        let left = place + "/postilla-scratch-gone00"
        for path in [left, place + "/postilla-others", place + "/mine"] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        #expect(FileManager.default.createFile(atPath: left + "/notes.json", contents: Data("text".utf8)))
        #expect(symlink(place + "/mine", place + "/postilla-scratch-link00") == 0)
        // A folder that has just been made has no lock yet.
        ScratchFolder.removeLeft(in: place)
        #expect(names.contains("postilla-scratch-gone00"))
        ScratchFolder.removeLeft(in: place, now: time(nil) + 3600)
        #expect(names.count == 4 && !names.contains("postilla-scratch-gone00"), "\(names)")
        #expect(access(used.path("notes.json"), F_OK) == 0)
        withExtendedLifetime(used) {}
    }

    @Test func aPlaceThatCannotBeUsedIsNamed() {
        #expect(throws: PDFError.noScratchFolder("\(place)/none", code: ENOENT)) {
            try ScratchFolder(in: place + "/none")
        }
    }
}

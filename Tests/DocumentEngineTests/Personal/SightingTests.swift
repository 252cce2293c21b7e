import Annotations
import Foundation
import Glibc
import SyncProtocol
import TestSupport
import Testing

@testable import DocumentEngine

/// The engine opens only the file that the process sees that asks for it.
struct SightingTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/paper.pdf"
        try Data("one".utf8).write(to: URL(filePath: path))
    }

    /// As the engine gets it.
    private func sent(_ seen: Sighting) throws -> Sighting {
        try FileOpening(bytes: FileOpening(path: path, isPrivate: false, seen: seen).bytes).seen
    }

    @Test func whatWasSeenIsOpened() throws {
        let seen = Sighting(of: path)
        #expect(try sent(seen) == seen)
        let file = try #require(try seen.opened(path))
        // Whatever takes its name afterwards.
        #expect(rename(path, folder.path + "/old.pdf") == 0)
        try Data("two".utf8).write(to: URL(filePath: path))
        #expect(try Data(contentsOf: URL(filePath: file.name(otherwise: path))) == Data("one".utf8))
        #expect(try FileFacts.read(file).size == 3)
        #expect(throws: OwnFileError.otherFile) { try seen.opened(path) }
        withExtendedLifetime(file) {}
    }

    @Test func aFileThatWasChangedIsAnotherOne() throws {
        let seen = Sighting(of: path)
        #expect(chmod(path, 0o640) == 0)
        #expect(throws: OwnFileError.otherFile) { try seen.opened(path) }
        guard case .file(var any) = seen else { throw CancellationError() }
        // One that changes all the time is known by its inode.
        any.changed = nil
        #expect(try sent(.file(any)).opened(path) != nil)
    }

    @Test func nothingIsNothing() throws {
        let none = Sighting(of: folder.path + "/none.pdf")
        #expect(try none == .nothing && sent(none) == .nothing && sent(.unknown) == .unknown)
        #expect(try none.opened(folder.path + "/none.pdf") == nil)
        #expect(throws: OwnFileError.otherFile) { try none.opened(path) }
        #expect(throws: OwnFileError.otherFile) { try Sighting(of: path).opened(folder.path + "/none.pdf") }
        #expect(try Sighting.unknown.opened(path) != nil)
        for text in ["{}", #"{"device":"x","inode":"1"}"#, "[]", "1"] {
            #expect(try FileOpening(bytes: Array(#"{"path":"/a","seen":\#(text)}"#.utf8)).seen == .unknown)
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root reads everything")) func aFileOfAnotherGroupIsNamed() throws {
        guard case .file(var seen) = Sighting(of: path) else { throw CancellationError() }
        #expect(chmod(path, 0) == 0)
        seen.changed = nil
        #expect(throws: OwnFileError.notReadableHere) { try Sighting.file(seen).opened(path) }
    }

    @Test func thePlaceOfACopyIsItsFolder() throws {
        let place = try FilePlace(of: folder.path + "/copy.pdf")
        let target = try #require(place.sighting)
        try target.check(place)
        let other = try TemporaryFolder()
        #expect(throws: OwnFileError.otherFile) { try target.check(try FilePlace(of: other.path + "/copy.pdf")) }
        try Data().write(to: URL(filePath: folder.path + "/copy.pdf"))
        #expect(throws: OwnFileError.otherFile) { try target.check(place) }
    }

    @Test func namesOfOneProcessAreKnown() throws {
        for path in ["/dev/fd/0", "/proc/self/fd/0", "/proc/thread-self/fd/0"] {
            #expect(try FilePlace(of: path).isOfThisProcess, "\(path)")
        }
        #expect(try !FilePlace(of: path).isOfThisProcess && !FilePlace(of: folder.path + "/none").isOfThisProcess)
        let mask = try #require(
            try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n").first {
                $0.hasPrefix("Umask:")
            })
        #expect(mode_t(mask.dropFirst(7), radix: 8) == FileMask.current)
    }

    /// Each cause has its own sentence, with the folder.
    @Test func everyCauseIsNamed() {
        let codes = [EACCES, EROFS, ENOSPC, EDQUOT, EMFILE, ENFILE, EFBIG, ENOENT, EIO, EINVAL]
        let sentences = codes.map { PlaceProblem(folder: "/a/folder", code: $0).sentence }
        #expect(Set(sentences).count == codes.count && sentences.allSatisfy { $0.contains("/a/folder") })
        #expect(PlaceProblem(OwnFileError(errno: EROFS), in: "/f") == PlaceProblem(folder: "/f", code: EROFS))
        #expect(PlaceProblem.found(in: folder.path) == nil)
    }
}

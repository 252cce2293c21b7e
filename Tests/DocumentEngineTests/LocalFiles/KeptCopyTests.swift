import FileCore
import Foundation
import Glibc
import TestThreads
import Testing

@testable import DocumentEngine

@Suite("The copy that is kept of a PDF", .onOwnThreads) struct KeptCopyTests {
    private let folder: TemporaryFolder
    private let copies: KeptCopy
    private let path: String
    private let version: FileVersion.Contents

    init() throws {
        folder = try TemporaryFolder()
        copies = KeptCopy(data: folder.path + "/data", runtime: folder.path + "/run")
        path = folder.path + "/paper.pdf"
        try Data("first".utf8).write(to: URL(filePath: path))
        version = try FileVersion.read(path).contents
    }

    private func place(_ path: String?) -> String? { path.map { $0.contains("/data/") ? "data" : "run" } }

    @Test func itFollowsTheDatabase() throws {
        try copies.keep(version, of: path, in: .runtime, hasMarks: true)
        #expect(place(try copies.intact(version)) == "run")
        // The file is gone, and the copy is not.
        unlink(path)
        try copies.keep(version, of: path, in: .data, hasMarks: true)
        copies.dropOthers(than: version, in: .data)
        #expect(place(try copies.intact(version)) == "data")
        #expect(try FileManager.default.contentsOfDirectory(atPath: copies.runtime).isEmpty)
    }

    @Test func inMemoryThereIsOneOnlyIfItIsNeededAndSmall() throws {
        try copies.keep(version, of: path, in: .runtime, hasMarks: false)
        #expect(copies.path(of: version) == nil)
        var large = version
        large.size = KeptCopy.mostInMemory + 1
        try copies.keep(large, of: path, in: .runtime, hasMarks: true)
        #expect(copies.path(of: large) == nil)
    }

    @Test func anotherVersionIsNotCopied() throws {
        try Data("second".utf8).write(to: URL(filePath: path))
        try copies.keep(version, of: path, in: .data, hasMarks: true)
        #expect(try copies.intact(version) == nil)
        let second = try FileVersion.read(path).contents
        try copies.keep(second, of: path, in: .data, hasMarks: true)
        copies.dropOthers(than: second, in: .data)
        #expect(try FileManager.default.contentsOfDirectory(atPath: copies.data).count == 1)
    }

    @Test func aDamagedOneIsNamed() throws {
        try copies.keep(version, of: path, in: .data, hasMarks: true)
        let copy = try #require(copies.path(of: version))
        try Data("fIrst".utf8).write(to: URL(filePath: copy))
        #expect(throws: OwnFileError.copyDamaged(copy)) { try copies.intact(version) }
    }
}

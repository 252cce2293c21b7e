import Foundation
import Glibc
import TestSupport
import Testing

@testable import DocumentEngine

/// Where paths lead: a backup must not be written to the place it copies.
@Suite("Real paths") struct RealPathTests {
    private let folder: TemporaryFolder
    private var root: String { folder.path }

    /// `data/pdf` with a file in it, `elsewhere`, and links.
    init() throws {
        folder = try TemporaryFolder()
        for name in ["data/pdf", "elsewhere"] {
            try FileManager.default.createDirectory(atPath: "\(root)/\(name)", withIntermediateDirectories: true)
        }
        try Data().write(to: URL(fileURLWithPath: "\(root)/data/pdf/file"))
        for (link, target) in [
            ("link", "data"), ("absolute", "\(root)/data/pdf"), ("elsewhere/up", "../link/pdf"),
            ("dangling", "nowhere"),
        ] { try FileManager.default.createSymbolicLink(atPath: "\(root)/\(link)", withDestinationPath: target) }
    }

    private func isInData(_ path: String) throws -> Bool {
        try RealPath("\(root)/\(path)").isWithin(RealPath("\(root)/data"))
    }

    @Test(
        arguments: [
            "data", "data/", "data//", "./data/.", "elsewhere/../data", "data/pdf", "data/pdf/z", "data/new/deeper/",
            "data/./new/.", "link", "link/", "link/new", "link/pdf/../new", "absolute", "absolute/new", "absolute/..",
            "elsewhere/up", "elsewhere/up/new", "data/pdf/file",
        ])
    func inside(_ path: String) throws { #expect(try isInData(path)) }

    @Test(
        arguments: [
            "data2", "dat", "Data", "data.restoring", "new", "new/data", "elsewhere", "elsewhere/data", "data/..",
            "data/../new", "link/..", "absolute/../../new", "elsewhere/up/../../new", ".", "..", "",
        ])
    func outside(_ path: String) throws { #expect(try !isInData(path)) }

    @Test(arguments: ["", "/.", "/data/..", "/..", "/link/..", "/absolute/../.."]) func foldersThatContainIt(
        _ path: String
    )
        throws
    {
        #expect(try RealPath("\(root)/data").isWithin(RealPath(root + path)))
        #expect(try RealPath("\(root)/data/new/deeper").isWithin(RealPath(root + path)))
        #expect(try RealPath("\(root)/data").isWithin(RealPath("/")))
    }

    @Test func pathsAreAbsoluteAndWithoutLinks() throws {
        let real = try RealPath(root).path
        #expect(try RealPath("\(root)/elsewhere/up/new//deeper/").path == real + "/data/pdf/new/deeper")
        #expect(try RealPath("\(root)/data/new").parent == real + "/data")
        #expect(try RealPath("\(root)/data/new/x").path(below: RealPath("\(root)/link")) == "new/x")
        #expect(try RealPath("\(root)/data").path(below: RealPath("\(root)/data")) == nil)
        #expect(try RealPath("\(root)/data2").path(below: RealPath("\(root)/data")) == nil)
        #expect(try RealPath("/").parent == "/" && RealPath("/no-such-place").parent == "/")
        let here = try RealPath(".").path
        #expect(try RealPath("no-such-place/x").path == here + "/no-such-place/x")
        #expect(try RealPath("/no-such-place").path == "/no-such-place")
    }

    @Test(arguments: [
        ("dangling", "dangling is a link to a place that does not exist"),
        ("dangling/new", "dangling is a link to a place that does not exist"),
        ("data/none/../new", "it goes up from a folder that does not exist"),
        ("data/none/..", "it goes up from a folder that does not exist"), ("data/pdf/file/new", "Not a directory"),
    ])
    func whatCannotBeFollowedIsAnError(_ path: String, _ why: String) throws {
        #expect {
            try RealPath("\(root)/\(path)")
        } throws: { "\($0)".hasPrefix("cannot use \(root)/\(path): ") && "\($0)".hasSuffix(why) }
    }

    @Test func anEmptyPathIsAnError() { #expect(throws: StoreError.self) { try RealPath("") } }

    /// Text cannot tell: both names are real.
    @Test(.enabled(if: TinyDisk.isAllowed, "only root may mount")) func oneFolderMayHaveTwoNames() throws {
        try FileManager.default.createDirectory(atPath: "\(root)/bound", withIntermediateDirectories: true)
        try #require(mount("\(root)/data", "\(root)/bound", nil, UInt(MS_BIND), nil) == 0)
        defer { umount2("\(root)/bound", Int32(MNT_DETACH)) }
        #expect(try isInData("bound") && isInData("bound/pdf") && isInData("bound/new"))
        #expect(try RealPath("\(root)/data/pdf").isWithin(RealPath("\(root)/bound")))
        #expect(try !isInData("elsewhere"))
    }
}

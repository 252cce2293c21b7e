import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

@testable import DocumentEngine

/// Where a path leads, and which links are followed.
@Suite(.onOwnThreads) struct FilePlaceTests {
    private let folder: TemporaryFolder
    private var root: String { folder.path }

    init() throws {
        folder = try TemporaryFolder()
        for name in ["a", "a/b", "shared"] {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/" + name, withIntermediateDirectories: false)
        }
        try Data("old".utf8).write(to: URL(fileURLWithPath: folder.path + "/a/file"))
        chmod(folder.path + "/shared", 0o1777)
    }

    @Test func theRuleIsThatOfTheKernel() {
        for (mode, folderOwner, linkOwner, isFollowed) in [
            (0o755, 0, 1001, true), (0o700, 1000, 1001, true), (0o1777, 0, 1000, true), (0o1777, 0, 0, true),
            (0o1777, 0, 1001, false), (0o1777, 1001, 1001, true), (0o777, 0, 1001, false), (0o1755, 0, 1001, false),
            (0o775, 0, 1001, true),
        ] as [(mode_t, uid_t, uid_t, Bool)] {
            var status = stat()
            (status.st_mode, status.st_uid) = (S_IFDIR | mode, folderOwner)
            #expect(
                FilePlace.mayFollow(linkOf: linkOwner, in: status, user: 1000) == isFollowed, "\(mode) \(linkOwner)")
        }
    }

    @Test func pathsLeadWhereTheKernelSays() throws {
        for (link, target) in [
            ("one", "a/file"), ("two", "a/b/../../one"), ("a/up", "../a/b"), ("none", "a/new"), ("far", root + "/a/b"),
        ] {
            #expect(symlink(target, root + "/" + link) == 0)
        }
        let real = try #require(realpath(root, nil).map { String(cString: $0) })
        for (given, path) in [
            ("a/file", "/a/file"), ("./a/./b/../file", "/a/file"), ("one", "/a/file"), ("two", "/a/file"),
            ("a/up/new", "/a/b/new"), ("none", "/a/new"), ("far/../file", "/a/file"), ("far/x", "/a/b/x"),
            ("a//file", "/a/file"), ("a/b", "/a/b"), ("a/b/", "/a/b"),
        ] {
            let place = try FilePlace(of: root + "/" + given)
            #expect(place.path == real + path, "\(given)")
            #expect(access(place.here, F_OK) == access(place.path, F_OK))
        }
        #expect(try FilePlace(of: root + "/one", keepsLast: true).path == real + "/one")
        #expect(try FilePlace(of: "/").path == "/" && FilePlace(of: "/tmp/..").path == "/")
        #expect(symlink("loop", root + "/loop") == 0)
        for (given, code) in [
            ("loop", ELOOP), ("no/file", ENOENT), ("a/file/x", ENOTDIR), ("a/file/", ENOTDIR), ("a/new/", ENOENT),
        ] {
            #expect(throws: FilePlace.Problem.failed(code)) { try FilePlace(of: root + "/" + given) }
        }
    }

    /// What is exchanged after a path was followed changes nothing.
    @Test func theFolderStaysTheSame() throws {
        let place = try FilePlace(of: root + "/a/file")
        #expect(rename(root + "/a", root + "/moved") == 0 && symlink("shared", root + "/a") == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: place.here)) == Data("old".utf8))
    }

    @Test func onesOwnLinksAreFollowedEverywhere() throws {
        #expect(symlink("../a/file", root + "/shared/mine") == 0)
        #expect(try FilePlace(of: root + "/shared/mine").path.hasSuffix("/a/file"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give links away")) func theLinksOfOtherAccountsAreNot() throws {
        #expect(symlink("../a/file", root + "/shared/theirs") == 0 && symlink("../a", root + "/shared/folder") == 0)
        for name in ["theirs", "folder"] { lchown(root + "/shared/" + name, 65534, 65534) }
        for name in ["theirs", "folder/file", "folder/new"] {
            #expect(throws: OwnFileError.self) { try FilePaths.followed(root + "/shared/" + name) }
        }
        // Elsewhere, only the owner of the folder can make them.
        #expect(symlink("file", root + "/a/theirs") == 0)
        lchown(root + "/a/theirs", 65534, 65534)
        #expect(try FilePlace(of: root + "/a/theirs").path.hasSuffix("/a/file"))
    }
}

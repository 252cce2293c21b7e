import Annotations
import DocumentEngine
import Foundation
import Glibc
import TestSupport
import Testing

@testable import postilla

/// How the engine of a data folder is found: what its folders say, and what is believed of them.
@Suite struct EnginePlaceTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    // MARK: The name of the runtime folder

    private func status(_ device: UInt64, _ inode: UInt64) -> stat {
        var status = stat()
        status.st_dev = dev_t(device)
        status.st_ino = ino_t(inode)
        return status
    }

    @Test func aFolderKeepsItsNameAndACopyGetsAnother() throws {
        var random = SystemRandomNumberGenerator()
        var name = RuntimeName(nil, status: status(1, 7), using: &random)
        name.runtime = "/run/user/1000/postilla/" + name.id
        name.stamp = "0123"
        #expect(RuntimeName(name.json) == name)
        #expect(RuntimeName(name, status: status(1, 7), using: &random) == name)
        for (device, inode) in [(1, 8), (2, 7)] as [(UInt64, UInt64)] {
            let copied = RuntimeName(name, status: status(device, inode), using: &random)
            #expect(copied.id != name.id && copied.runtime == nil && copied.stamp.isEmpty)
        }
    }

    @Test(arguments: [
        #"{"format":2,"id":"00000000","device":"1","inode":"2","stamp":""}"#,
        #"{"format":1,"id":"../../x0","device":"1","inode":"2","stamp":""}"#,
        #"{"format":1,"id":"0000","device":"1","inode":"2","stamp":""}"#,
        #"{"format":1,"id":"00000000","device":"1","inode":"2","stamp":"","runtime":"run"}"#, "[]",
    ])
    func aNameThatIsNoneIsNotRead(_ text: String) throws {
        #expect(RuntimeName(try JSON(parsing: text)) == nil)
    }

    @Test func aMarkerBelongsToOneDataFolderAndItsLastEngine() {
        var random = SystemRandomNumberGenerator()
        var name = RuntimeName(nil, status: status(1, 7), using: &random)
        (name.runtime, name.stamp) = ("/r", "new")
        let marker = RuntimeMarker(id: name.id, folder: "/d/engine", stamp: "new")
        #expect(marker.isUsed(by: name, at: "/r"))
        #expect(!marker.isUsed(by: nil, at: "/r") && !marker.isUsed(by: name, at: "/other"))
        #expect(!RuntimeMarker(id: name.id, folder: "/d/engine", stamp: "old").isUsed(by: name, at: "/r"))
        #expect(!RuntimeMarker(id: "00000000", folder: "/d/engine", stamp: "new").isUsed(by: name, at: "/r"))
    }

    @Test func theLastFolderIsTakenAgainUnlessMemoryIsBetter() {
        let (disk, memory) = (
            RuntimeChoice(path: "/disk", isInMemory: false), RuntimeChoice(path: "/memory", isInMemory: true)
        )
        let other = RuntimeChoice(path: "/other", isInMemory: true)
        for (last, candidates, unsent, best) in [
            (nil, [], false, nil), (nil, [memory, disk], false, memory), (nil, [disk], false, disk),
            (memory, [disk], false, memory), (memory, [], false, memory), (memory, [other], false, memory),
            (disk, [disk], false, disk), (disk, [memory, disk], false, memory), (disk, [memory, disk], true, disk),
        ] as [(RuntimeChoice?, [RuntimeChoice], Bool, RuntimeChoice?)] {
            #expect(RuntimeChoice.best(last: last, candidates, lastHasUnsent: unsent) == best)
        }
    }

    // MARK: The record

    private func record() -> EngineRecord {
        EngineRecord(
            ofThisProcess: "/run/user/1000/postilla/01234567", folder: status(3, 9), version: "0.2.0", instance: "abcd")
    }

    @Test func aRecordIsReadAsItWasWritten() throws {
        let record = record()
        #expect(EngineRecord(record.json) == record && record.pid == getpid() && record.start > 0)
        #expect(record.isOf(status(3, 9)) && !record.isOf(status(3, 8)) && !record.isOf(status(2, 9)))
        for member in ["pid", "boot", "runtime", "instance", "format"] {
            guard case .object(var json) = record.json else { return }
            json[member] = nil
            #expect(EngineRecord(.object(json)) == nil)
        }
        guard case .object(var json) = record.json else { return }
        json["runtime"] = "run/here"
        #expect(EngineRecord(.object(json)) == nil)
    }

    @Test func anEngineIsElsewhereOnAnotherMachineOrInAnotherNamespace() {
        var record = record()
        (record.boot, record.mounts) = ("one", 4)
        for (boot, mounts, isElsewhere) in [
            ("one", 4, false), ("one", 5, true), ("two", 4, true), ("one", 0, false),
        ] as [(String, UInt64, Bool)] {
            #expect(record.isElsewhere(.init(boot: boot, mounts: mounts)) == isElsewhere)
        }
        record.mounts = 0
        #expect(!record.isElsewhere(.init(boot: "one", mounts: 5)))
    }

    @Test func theListenerMustBeOfThisUser() throws {
        try EngineSearch.check(.init(pid: 1, user: 1000), at: "/s", user: 1000)
        for other in [0, 1001, 65534] as [uid_t] {
            #expect(throws: CommandFailure.self) {
                try EngineSearch.check(.init(pid: 1, user: other), at: "/s", user: 1000)
            }
        }
    }

    // MARK: Folders and files

    @Test func onlyAFolderOfOnesOwnIsPrivate() {
        for (mode, owner, fault) in [
            (S_IFDIR | 0o700, 1000, nil), (S_IFDIR | 0o500, 1000, nil), (S_IFDIR | 0o710, 1000, .open),
            (S_IFDIR | 0o701, 1000, .open), (S_IFDIR | 0o1777, 0, .otherOwner), (S_IFDIR | 0o700, 0, .otherOwner),
            (S_IFLNK | 0o777, 1000, .link), (S_IFREG | 0o600, 1000, .notAFolder),
        ] as [(mode_t, uid_t, OwnFolder.Fault?)] {
            var status = stat()
            (status.st_mode, status.st_uid) = (mode, owner)
            #expect(OwnFolder.fault(status, user: 1000) == fault)
        }
    }

    @Test func aFileThatOthersCanWriteIsRefused() throws {
        let path = try folder.write("holder.json", "{}")
        #expect(try OwnFolder.read(path) == Array("{}".utf8))
        #expect(try OwnFolder.read(path + "2") == nil)
        for mode in [0o620, 0o602, 0o666] as [mode_t] {
            chmod(path, mode)
            #expect(throws: CommandFailure.self) { try OwnFolder.read(path) }
        }
        chmod(path, 0o600)
        #expect(symlink(path, folder.path + "/link") == 0)
        #expect(throws: CommandFailure.self) { try OwnFolder.read(folder.path + "/link") }
        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
        #expect(throws: CommandFailure.self) { try OwnFolder.read(folder.path + "/pipe") }
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give files away")) func theFileOfAnotherAccountIsRefused() throws
    {
        let path = try folder.write("holder.json", "{}")
        chown(path, 65534, 65534)
        #expect(throws: CommandFailure.self) { try OwnFolder.read(path) }
    }

    @Test func locksOfOtherMachinesAreNotBelieved() {
        for type in [
            0x6969, 0xFF53_4D42, 0xFE53_4D42, 0x517B, 0x00C3_6400, 0x5346_414F, 0x0102_1997, 0x6573_5546, 0x0BD0_0BD0,
        ] as [UInt32] {
            guard case .remote = FileSystemKind(type: type) else {
                Issue.record("\(type)")
                continue
            }
        }
        #expect(FileSystemKind(type: 0x0102_1994) == .memory)
        // ext4, btrfs, xfs, overlayfs.
        for type in [0xEF53, 0x9123_683E, 0x5846_5342, 0x794C_7630] as [UInt32] {
            #expect(FileSystemKind(type: type) == .disk)
        }
    }

    // MARK: Earlier versions

    @Test func anEarlierVersionNamesItsFolderByTheSpelling() {
        let places = EarlierEngine.runtimes(["/home/ada/d", "/home/ada/d/"], state: "/s", memory: "/run/user/7")
        // The first bytes of the SHA-256 of the spelling.
        #expect(
            places == [
                "/run/user/7/postilla/6359641f", "/s/engine/6359641f", "/run/user/7/postilla/3b791af3",
                "/s/engine/3b791af3",
            ])
        let long = "/" + String(repeating: "x", count: 90)
        #expect(EarlierEngine.runtimes(["/d"], state: long, memory: nil).isEmpty)
    }

    @Test func theDataFolderOfAnEngineIsThatOfItsCommandLine() {
        for (words, environment, data) in [
            (["postilla", "engine"], ["HOME=/h"], "/h/.local/share/postilla"),
            (["postilla", "engine"], ["HOME=/h", "XDG_DATA_HOME=/x"], "/x/postilla"),
            (["postilla", "engine"], ["HOME=/h", "XDG_DATA_HOME=x"], "/h/.local/share/postilla"),
            (["postilla", "engine"], ["HOME=/h", "POSTILLA_DATA=d/"], "d/"),
            (["postilla", "engine"], ["HOME=/h", "POSTILLA_DATA="], "/h/.local/share/postilla"),
            (["/usr/bin/postilla", "engine", "--data-dir", "./d", "--idle", "3"], ["POSTILLA_DATA=/x"], "./d"),
            (["postilla", "engine", "--idle", "3", "--data-dir=/d"], [], "/d"), (["postilla", "engine"], [], nil),
            (["postilla", "engine", "--data-dir"], ["HOME=/h"], nil),
        ] as [([String], [String], String?)] {
            #expect(EngineArguments(words: words)?.dataFolder(environment: environment) == data, "\(words)")
        }
        for words in [["postilla"], ["postilla", "list"], ["search", "engine"], ["", "engine"], []] {
            #expect(EngineArguments(words: words) == nil)
        }
    }
}

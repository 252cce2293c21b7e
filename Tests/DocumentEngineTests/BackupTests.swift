import Annotations
import Crypto
import Foundation
import SyncProtocol
import TestSupport
import Testing

@testable import DocumentEngine

/// A backup made while the server works, and a server started on it.
@Suite("Backup", .timeLimit(.minutes(15))) struct BackupTests {
    private static let picture = Array("a picture".utf8)
    private static var pictureName: String { sha256(picture) }

    static func sha256(_ bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test func whatWasThereWhenItWasMadeIsThereAgain() async throws {
        let place = try TemporaryFolder()
        let copy = place.path + "/copy"
        let clock = TestClock()
        let before = try await RunningServer.run(folder: place, clock: clock) { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            #expect(
                try await server.client(token, "PUT", "attachments/\(Self.pictureName)", body: Self.picture).status
                    == 200)
            #expect(try await server.push(token, [Samples.create(1, "n1")]).status == 200)
            let report = try Backup(of: place.path + "/data", to: copy).make()
            #expect(report == Backup.Report(documents: 1, files: 3, copiedFiles: 3))
            let session = try await server.session(token)
            #expect(try await server.push(token, [Samples.create(2, "n2")]).status == 200)
            return session
        }
        try await RunningServer.run(folder: place, clock: clock) {
            $0.dataFolder = copy
        } _: { server in
            let token = try server.mint.token(TokenClaims())
            let session = try await server.session(token)
            #expect((session.head, session.pdfSHA256) == (before.head, before.pdfSHA256))
            // The new generation shows clients that the backup lacks later changes.
            #expect(session.generation != before.generation)
            #expect(try await server.client(token, "GET", "document").body == Samples.pdf)
            #expect(try await server.push(token, client: "c2", [Samples.create(1, "n9")]).status == 200)
        }
    }

    @Test func itIsWholeWhateverIsWrittenMeanwhile() async throws {
        let place = try TemporaryFolder()
        let (data, copy) = (place.path + "/data", place.path + "/copy")
        try await RunningServer.run(folder: place) { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let writer = Task {
                for number in 1...60 {
                    _ = try await server.push(token, [Samples.create(Int64(number), "n\(number)")])
                    _ = try await server.upload("doc\(number % 3)", Samples.pdf + [UInt8(number), 0x0A])
                    if number % 2 == 0 { _ = try await server.backend("DELETE", "/api/documents/doc\(number % 3)") }
                }
            }
            for _ in 0..<5 {
                let report = try Backup(of: data, to: copy).make()
                let names = try FolderBlobs(folder: copy + "/pdf", suffix: ".pdf").names()
                #expect(names.count == report.files)
            }
            try await writer.value
        }
    }

    @Test func aSecondCopyTakesWhatIsNewAndDropsWhatIsGone() async throws {
        let place = try TemporaryFolder()
        let (data, copy) = (place.path + "/data", place.path + "/copy")
        try await RunningServer.run(folder: place) { server in
            try await server.upload("one")
            try await server.upload("two", Samples.pdf + [0x20])
            // Both documents have the same stripped file: it ends with its last object.
            #expect(try Backup(of: data, to: copy).make().copiedFiles == 3)
            _ = try await server.backend("DELETE", "/api/documents/one")
            try await server.upload("three", Samples.pdf + [0x0A])
            let report = try Backup(of: data, to: copy).make()
            #expect(report == Backup.Report(documents: 2, files: 3, copiedFiles: 1))
            #expect(try FolderBlobs(folder: copy + "/pdf", suffix: ".pdf").names().count == 3)
        }
    }

    @Test func nobodyElseMayReadIt() async throws {
        let place = try TemporaryFolder()
        let copy = place.path + "/copy"
        try await RunningServer.run(folder: place) { server in
            try await server.upload()
            _ = try Backup(of: place.path + "/data", to: copy).make()
        }
        for folder in [place.path + "/data", copy] {
            #expect(try Self.rights(folder) == 0o700)
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
            #expect(names.contains("postilla.sqlite"))
            for name in names {
                let rights = try Self.rights("\(folder)/\(name)")
                #expect([0o600, 0o700].contains(rights), "\(name) has \(String(rights, radix: 8))")
            }
        }
    }

    private static func rights(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
    }

    @Test func aFileThatIsDamagedOrGoneIsNamed() async throws {
        let place = try TemporaryFolder()
        let (data, copy) = (place.path + "/data", place.path + "/copy")
        _ = try await RunningServer.run(folder: place) { try await $0.upload() }
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: data + "/pdf").first)
        try Data(Samples.pdf.dropLast()).write(to: URL(fileURLWithPath: "\(data)/pdf/\(name)"))
        #expect(throws: StoreError.unusable("\(data)/pdf/\(name)", "its SHA-256 does not match its name")) {
            try Backup(of: data, to: copy).make()
        }
        try FileManager.default.removeItem(atPath: "\(data)/pdf/\(name)")
        #expect(throws: StoreError.unusable("\(data)/pdf/\(name)", "it is in the database but does not exist")) {
            try Backup(of: data, to: copy).make()
        }
        #expect(throws: StoreError.self) { try Backup(of: place.path + "/nothing", to: copy).make() }
    }

    // MARK: Places

    /// A data folder with a store, a store elsewhere, and links to them.
    private static func places() throws -> TemporaryFolder {
        let place = try TemporaryFolder()
        for name in ["data", "stores"] {
            try PrivateFiles.make(folder: "\(place.path)/\(name)")
            try SQLiteStore(path: "\(place.path)/\(name)/postilla.sqlite").close()
        }
        for kind in ["pdf", "attachments"] { try PrivateFiles.make(folder: "\(place.path)/data/\(kind)") }
        let files = FileManager.default
        try files.createDirectory(atPath: place.path + "/around", withIntermediateDirectories: true)
        try files.createSymbolicLink(atPath: place.path + "/link", withDestinationPath: "data")
        try files.createSymbolicLink(
            atPath: place.path + "/around/postilla.sqlite", withDestinationPath: "../stores/postilla.sqlite")
        return place
    }

    private static func everything(in folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).sorted().map {
            "\($0) \(try rights("\(folder)/\($0)"))"
        } + ["\(try rights(folder))"]
    }

    /// The backup would overwrite its source, or remove files of it.
    @Test(arguments: [
        ("data", "is in the server's data folder"), ("data/", "is in the server's data folder"),
        ("stores/../data", "is in the server's data folder"), ("data/pdf", "is in the server's data folder"),
        ("data/pdf/z", "is in the server's data folder"), ("data/a/b/", "is in the server's data folder"),
        ("link", "is in the server's data folder"), ("link/a", "is in the server's data folder"),
        (".", "contains the server's data folder"), ("stores/..", "contains the server's data folder"),
        ("", "contains the server's data folder"), ("data/..", "contains the server's data folder"),
    ])
    func itDoesNotGoWhereTheDataIs(_ path: String, _ why: String) throws {
        let place = try Self.places()
        let before = try Self.everything(in: place.path)
        let folder = "\(place.path)/\(path)"
        #expect {
            try Backup(of: place.path + "/data", to: folder).make()
        } throws: { error in
            (error as? BackupError)?.isUsage == true && "\(error)".hasPrefix("cannot use \(folder): it \(why)")
                && "\(error)".hasSuffix("choose a folder elsewhere for the copy")
        }
        #expect(try Self.everything(in: place.path) == before)
    }

    @Test(arguments: [("stores", "stores"), ("stores/", "stores"), ("around", "around"), ("stores", "around")])
    func itDoesNotGoWhereTheDatabaseIs(_ path: String, _ database: String) throws {
        let place = try Self.places()
        let before = try Self.everything(in: place.path)
        #expect {
            try Backup(
                of: place.path + "/data", database: "\(place.path)/\(database)/postilla.sqlite",
                to: "\(place.path)/\(path)"
            ).make()
        } throws: { ($0 as? BackupError)?.isUsage == true && "\($0)".contains("it contains the server's database") }
        #expect(try Self.everything(in: place.path) == before)
    }

    @Test(arguments: ["data2", "Data", "around/data", "data/../copy", "link/../copy", "stores/copy", "new/and/deeper/"])
    func itGoesAnywhereElse(_ path: String) throws {
        let place = try Self.places()
        for database in [nil, place.path + "/stores/postilla.sqlite"] {
            let report = try Backup(of: place.path + "/data", database: database, to: "\(place.path)/\(path)").make()
            #expect(report == Backup.Report(documents: 0, files: 0, copiedFiles: 0))
        }
        #expect(FileManager.default.fileExists(atPath: "\(place.path)/\(path)/postilla.sqlite"))
    }

    /// A log that a server left would be applied to the new database.
    @Test(arguments: ["postilla.mark", "postilla.sqlite-wal"]) func itDoesNotReplaceAnotherServersData(_ name: String)
        throws
    {
        let place = try Self.places()
        try Data("x".utf8).write(to: URL(fileURLWithPath: "\(place.path)/stores/\(name)"))
        #expect {
            try Backup(of: place.path + "/data", to: place.path + "/stores").make()
        } throws: { "\($0)".contains("a server has used it as its data folder (it contains \(name))") }
    }

    @Test func itRemovesNoFilesButItsOwn() throws {
        let place = try Self.places()
        let copy = place.path + "/copy"
        let others = ["pdf/thesis.pdf", "attachments/thesis", "notes"].map { "\(copy)/\($0)" }
        for kind in ["pdf", "attachments"] { try PrivateFiles.make(folder: "\(copy)/\(kind)") }
        for path in others { try Data("x".utf8).write(to: URL(fileURLWithPath: path)) }
        let own = "\(copy)/attachments/" + String(repeating: "a", count: 64)
        try Data("x".utf8).write(to: URL(fileURLWithPath: own))
        _ = try Backup(of: place.path + "/data", to: copy).make()
        for path in others { #expect(FileManager.default.fileExists(atPath: path), "\(path)") }
        #expect(!FileManager.default.fileExists(atPath: own), "an earlier copy named it")
    }

    /// An error creates nothing.
    @Test func withoutADatabaseNothingIsCreated() throws {
        let place = try TemporaryFolder()
        #expect(throws: StoreError.unusable(place.path + "/none/postilla.sqlite", "it does not exist")) {
            try Backup(of: place.path + "/none", to: place.path + "/copy").make()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [])
    }

    @Test(.enabled(if: TinyDisk.isAllowed, "only root may mount a small file system"))
    func aFullDiskIsNamedAndTheEarlierCopyStays() async throws {
        let place = try TemporaryFolder()
        let disk = try TinyDisk(kilobytes: 2_000)
        let (data, copy) = (place.path + "/data", disk.path + "/copy")
        try await RunningServer.run(folder: place) { server in
            try await server.upload("one")
            _ = try Backup(of: data, to: copy).make()
            try await server.upload("two")
            let token = try server.mint.token(TokenClaims(document: "one"))
            let large = [UInt8](repeating: 1, count: 3_000_000)
            #expect(
                try await server.client(token, "PUT", "attachments/\(Self.sha256(large))", body: large).status == 200)
            #expect(throws: BackupError.diskFull(copy)) { try Backup(of: data, to: copy).make() }
            #expect(!FileManager.default.fileExists(atPath: copy + "/postilla.sqlite.new"))
            let restored = place.path + "/restored"
            #expect(try Restore(of: copy, to: restored, now: TestClock.start).make().documents == 1)
            try disk.grow(toKilobytes: 20_000)
            #expect(try Backup(of: data, to: copy).make().documents == 2)
        }
    }
}

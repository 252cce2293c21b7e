import Annotations
import Crypto
import Foundation
import SyncProtocol
import Testing

@testable import DocumentEngine

/// A backup made while the server works, and a server started on it.
@Suite("Backup", .timeLimit(.minutes(15))) struct BackupTests {
    private static let picture = Array("a picture".utf8)
    private static var pictureName: String {
        SHA256.hash(data: picture).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
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

    /// The backup would overwrite its own source.
    @Test func itDoesNotGoIntoTheServersOwnFolder() async throws {
        let place = try TemporaryFolder()
        let data = place.path + "/data"
        _ = try await RunningServer.run(folder: place) { try await $0.upload() }
        let before = try FileManager.default.subpathsOfDirectory(atPath: data).sorted()
        for folder in [data, place.path + "/../" + place.path.split(separator: "/").last! + "/data"] {
            #expect(throws: StoreError.folder(folder, "it is the server's own folder; use another one for the copy")) {
                try Backup(of: data, to: folder).make()
            }
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: data).sorted() == before)
    }
}

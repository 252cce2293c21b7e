import Crypto
import Foundation
import GRDB
import Testing

@testable import DocumentEngine

/// A backup, and places to restore it to.
struct RestoreScene {
    let folder: TemporaryFolder
    /// Contains the document `kept` with a record and an attachment.
    var copy: String { folder.path + "/backup" }
    /// Alone in its folder until a test fills it.
    var data: String { folder.path + "/place/data" }
    /// For a database outside the data folder.
    var database: String { folder.path + "/stores/main.sqlite" }

    static let picture = [UInt8]("a picture".utf8)
    static let pictureName = SHA256.hash(data: picture).map {
        String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
    }.joined()

    init() async throws {
        folder = try TemporaryFolder()
        let (source, copy) = (folder.path + "/source", folder.path + "/backup")
        for name in ["place", "stores"] { try PrivateFiles.make(folder: "\(folder.path)/\(name)") }
        try await RunningServer.run(folder: folder) {
            $0.dataFolder = source
        } _: { server in
            try await server.upload("kept")
            let token = try server.mint.token(TokenClaims(document: "kept"))
            let path = "attachments/\(Self.pictureName)"
            #expect(try await server.client(token, "PUT", path, body: Self.picture).status == 200)
            #expect(try await server.push(token, [Samples.create(1, "n1")]).status == 200)
            #expect(try Backup(of: source, to: copy).make().files == 3)
        }
    }

    /// A copy of its backup and its places, as they are now.
    func snapshot() throws -> RestoreScene {
        let copy = try TemporaryFolder()
        for name in ["backup", "place", "stores"] {
            try FileManager.default.copyItem(atPath: "\(folder.path)/\(name)", toPath: "\(copy.path)/\(name)")
        }
        return RestoreScene(folder: copy)
    }

    private init(folder: TemporaryFolder) { self.folder = folder }

    /// Fills the place with the data of another server, which contains the document `old`.
    func addOldData(elsewhere: Bool = false) async throws {
        try await run(elsewhere: elsewhere) { server in _ = try await server.upload("old") }
    }

    func restore(replacing: Bool = false, elsewhere: Bool = false) -> Restore {
        Restore(
            of: copy, to: data, database: elsewhere ? database : nil, replacing: replacing,
            // The old data never had the document of the backup.
            deleted: replacing ? .comeBack : nil, now: TestClock.start)
    }

    /// Runs a server at the place.
    func run<Result: Sendable>(
        elsewhere: Bool = false, _ body: (RunningServer) async throws -> Result
    ) async throws -> Result {
        try await RunningServer.run(folder: folder) {
            $0.dataFolder = data
            $0.database = elsewhere ? database : nil
        } _: { server in
            try await body(server)
        }
    }

    /// What a server at the place serves: its documents, each with its PDF; nil if it does not start.
    func served(elsewhere: Bool = false) async throws -> [String]? {
        do {
            return try await run(elsewhere: elsewhere) { server in
                let list = try await server.backend("GET", "/api/documents").json["data"]?.array ?? []
                let ids = list.compactMap { $0["document_id"]?.string }
                for id in ids {
                    let token = try server.mint.token(TokenClaims(document: id))
                    #expect(try await server.client(token, "GET", "document").body == Samples.pdf)
                    #expect(try await server.session(token).head == (id == "kept" ? 1 : 0))
                }
                return ids
            }
        } catch is StoreError { return nil }
    }

    /// What is beside the place, and what the place contains.
    func found() throws -> [String] {
        let all = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return all.filter { $0.hasPrefix("place") || $0.hasPrefix("stores") }.sorted()
    }

    /// The documents of all databases in the places, by whatever name.
    func documents() throws -> Set<String> {
        var documents: Set<String> = []
        for name in try found() {
            let path = "\(folder.path)/\(name)"
            let isDatabase = name.contains(".sqlite") && !name.hasSuffix("-wal") && !name.hasSuffix("-shm")
            guard isDatabase, FileStatus(path)?.isFile == true else { continue }
            let queue = try DatabaseQueue(path: path)
            documents.formUnion(try queue.read { try String.fetchSet($0, sql: "SELECT id FROM document") })
            try queue.close()
        }
        return documents
    }

    /// Changes the database of the backup.
    func changeCopy(_ sql: String) throws {
        let queue = try DatabaseQueue(path: copy + "/postilla.sqlite")
        try queue.writeWithoutTransaction {
            try $0.execute(sql: sql)
            if try $0.tableExists("record") { try SQLiteSchema.fillChecksums(in: $0) }
        }
        try queue.close()
    }
}

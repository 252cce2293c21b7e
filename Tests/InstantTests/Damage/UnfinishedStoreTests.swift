import Foundation
import InstantCore
import Testing

@testable import Instant

/// A process was killed while it created a store.
struct UnfinishedStoreTests {
    private let folder: TemporaryFolder
    private let folders: Folders
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        folders = try Folders(root: folder.path)
        let home = folders.layer(StoredClient.identity)
        try Folders.make(home)
        path = Folders.database(in: home)
    }

    private var findings: [InstantStorageFinding] { get throws { try InstantClient.checkStorage(in: folder.url) } }

    @Test(arguments: [0, 1, LocalSchema.current.version]) func anEmptyStoreIsNoDamagedLayer(steps: Int) throws {
        try LocalSQLiteStore(path: path, schema: LocalSchema(steps: Array(LocalSchema.current.steps.prefix(steps))))
            .close()
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(try findings.isEmpty)
        #expect(try InstantClient.listCacheEntries(in: folder.url).isEmpty)
    }

    @Test func anEmptyFileIsNoDamagedLayer() throws {
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        #expect(try findings.isEmpty)
    }

    /// The second copy of a layer, for another token, is created in the same way.
    @Test func anEmptySideStoreIsNoDamagedLayer() throws {
        let store = try LocalSQLiteStore(path: path)
        try store.write { try $0.set(LayerMetadata(identity: StoredClient.identity, clientID: "client-1")) }
        store.putLabel(StoredClient.identity, pdf: "")
        store.close()
        let side = folders.layer(StoredClient.identity) + "/views/other"
        try Folders.make(side)
        try LocalSQLiteStore(path: Folders.database(in: side)).close()
        #expect(try findings.map(\.problem) == [nil])
        let entry = try #require(try InstantClient.listCacheEntries(in: folder.url).first)
        #expect(entry.problem == nil && entry.damage == nil)
        #expect(throws: Never.self) {
            try InstantCacheEntry.attachmentsInUse(in: folders.layer(StoredClient.identity))
        }
    }

    /// Something was stored before.
    @Test func anEmptiedStoreIsDamaged() throws {
        let store = try LocalSQLiteStore(path: path)
        try store.write { try $0.set(LayerMetadata(identity: StoredClient.identity, clientID: "client-1")) }
        store.putLabel(StoredClient.identity, pdf: "")
        store.close()
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(try findings.contains { $0.problem != nil })
        #expect(try InstantClient.listCacheEntries(in: folder.url).first?.problem != nil)
    }

    @Test func aStoreWithAnEditIsNeverUnfinished() throws {
        let store = try LocalSQLiteStore(path: path)
        try store.write { layer in
            _ = try layer.append(
                OutboxEntry(
                    id: "a", kind: .create, baseRevision: 0, content: note("mine"), madeAt: StoredClient.now))
        }
        store.close()
        #expect(try findings.contains { $0.problem != nil })
    }
}

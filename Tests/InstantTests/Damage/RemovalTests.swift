import Foundation
import GRDB
import Glibc
import TestSupport
import TestThreads
import Testing

@testable import Instant
@testable import InstantCore

/// Removing local data removes what it says, and names everything that stays.
@Suite("Removing local data", .onDatabaseThreads) struct RemovalTests {
    private let folder: TemporaryFolder
    private let folders: Folders
    private let client: InstantClient

    init() throws {
        folder = try TemporaryFolder()
        folders = try Folders(root: folder.path)
        client = try InstantClient(
            serverURL: #require(URL(string: "https://a.example")), dataDirectory: folder.url)
    }

    private func sha256(_ name: String) -> String { String(repeating: name, count: 64) }

    /// Stores a layer that needs a PDF.
    @discardableResult
    private func layer(
        _ document: String, pdf: String, server: String = "https://a.example", labelled: Bool = true
    ) throws -> String {
        let identity = LayerIdentity(server: server, documentID: document, layer: "", userID: "ana")
        let home = folders.layer(identity)
        try Folders.make(home)
        let store = try LocalSQLiteStore(path: Folders.database(in: home))
        var metadata = LayerMetadata(identity: identity, clientID: "c")
        metadata.pdfSHA256 = sha256(pdf)
        try store.write { [metadata] in try $0.set(metadata) }
        if labelled { store.putLabel(identity, pdf: sha256(pdf)) }
        store.close()
        try Data("pdf".utf8).write(to: URL(fileURLWithPath: folders.pdf(sha256(pdf))))
        return home
    }

    private func damage(_ layer: String) throws {
        for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: Folders.database(in: layer) + end) }
        try Data(repeating: 0x5A, count: 9000).write(to: URL(fileURLWithPath: Folders.database(in: layer)))
    }

    private func has(_ pdf: String) -> Bool { Folders.isFile(folders.pdf(sha256(pdf))) }
    private var documents: [String] { InstantCacheEntry.all(in: folders).map(\.documentIdentifier).sorted() }

    @Test func onlyThePDFsOfTheRemovedLayersGo() throws {
        try layer("sw", pdf: "a")
        try layer("swe", pdf: "b")
        try layer("sw", pdf: "c", server: "https://b.example")
        // This PDF stays when its layer is removed.
        try client.descriptor(
            LayerIdentity(server: "https://a.example", documentID: "swe", layer: "", userID: "ana")
        ).removeLocalStorage()
        try client.removeLocalStorage(forDocumentIdentifier: "sw")
        #expect(!has("a") && has("b") && has("c"))
        #expect(documents == ["sw"])
        try client.removeLocalStorage()
        #expect(has("b") && has("c") && documents == ["sw"])
        try client.removeUnreferencedCacheEntries()
        #expect(!has("b") && has("c"))
    }

    @Test func aPDFThatAnotherLayerNeedsStays() throws {
        try layer("one", pdf: "a")
        try damage(try layer("two", pdf: "a", server: "https://b.example"))
        try layer("three", pdf: "c")
        try client.removeLocalStorage()
        #expect(has("a"), "the label of the damaged layer names it")
        #expect(!has("c"))
        try client.removeUnreferencedCacheEntries()
        #expect(has("a"))
    }

    /// A damaged layer without a label may need any PDF; that is said, and the layers go.
    @Test func whatStaysIsNamed() throws {
        try layer("one", pdf: "a")
        let unknown = try layer("two", pdf: "b", server: "https://b.example", labelled: false)
        try damage(unknown)
        for remove in [
            { try client.removeLocalStorage() }, { try client.removeUnreferencedCacheEntries() },
        ] {
            let error = #expect(throws: InstantError.self) { try remove() }
            #expect(error?.kind == .couldNotRemoveDiskCacheEntries)
            #expect(error?.message.contains(unknown) == true, "\(error?.message ?? "")")
            #expect(has("a") && has("b"))
        }
        #expect(documents == [""])
        let entry = try #require(client.listCacheEntries().first)
        try client.removeLocalStorage(of: entry, discardingUnsent: true)
        try client.removeUnreferencedCacheEntries()
        #expect(!has("a") && !has("b"))
    }

    @Test func aDamagedLayerOfThisServerNeedsConsent() throws {
        try damage(try layer("one", pdf: "a"))
        try layer("two", pdf: "b")
        let error = #expect(throws: InstantError.self) { try client.removeLocalStorage() }
        #expect(error?.kind == .couldNotRemoveDiskCacheEntries && error?.message.contains("unsent") == true)
        #expect(documents == ["one"] && has("a") && !has("b"))
        try client.removeLocalStorage(discardingUnsent: true)
        #expect(documents.isEmpty && !has("a"))
    }

    /// A file that the system does not remove stays listed.
    @Test func aFileThatCannotBeRemovedIsNamedAndStaysListed() throws {
        let stuck = try layer("one", pdf: "a")
        try layer("two", pdf: "b")
        try Folders.make(stuck + "/attachments")
        // Not even the superuser removes the folder in which a file system is mounted.
        guard mount("none", stuck + "/attachments", "tmpfs", 0, nil) == 0 else { return }
        defer { umount2(stuck + "/attachments", Int32(MNT_DETACH)) }
        let error = #expect(throws: InstantError.self) { try client.removeLocalStorage() }
        #expect(error?.kind == .couldNotRemoveDiskCacheEntries)
        #expect(error?.message.contains(stuck + "/attachments") == true, "\(error?.message ?? "")")
        #expect(documents == ["one"] && has("a") && !has("b"))
    }

    /// A layer with an edit that waits, as a second program would open it.
    private func stored(_ body: (InstantClient, InstantDocumentDescriptor) async throws -> Void) async throws {
        try StoredClient(isKilled: false).put(in: folder.path)
        let client = try InstantClient(
            serverURL: #require(URL(string: "https://a.example")), dataDirectory: folder.url)
        try await body(client, client.descriptor(StoredClient.identity))
        await client.close()
    }

    @Test func aLayerThatIsOpenElsewhereStays() async throws {
        try await stored { other, open in
            let edits = try open.unsentEdits().count
            let entry = try #require(client.listCacheEntries().first { $0.documentIdentifier == "doc" })
            let mine = client.descriptor(StoredClient.identity)
            let removals: [() throws -> Void] = [
                { try mine.removeLocalStorage(discardingUnsent: true) },
                { try client.removeLocalStorage(discardingUnsent: true) },
                { try client.removeLocalStorage(of: entry, discardingUnsent: true) },
                { try InstantClient.remove(entry, in: folder.url, losing: nil) },
            ]
            for remove in removals {
                let error = #expect(throws: InstantError.self) { try remove() }
                #expect(error?.kind == .couldNotRemoveDiskCacheEntries)
                #expect(error?.message.contains("is open in") == true, "\(error?.message ?? "")")
            }
            // Nothing was lost, and the other one goes on.
            _ = try open.create(note("goes on"), author: "Ana")
            #expect(try open.unsentEdits().count == edits + 1)
            await other.close()
            #expect(try mine.unsentEdits().count == edits + 1)
            try removals[0]()
            #expect(documents == [])
        }
    }

    /// While the layer is open here too, and another program uses only its second store.
    @Test func aSecondStoreThatIsOpenElsewhereCountsToo() async throws {
        try await stored { _, open in
            _ = try open.unsentEdits()
            let side = open.stores.main + "/views/abc"
            try Folders.make(side)
            let use = FileLock(path: Folders.use(in: side), shared: true)
            let error = #expect(throws: InstantError.self) { try open.removeLocalStorage(discardingUnsent: true) }
            #expect(error?.kind == .couldNotRemoveDiskCacheEntries)
            #expect(open.documentState != .invalid)
            _ = try open.create(note("goes on"), author: "Ana")
            withExtendedLifetime(use) {}
        }
    }

    @Test(arguments: [false, true]) func aDamagedEditNeedsConsent(_ isInASecondStore: Bool) async throws {
        try await stored { client, open in
            var damaged = Folders.database(in: open.stores.main)
            if isInASecondStore {
                try Folders.make(open.stores.main + "/views/abc")
                try FileManager.default.copyItem(
                    atPath: damaged, toPath: Folders.database(in: open.stores.main + "/views/abc"))
                damaged = Folders.database(in: open.stores.main + "/views/abc")
            }
            for path in Set([damaged, Folders.database(in: open.stores.main)]) {
                let database = try DatabaseQueue(path: path)
                try database.writeWithoutTransaction { try $0.execute(sql: "DELETE FROM outbox WHERE seq <> 5") }
                if path == damaged {
                    try database.writeWithoutTransaction {
                        try $0.execute(sql: "UPDATE outbox SET content = substr(content, 2) WHERE seq = 5")
                    }
                } else {
                    try database.writeWithoutTransaction { try $0.execute(sql: "DELETE FROM outbox") }
                }
                try database.close()
            }
            let entry = try #require(client.listCacheEntries().first)
            #expect(entry.damage?.contains("unsent edit 5") == true, "\(entry.damage ?? "")")
            let removals: [() throws -> Void] = [
                { try open.removeLocalStorage() }, { try client.removeLocalStorage() },
                { try client.removeLocalStorage(of: entry) },
                { try InstantClient.remove(entry, in: folder.url, losing: LayerLosses(of: [])) },
            ]
            for (index, remove) in removals.enumerated() {
                let error = #expect(throws: InstantError.self, "\(index)") { try remove() }
                #expect(error?.message.contains("edit") == true, "\(error?.message ?? "")")
                #expect(documents == ["doc"])
            }
            try client.removeLocalStorage(of: entry, discardingUnsent: true)
            #expect(documents == [])
        }
    }

    /// Something else than this library removed the files.
    @Test func aStoreWhoseFileIsGoneAcceptsNoEdit() async throws {
        try await stored { _, open in
            _ = try open.unsentEdits()
            try FileManager.default.removeItem(atPath: open.stores.main)
            #expect(throws: (any Error).self) { _ = try open.create(note("nowhere"), author: "Ana") }
            try await waitUntil("the state says so") { open.documentState == .invalid }
            let error = #expect(throws: InstantError.self) { _ = try open.create(note("nowhere"), author: "Ana") }
            #expect(error?.message.contains("removed") == true, "\(error?.message ?? "")")
        }
    }

    /// The file has been stored, and its edit has not.
    @Test func anAttachmentThatIsBeingAddedStays() async throws {
        try await stored { client, open in
            let files = AttachmentFiles(layer: open.stores.main)
            let id = try files.withoutRemovals { () throws(InstantError) in
                let id = try files.add(Data("just added".utf8))
                let error = #expect(throws: InstantError.self) { try client.removeUnreferencedCacheEntries() }
                #expect(error?.message.contains(files.folder) == true, "\(error?.message ?? "")")
                return id
            }
            #expect(files.holds(id))
            try client.removeUnreferencedCacheEntries()
            #expect(!files.holds(id))
        }
    }

    @Test func theAttachmentsOfDamagedEditsStay() async throws {
        try await stored { client, open in
            let files = AttachmentFiles(layer: open.stores.main)
            let store = try LocalSQLiteStore(path: Folders.database(in: open.stores.main))
            let needed = try #require(try store.read { try $0.metadata().uploads }.first)
            try store.write { try $0.changeMetadata { $0.uploads = [] } }
            store.close()
            let database = try DatabaseQueue(path: store.path)
            try database.writeWithoutTransaction {
                try $0.execute(sql: "UPDATE outbox SET made_at = made_at + 1 WHERE content LIKE '%imageAttachmentId%'")
            }
            try database.close()
            let error = #expect(throws: InstantError.self) { try client.removeUnreferencedCacheEntries() }
            #expect(error?.message.contains("damaged edit") == true, "\(error?.message ?? "")")
            #expect(files.holds(needed))
        }
    }

    /// The damage was found before an edit named the file.
    @Test func aDamagedAttachmentThatAnEditNamesMeanwhileIsWrittenAgain() async throws {
        try await stored { client, open in
            let files = AttachmentFiles(layer: open.stores.main)
            let bytes = Data("a picture that was loaded".utf8)
            let id = try files.add(bytes)
            try Data("damaged".utf8).write(to: URL(fileURLWithPath: files.path(id)))
            let finding = try #require(
                try InstantClient.checkStorage(in: folder.url).first { $0.path == files.path(id) })
            #expect(finding.problem?.contains("damaged") == true)
            #expect(try open.editableDocument.addAttachment(bytes) == id)
            _ = try InstantClient.repair(finding, in: folder.url)
            #expect(try open.editableDocument.attachment(id) == bytes)
        }
    }

    /// A store is removed after its edits moved: its lock goes last, so that no process opens what is left of it.
    @Test func theLockOfAStoreGoesLast() async throws {
        try await stored { _, open in
            let home = open.stores.main
            try Folders.make(home + "/zz")
            try Folders.make(home + "/zz/stuck")
            let use = try #require(FileLock(path: Folders.use(in: home)))
            guard mount("none", home + "/zz/stuck", "tmpfs", 0, nil) == 0 else { return }
            defer { umount2(home + "/zz/stuck", Int32(MNT_DETACH)) }
            #expect(throws: InstantError.self) { try Folders.remove(layer: home) }
            #expect(use.isCurrent && Folders.isFile(Folders.database(in: home)))
        }
    }
}

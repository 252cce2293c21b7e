import Foundation
import Glibc
import InstantCore
import TestSupport
import TestThreads
import Testing

@testable import Instant

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
}

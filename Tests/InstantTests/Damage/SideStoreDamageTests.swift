import Authorization
import Foundation
import GRDB
import TestSupport
import TestThreads
import Testing

@testable import Instant
@testable import InstantCore

/// A layer with a second store, for a token of another view, which a process left behind.
@Suite("Damage in side stores", .onDatabaseThreads) struct SideStoreDamageTests {
    private let folder: TemporaryFolder
    private let stores: LayerStores
    private let side: String
    private let grant: Grant

    init() throws {
        folder = try TemporaryFolder()
        try StoredClient(isKilled: false).put(in: folder.path)
        let main = try StoredClient.database(in: folder.path)
        stores = LayerStores(
            StoredClient.identity, folders: try Folders(root: folder.path), environment: .system)
        let opened = try LocalSQLiteStore(path: main)
        grant = try #require(try opened.read { try $0.metadata() }.grant)
        opened.close()
        let place = Folders.side(in: stores.main, view: .everything)
        try Folders.make(place)
        side = Folders.database(in: place)
        try FileManager.default.copyItem(atPath: main, toPath: side)
    }

    private func changeSide(_ statements: String...) throws {
        let database = try DatabaseQueue(path: side)
        for sql in statements { try database.writeWithoutTransaction { try $0.execute(sql: sql) } }
        try database.close()
    }

    private static let damage = "UPDATE outbox SET content = substr(content, 1, length(content) - 3) WHERE seq = 5"

    @Test func theyAreCheckedAndRepaired() throws {
        #expect(try InstantClient.checkStorage(in: folder.url).allSatisfy { $0.problem == nil })
        let all = Set(StoredLook(at: side).edits.keys)
        try changeSide(Self.damage)
        let damaged = try InstantClient.checkStorage(in: folder.url).filter { $0.problem != nil }
        #expect(damaged.map(\.path) == [side] && damaged[0].details == ["unsent edit 5 of \"id 4\""])
        let repair = try InstantClient.repair(damaged[0], in: folder.url)
        #expect(repair.lostEdits.count == 1 && repair.damagedCopy?.hasPrefix(side) == true)
        #expect(Set(StoredLook(at: side).edits.keys) == all.subtracting([5]))
        #expect(try InstantClient.checkStorage(in: folder.url).allSatisfy { $0.problem == nil })
    }

    /// An edit that cannot be read looks like none.
    @Test func aDamagedOneIsNotRemovedAsEmpty() throws {
        try changeSide("DELETE FROM outbox WHERE seq <> 5", Self.damage)
        let open = try stores.open(stores.main)
        defer { open.close() }
        let found = stores.takeLeftovers(into: open, grant: grant)
        #expect(!found.hasReceived && found.damage.count == 1 && found.damage[0].contains(side))
        #expect(Folders.isFile(side))
    }

    @Test func theFilesThatARepairKeptStay() throws {
        try changeSide("DELETE FROM outbox WHERE seq <> 5", Self.damage)
        let damaged = try #require(try InstantClient.checkStorage(in: folder.url).first { $0.problem != nil })
        let copy = try #require(try InstantClient.repair(damaged, in: folder.url).damagedCopy)
        let open = try stores.open(stores.main)
        defer { open.close() }
        _ = stores.takeLeftovers(into: open, grant: grant)
        #expect(Folders.isFile(copy + "/layer.sqlite"))
    }

    /// The first of two stores cannot be read.
    @Test func aDamagedOneHoldsNoOtherUp() throws {
        let damaged = stores.main + "/views/0"
        try Folders.make(damaged)
        try Data(repeating: 0x5A, count: 9000).write(to: URL(fileURLWithPath: Folders.database(in: damaged)))
        let open = try stores.open(stores.main)
        defer { open.close() }
        let found = stores.takeLeftovers(into: open, grant: grant)
        #expect(found.hasReceived && !Folders.isFile(side))
        #expect(found.damage.count == 1 && found.damage[0].contains(damaged), "\(found.damage)")
        #expect(Folders.isFile(Folders.database(in: damaged)))
        // The viewer reads it there.
        open.note(damagedStores: found.damage)
        #expect(open.layer.store.damage.contains { $0.description.contains(damaged) })
    }

    /// A handover was interrupted, and the store that may have received it cannot be read.
    @Test func aStoreWithAnOpenHandoverCanBeUsed() throws {
        let main = try LocalSQLiteStore(path: Folders.database(in: stores.main))
        let edits = try Layer(store: main).outbox().count
        _ = try Layer(store: main).beginHandover("h")
        main.close()
        try Data(repeating: 0x5A, count: 9000).write(to: URL(fileURLWithPath: side))
        let open = try stores.open(stores.main)
        #expect(try open.layer.outbox().count == edits && open.layer.metadata().handover == nil)
        open.close()
        // While no process needs the store, it waits for the repair.
        let waiting = try LocalSQLiteStore(path: Folders.database(in: stores.main))
        defer { waiting.close() }
        _ = try Layer(store: waiting).beginHandover("h")
        #expect(throws: LocalStoreError.self) { try stores.settleHandover(of: waiting, isNeeded: false) }
        #expect(try Layer(store: waiting).metadata().handover == "h")
    }

    /// The file of the other view may show what this one may not see.
    @Test func aStoreThatTakesOverAViewForgetsThePDF() throws {
        try FileManager.default.removeItem(atPath: stores.main + "/views")
        var narrow = grant
        narrow.collaboration = [Permission(.annotations, .view, .own)]
        let wide = try stores.open(stores.main)
        let pdf = try wide.layer.metadata().pdfSHA256
        #expect(!pdf.isEmpty)
        wide.close()
        let open = try #require(try stores.openMain(convertedTo: narrow))
        defer { open.close() }
        #expect(try open.layer.metadata().pdfSHA256 == "")
        #expect(open.takePDFOfOtherView() == pdf && open.takePDFOfOtherView() == nil)
    }
}

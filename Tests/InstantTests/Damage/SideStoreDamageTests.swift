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
        #expect(try stores.takeLeftovers(into: open, grant: grant) == false)
        #expect(Folders.isFile(side))
    }

    @Test func theFilesThatARepairKeptStay() throws {
        try changeSide("DELETE FROM outbox WHERE seq <> 5", Self.damage)
        let damaged = try #require(try InstantClient.checkStorage(in: folder.url).first { $0.problem != nil })
        let copy = try #require(try InstantClient.repair(damaged, in: folder.url).damagedCopy)
        let open = try stores.open(stores.main)
        defer { open.close() }
        _ = try stores.takeLeftovers(into: open, grant: grant)
        #expect(Folders.isFile(copy + "/layer.sqlite"))
    }
}

import Annotations
import Foundation
import InstantCore
import TestSupport
import Testing

@testable import Instant

/// After power loss, a bad disk or a careless copy, a layer opens as far as it is readable or reports damage. It never
/// crashes, and reading never changes it.
@Suite struct StoreDamageTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func entry(_ number: Int) -> OutboxEntry {
        OutboxEntry(
            id: "id-\(number)", kind: .create, baseRevision: 0, content: note("edit \(number)"),
            madeAt: Timestamp(seconds: 1))
    }

    /// The files of an open store, as a power loss leaves them.
    private func image(edits: Int) throws -> (database: Data, log: Data) {
        let path = folder.path + "/layer.sqlite"
        let store = try LocalSQLiteStore(path: path)
        try store.write { try $0.set(LocalStoreContract.metadata) }
        for number in 0..<edits { _ = try store.write { try $0.append(entry(number)) } }
        let files = try (
            Data(contentsOf: URL(fileURLWithPath: path)), Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        )
        store.close()
        return files
    }

    private func place(_ database: Data, _ log: Data?, _ name: String) throws -> String {
        let home = folder.path + "/" + name
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        try database.write(to: URL(fileURLWithPath: home + "/layer.sqlite"))
        try log?.write(to: URL(fileURLWithPath: home + "/layer.sqlite-wal"))
        return home + "/layer.sqlite"
    }

    private func ids(_ path: String) throws -> [String] {
        let store = try LocalSQLiteStore(path: path)
        defer { store.close() }
        return try store.read { try $0.entries(in: [.waiting], limit: .max) }.map(\.id)
    }

    /// Wherever the log ends, the store contains a prefix of the writes, without gaps or partial edits.
    @Test func aLogThatIsCutLosesOnlyItsEnd() throws {
        let (database, log) = try image(edits: 12)
        let all = (0..<12).map { "id-\($0)" }
        #expect(try ids(try place(database, log, "whole")) == all)
        var lengths: Set<Int> = []
        for (number, cut) in stride(from: 0, through: log.count, by: max(1, log.count / 40)).enumerated() {
            let path = try place(database, log.prefix(cut), "cut-\(number)")
            let left = try ids(path)
            #expect(left == Array(all.prefix(left.count)), "cut at \(cut)")
            lengths.insert(left.count)
        }
        #expect(lengths.count > 5)
    }

    @Test func bitsThatFlipInTheLogEndIt() throws {
        let (database, log) = try image(edits: 12)
        let all = (0..<12).map { "id-\($0)" }
        var random = SeededRandom(seed: 7)
        for number in 0..<25 {
            var log = log
            log[log.startIndex + Int.random(in: 0..<log.count, using: &random)] ^=
                1 << UInt8.random(in: 0...7, using: &random)
            let left = try ids(try place(database, log, "flip-\(number)"))
            #expect(left == Array(all.prefix(left.count)))
        }
    }

    @Test func aLogThatIsGoneTakesWhatWasOnlyInIt() throws {
        let (database, _) = try image(edits: 3)
        let left = try ids(try place(database, nil, "without"))
        #expect(left == Array(["id-0", "id-1", "id-2"].prefix(left.count)))
    }

    /// Any result except a crash is acceptable; an unreadable file is named with its path.
    @Test func bitsThatFlipInTheDatabaseAreAnErrorOrNothing() throws {
        _ = try image(edits: 40)
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/layer.sqlite"))
        var random = SeededRandom(seed: 11)
        var refused = 0
        for number in 0..<80 {
            var database = whole
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                database[Int.random(in: 0..<min(database.count, number < 20 ? 200 : .max), using: &random)] ^=
                    UInt8.random(in: 1...255, using: &random)
            }
            let path = try place(database, nil, "database-\(number)")
            do {
                _ = try ids(path)
                let store = try LocalSQLiteStore(path: path)
                _ = try store.read { try ($0.metadata(), $0.tally(), $0.records(after: nil, limit: 100)) }
                store.close()
            } catch let error as LocalStoreError {
                refused += 1
                #expect("\(error)".contains(path))
            }
        }
        #expect(refused > 10)
    }

    @Test(arguments: [0, 1, 99, 100, 4096, 5000]) func aDatabaseThatIsCutIsDamagedOrNew(_ length: Int) throws {
        _ = try image(edits: 40)
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/layer.sqlite"))
        let path = try place(whole.prefix(length), nil, "cut")
        do {
            #expect(try ids(path) == [])
        } catch let error as LocalStoreError { #expect("\(error)".contains(path)) }
    }

    /// The descriptor of a damaged layer reports it, and the client still serves the others.
    @Test func aDamagedLayerIsCalledDamagedAndStays() throws {
        let client = try InstantClient(
            serverURL: #require(URL(string: "https://a.example")), dataDirectory: folder.url)
        let descriptor = try client.documentDescriptor(forJWT: token())
        let home = client.folders.layer(descriptor.identity)
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        let junk = Data(repeating: 0x5A, count: 9000)
        let file = URL(fileURLWithPath: Folders.database(in: home))
        try junk.write(to: file)
        #expect(descriptor.documentState == .invalid)
        #expect(throws: (any Error).self) { try descriptor.create(note("nowhere")) }
        #expect(try Data(contentsOf: file) == junk)
        #expect(try client.documentDescriptor(forJWT: token(layer: "other")).documentState == .unknown)
    }
}

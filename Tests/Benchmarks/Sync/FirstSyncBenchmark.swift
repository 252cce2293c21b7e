import EngineSupport
import Foundation

/// The first sync of a large layer into an empty folder, then its first rows in a new process, in turns with curl and
/// SQLite.
struct FirstSyncBenchmark {
    var backend: Backend
    var folder: URL
    var count: Int
    var runs = 5

    struct Result {
        var sync = Samples()
        var processor = Samples()
        var curl = Samples()
        var insert = Samples()
        /// The sum of curl and SQLite in one run.
        var bound = Samples()
        var open = Samples()
        var openInside = Samples()
        var syncMemory = ProcessMemory()
        var openMemory = ProcessMemory()
        var bytes = 0
        var pages = 0
    }

    func run(document: String) async throws -> Result {
        let token = folder.appendingPathComponent("sync-token")
        try ServerProcess.writePrivately(backend.server.mint.token(document: document, user: "reader"), to: token)
        guard let curl = Tools.path("curl") else { throw BenchmarkError("curl is not installed") }
        let fetch = try await SnapshotFetch(
            server: backend.server, document: document, curl: curl, folder: folder)
        var result = Result(bytes: fetch.bytes, pages: fetch.pages)
        var rows: [SQLiteBound.Table] = []
        for number in -1..<runs {
            let data = folder.appendingPathComponent("sync-\(number)")
            defer { try? FileManager.default.removeItem(at: data) }
            let client = ClientProcess(server: backend.server.address, tokenFile: token, dataFolder: data)
            let sync = try client.run(.download)
            guard sync.rows == count else { throw BenchmarkError("only \(sync.rows) of \(count) records arrived") }
            let database = try Self.database(in: data)
            let bound = try SQLiteBound(of: database)
            if rows.isEmpty {
                rows = try ["record", "shown"].map { try SQLiteBound.Table(name: $0, of: database) }
            }
            let fetched = try fetch.run()
            let inserted = try bound.bulkInsert(rows, into: folder.appendingPathComponent("bound.sqlite").path)
            // The first run fills the caches for all.
            guard number >= 0 else { continue }
            result.sync.add(sync.inside)
            result.processor.add(sync.processor)
            result.curl.add(fetched)
            result.insert.add(inserted)
            result.bound.add(fetched + inserted)
            result.syncMemory.merge(sync.memory)
            for _ in 0..<5 {
                Self.forget(database)
                let open = try client.run(.open)
                result.open.add(open.whole)
                result.openInside.add(open.inside)
                result.openMemory.merge(open.memory)
            }
        }
        return result
    }

    private static func database(in data: URL) throws -> String {
        let found = FileManager.default.enumerator(atPath: data.path)?.compactMap { $0 as? String } ?? []
        guard let name = found.first(where: { $0.hasSuffix("layer.sqlite") }) else {
            throw BenchmarkError("the client left no database")
        }
        return data.appendingPathComponent(name).path
    }

    /// Drops the kernel's cached copy of a file, so that it has to be read from the disk.
    private static func forget(_ path: String) {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }
}

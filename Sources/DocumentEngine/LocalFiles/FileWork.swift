import Annotations
import FileCore
import Glibc
import Interchange
import PDFPages
import Synchronization

/// Performs the effects of a ``LocalFileCore`` on its PDF. It decides nothing, and throws nothing: what has gone wrong is
/// part of each result, for the core and, more precisely, for people.
///
/// Each file has a thread of its own, so that a disk that hangs holds up only its own files. The core has one operation on
/// the PDF under way at most.
final class FileWork: Sendable {
    struct Setup: Sendable {
        var tools: PDFTools
        /// Limits how many files are read at the same time; nil: nothing does. A disk that hangs is mostly noticed before,
        /// when the file is hashed.
        var work: PDFWork?
        /// For what is written in between, usually in memory.
        var scratchFolder: String
    }

    /// For tests: what other programs and the disk do in between.
    struct Hooks: Sendable {
        /// Runs when a file was read, before it is hashed again.
        var afterReading: @Sendable () -> Void = {}
        /// Runs when the file that is written over was compared with what it should be, before the exchange.
        var beforeExchange: @Sendable () throws(OwnFileError) -> Void = { () throws(OwnFileError) in }
        /// Runs when two files were exchanged, with the path of the one that came out.
        var afterExchange: @Sendable (String) throws(OwnFileError) -> Void = { (_: String) throws(OwnFileError) in }
        /// Runs before a folder is made durable.
        var beforeSync: @Sendable () throws(OwnFileError) -> Void = { () throws(OwnFileError) in }
    }

    /// That of the database, which is in the names of hidden files.
    let name: String
    /// Compares records for the core. A look sets its pages; without a look, the caller must set them.
    let matching = FileMatching()
    let setup: Setup
    let hooks = Mutex(Hooks())
    private let worker = WorkerThreads(width: 1)
    /// What was last hashed at the path.
    private let seen = Mutex<FileVersion?>(nil)
    /// The path whose folder was searched for hidden files.
    private let searched = Mutex<String?>(nil)

    init(name: String, setup: Setup) { (self.name, self.setup) = (name, setup) }

    /// Runs on the file's own thread, which may block.
    func apart<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result {
        await withTaskExecutorPreference(worker) { await body() }
    }

    /// The tools for a file of a size. What they write in between for a private session stays in memory.
    func tools(for size: Int64, isPrivate: Bool) -> PDFTools {
        var tools = setup.tools.sized(for: size)
        if isPrivate { tools.scratchFolder = setup.scratchFolder }
        return tools
    }

    func perform<Result: Sendable>(on size: Int64, _ body: () async throws -> Result) async throws -> Result {
        guard let work = setup.work else { return try await body() }
        return try await work.perform(on: size, body)
    }

    /// Reads what is at the path of the PDF, and remembers it. Blocks.
    func hash(_ path: String) throws -> FileVersion {
        let version = try FileVersion.read(path)
        seen.withLock { $0 = version }
        return version
    }

    /// Returns the contents of a file, of those that were hashed last without reading it again. Blocks.
    func contents(of path: String) throws -> FileVersion.Contents {
        var status = stat()
        if let seen = seen.withLock({ $0 }), stat(path, &status) == 0, seen.isSame(as: status) { return seen.contents }
        return try FileVersion.read(path).contents
    }

    /// Whether the folder of this path was not searched for hidden files yet. All that come later are known.
    func mustSearch(_ path: String) -> Bool { searched.withLock { !$0.isExactly(path) } }
    func hasSearched(_ path: String) { searched.withLock { $0 = path } }

    /// What is told of an error.
    static func failure(_ error: any Error) -> (problem: LocalFileCore.Problem, error: OwnFileError?) {
        switch error {
        case let error as OwnFileError: (error.problem, error)
        case let error as PDFError: (OwnFileError(error).problem, OwnFileError(error))
        default: (.failed("\(error)"), nil)
        }
    }
}

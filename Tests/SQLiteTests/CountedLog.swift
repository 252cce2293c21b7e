import GRDB
import GRDBSQLite
import Synchronization

/// The log of one connection, whose writes are counted and can be made to fail: a table of functions under the one that is
/// tried out.
final class CountedLog: @unchecked Sendable {
    private struct State {
        var failures = 0
        /// What was done, in its order.
        var steps: [Step] = []
    }

    enum Step: Hashable {
        case write(bytes: Int)
        case sync
    }

    private let state = Mutex(State())
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let original: UnsafePointer<sqlite3_io_methods>
    private let methods: UnsafeMutablePointer<sqlite3_io_methods>

    /// By the file: whose table stands before ours does not matter.
    private static let all = Mutex<[UInt: CountedLog]>([:])

    private static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> CountedLog {
        guard let log = all.withLock({ $0[UInt(bitPattern: file)] }) else { fatalError("not counted") }
        return log
    }

    /// - Parameter database: something was read or written, so that its log is there.
    static func begin(of database: Database) throws -> CountedLog {
        var pointer: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(
            database.sqliteConnection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &pointer)
        guard code == SQLITE_OK, let file = pointer, let original = file.pointee.pMethods else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE)
        }
        let log = CountedLog(file, original)
        all.withLock { $0[UInt(bitPattern: file)] = log }
        return log
    }

    private init(_ file: UnsafeMutablePointer<sqlite3_file>, _ original: UnsafePointer<sqlite3_io_methods>) {
        (self.file, self.original) = (file, original)
        methods = .allocate(capacity: 1)
        methods.initialize(to: original.pointee)
        methods.pointee.xWrite = { file, bytes, count, offset in
            let log = CountedLog.of(file)
            return log.write(Int(count)) ? log.original.pointee.xWrite(file, bytes, count, offset) : SQLITE_FULL
        }
        methods.pointee.xSync = { file, flags in
            let log = CountedLog.of(file)
            log.state.withLock { $0.steps.append(.sync) }
            return log.original.pointee.xSync(file, flags)
        }
        methods.pointee.xClose = { file in
            let log = CountedLog.of(file)
            CountedLog.all.withLock { $0[UInt(bitPattern: file)] = nil }
            return log.original.pointee.xClose(file)
        }
        file.pointee.pMethods = UnsafePointer(methods)
    }

    deinit { methods.deallocate() }

    private func write(_ count: Int) -> Bool {
        state.withLock { state in
            guard state.failures == 0 else {
                state.failures -= 1
                return false
            }
            state.steps.append(.write(bytes: count))
            return true
        }
    }

    /// Writes, and waits for the disk, since the last call.
    func take() -> [Step] {
        state.withLock { state in
            defer { state.steps = [] }
            return state.steps
        }
    }

    /// The bytes of each write since the last call.
    func takeWrites() -> [Int] { take().compactMap { if case .write(let bytes) = $0 { bytes } else { nil } } }

    /// The next writes fail: the disk is full.
    func fail(_ writes: Int) { state.withLock { $0.failures = writes } }

    var failuresLeft: Int { state.withLock { $0.failures } }
}

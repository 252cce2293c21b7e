import EngineCore
import GRDB
import Glibc
import Logging
import Synchronization

/// The free space of the disks that the server writes to. Below a limit, requests that store something are refused, so
/// that transactions in progress, deletions and revocations still find room.
final class DiskSpace: Sendable {
    /// What a request stores.
    enum Use: Hashable, Sendable {
        case nothing
        case records
        /// Files, which arrive in the data folder even if the store is a database elsewhere.
        case files
    }

    private struct State {
        /// Of the fullest disk; nil: unknown.
        var free: Int64?
        var isLow = false
    }

    private let folders: [String]
    private let hasRecords: Bool
    private let least: Int64
    private let probe: @Sendable (String) -> Int64?
    private let logger: Logger
    private let state = Mutex(State())

    /// Measures the disks. Blocks.
    ///
    /// - Parameters:
    ///   - folders: those that the server writes to.
    ///   - hasRecords: whether records are stored there too.
    ///   - least: the bytes that have to stay free; 0: no limit.
    ///   - probe: returns the free bytes of a folder's disk; blocks.
    init(
        _ folders: [String], hasRecords: Bool, least: Int64, probe: @escaping @Sendable (String) -> Int64?,
        logger: Logger
    ) {
        (self.folders, self.hasRecords, self.least) = (folders, hasRecords, least)
        (self.probe, self.logger) = (probe, logger)
        look()
    }

    /// The free bytes that an unprivileged process may use.
    static let system: @Sendable (String) -> Int64? = { folder in
        var disk = statvfs()
        guard statvfs(folder, &disk) == 0 else { return nil }
        return Int64(
            clamping: UInt64(disk.f_bavail).multipliedReportingOverflow(by: UInt64(disk.f_frsize)).partialValue)
    }

    /// Measures again. Blocks.
    func look() {
        let all = folders.compactMap { folder in probe(folder).map { (folder: folder, free: $0) } }
        let fullest = all.min { $0.free < $1.free }
        let isLow = fullest.map { $0.free < least } ?? false
        let hasChanged = state.withLock { state in
            defer { (state.free, state.isLow) = (fullest?.free, isLow) }
            return state.isLow != isLow
        }
        guard hasChanged, let fullest else { return }
        let details: Logger.Metadata = [
            "folder": "\(fullest.folder)", "free": "\(fullest.free)", "least": "\(least)",
        ]
        if isLow {
            logger.error("the disk is nearly full: writes are refused", metadata: details)
        } else {
            logger.notice("the disk has enough space again: writes are accepted", metadata: details)
        }
    }

    /// As last measured.
    var free: Int64? { state.withLock { $0.free } }

    /// Why the server accepts no writes; nil: it does.
    var problem: APIError? { state.withLock { $0.isLow } ? .storageFull : nil }

    /// - Parameter bytes: the size of the request's body, if it states it.
    /// - Throws: ``APIError`` if less than the limit would stay free.
    func admit(_ use: Use, bytes: Int64 = 0) throws(APIError) {
        guard use == .files || use == .records && hasRecords else { return }
        let state = state.withLock { $0 }
        guard !state.isLow, (state.free ?? .max) - bytes >= least || least == 0 else { throw .storageFull }
    }

    /// Measures again while a file arrives. Blocks.
    func check() throws(APIError) {
        look()
        if let problem { throw problem }
    }
}

extension APIError {
    static let storageFull = APIError(
        .storageFull, "the server's disk is full; nothing was stored, and reading still works",
        retryAfter: .seconds(30))

    /// - Returns: nil if the error has another cause than a full disk.
    static func fullDisk(after error: any Error) -> APIError? {
        (error as? DatabaseError)?.resultCode.primaryResultCode == .SQLITE_FULL ? .storageFull : nil
    }

    static func fullDisk(errno code: CInt) -> APIError? {
        [ENOSPC, EDQUOT].contains(code) ? .storageFull : nil
    }

    /// - Returns: nil if the error has another cause than a disk, or a folder on it, that cannot be used.
    static func diskFailure(after error: any Error) -> APIError? {
        let codes: [ResultCode] = [.SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_BUSY]
        let code = (error as? DatabaseError)?.resultCode.primaryResultCode
        guard error is StoreError || code.map(codes.contains) == true else { return nil }
        return .diskFailed
    }

    static let diskFailed = APIError(
        .unavailable, "the server's disk failed, so the request may not have been carried out; try again",
        retryAfter: .seconds(5))
}

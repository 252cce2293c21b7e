import Annotations
import EngineCore
import FileCore
import Glibc
import Interchange
import PDFPages
import SyncProtocol

// What processes ask of a file.
extension LocalFile {
    // MARK: Reservations

    /// Keeps the file from being forgotten until ``release()``.
    ///
    /// - Returns: false if nothing is known of it any more; another object has to be found.
    func reserve() async -> Bool {
        while !reserveNow() {
            if inner.withLock(\.isGone) { return false }
            await wait { !$0.isForgetting || $0.isGone }
        }
        return true
    }

    /// - Returns: false if it is being forgotten.
    func reserveNow() -> Bool {
        inner.withLock { inner in
            guard !inner.isForgetting, !inner.isGone else { return false }
            inner.opening += 1
            return true
        }
    }

    func release() { inner.withLock { $0.opening -= 1 } }

    /// Ends a file that is not stored and not in use.
    ///
    /// - Returns: whether it has ended.
    func end() -> Bool {
        inner.withLock { inner in
            guard inner.core.isIdle, inner.opening == 0, !inner.isGone else { return false }
            inner.isGone = true
            return true
        }
    }

    /// Whether the file is about to be forgotten, so that a request to open it otherwise has to wait.
    func isBeingForgotten(for isPrivate: Bool) -> Bool {
        inner.withLock { inner in
            let core = inner.core
            guard core.exists, !core.isUsed, core.state.isPrivate || isPrivate else { return false }
            // The files beside the PDF go first.
            let isWaiting = core.state.unwritten > 0 || !core.state.conflicts.isEmpty || core.state.isShared
            return core.state.isPrivate || !isWaiting
        }
    }

    // MARK: Opening and closing

    /// Where a file that is opened comes from.
    enum Origin: Hashable, Sendable {
        /// It is where it was, or was not known.
        case here
        case movedFrom(String)
        /// It is not known, and has the same bytes as the file that was at this path, and has changes.
        case twin(String)
    }

    func open(for user: FileUser, isPrivate: Bool, _ origin: Origin = .here) async throws {
        inner.withLock { ($0.news.problem, $0.news.origin) = (nil, origin) }
        switch await ask({ .opened($0, user, isPrivate: isPrivate) }) {
        case .opened(let problem?):
            let reason = inner.withLock { inner in
                let reason = inner.error(problem).reason
                inner.news.problem = reason
                return reason
            }
            setup.logger.notice("a file cannot be read", metadata: ["problem": "\(reason)"])
        case .failed(let problem): throw inner.withLock { $0.error(problem) }
        default: break
        }
    }

    /// Fails as opening does if the file is open otherwise.
    func check(isPrivate: Bool) throws(OwnFileError) {
        let core = inner.withLock { $0.core }
        if core.state.isPrivate {
            guard isPrivate || !core.isUsed else { throw .openPrivately }
        } else if isPrivate, core.exists || core.isUsed {
            let count = core.state.unwritten
            throw !core.isUsed && count > 0 ? .keptOnDisk(count) : .openOtherwise
        }
    }

    /// Closes the file for a process. If no other process has it open and nothing would be lost, returns once the file is
    /// forgotten, but does not wait for a disk that does not answer.
    func close(for user: FileUser) async {
        send(.closed(user))
        await wait(upTo: Self.patience) { $0.isGone || $0.core.isQuiet }
    }

    private static let patience = Duration.seconds(2)

    /// Continues the file at another path.
    ///
    /// - Returns: where it was; nil: there, since another window was faster.
    func move(to path: String) async throws -> String? {
        let old = outline.withLock { outline -> String? in
            guard !outline.path.isExactly(path) else { return nil }
            defer { outline.path = path }
            return outline.path
        }
        guard let old else { return nil }
        send(.moved(path))
        try await place.writes.perform { try FileTables($0).setPath(path) }
        return old
    }

    /// Has the system report changes of the file.
    ///
    /// - Parameter changed: called when ``isWatched`` has changed.
    func follow(by watch: FolderWatch, _ changed: @escaping @Sendable () -> Void) {
        let begins = outline.withLock { outline in
            defer { outline.isBeingFollowed = true }
            return !outline.isBeingFollowed
        }
        guard begins else { return }
        // A thread of its own, which may hang.
        WorkerThreads(width: 1).submit { [self] in
            let isWatched = watch.follow(path)
            let isNew = outline.withLock { outline in
                defer { (outline.isWatched, outline.isBeingFollowed) = (isWatched, false) }
                return outline.isWatched != isWatched
            }
            if isNew { changed() }
        }
    }

    /// Tells the core of the time, unless it still has to hear of the last one.
    func tellTime() {
        let isFree = outline.withLock { outline in
            defer { outline.isTicking = true }
            return !outline.isTicking
        }
        guard isFree else { return }
        writer.submit { [self] in
            tick()
            outline.withLock { $0.isTicking = false }
        }
    }

    /// Tells the core of processes that have ended, and of the time. Blocks briefly.
    func tick() {
        dropEnded()
        send(.tick)
    }

    /// Tells the core of processes that have ended. Blocks briefly.
    func dropEnded() {
        let users = inner.withLock { $0.core.processes }
        for user in users where !ProcessIdentity(user).isAlive { send(.gone(user)) }
    }

    // MARK: Writing

    /// What writing has done, for people.
    struct Written: Sendable {
        /// How many records the file has now as the layer has them, and had not before.
        var records: Int
        /// Records that wait for a choice between two versions. The file keeps its own version.
        var conflicts: Int
        /// What another program had changed, merged before writing.
        var merged: FileNews
        var details: FileWork.Details
    }

    /// Writes what the file does not have.
    ///
    /// - Throws: ``OwnFileError``
    func write(_ order: FileWriting) async throws -> Written {
        try await writing.pass {
            let path = path
            let target = try await WorkerThreads(width: 1).perform { () throws -> String? in
                _ = try order.seen.opened(path)
                guard let copy = order.copy else { return nil }
                // A path that leads nowhere is refused when it is written.
                if let seen = order.target, let place = try? FilePlace(of: copy) { try seen.check(place) }
                return try FilePaths.followed(copy)
            }
            let copy = target.flatMap { $0.isExactly(path) ? nil : $0 }
            inner.withLock { inner in
                inner.details = nil
                inner.order = FileWork.Order(
                    mask: order.mask, replacesOthers: order.replacesOthers, target: order.target)
            }
            let wish = LocalFileCore.WriteOrder(copy: copy, isForced: order.isForced, isCompact: order.isCompact)
            switch await ask({ .writeAsked($0, wish) }) {
            case .written(let written):
                let details = inner.withLock { $0.details } ?? FileWork.Details(path: copy ?? path)
                return Written(
                    records: written.records, conflicts: written.conflicts, merged: written.merged, details: details)
            case .failed(let problem): throw inner.withLock { $0.error(problem) }
            default: throw OwnFileError.notOpen
            }
        }
    }

    // MARK: Choices of the person

    /// Gives up everything that is not in the file.
    ///
    /// - Returns: the number of records that were given up.
    func revert() async throws -> Int {
        switch await ask({ .revertAsked($0) }) {
        case .reverted(let count): return count
        case .failed(let problem): throw inner.withLock { $0.error(problem) }
        default: throw OwnFileError.notOpen
        }
    }

    /// Ends a conflict between these two versions.
    func resolve(_ decision: LocalFileCore.Decision) async throws {
        if case .failed(let problem) = await ask({ .resolved($0, decision) }) {
            throw inner.withLock { $0.error(problem) }
        }
    }
}

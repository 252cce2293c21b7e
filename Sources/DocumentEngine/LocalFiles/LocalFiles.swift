import Annotations
import EngineCore
import FileCore
import Glibc
import Logging
import PDFPages
import SyncProtocol
import Synchronization

/// The PDFs of one person that local processes have open, or that have changes which are not in them yet.
///
/// Each is a document with one layer, like any other, in a database of its own. What becomes of it is decided by its
/// ``LocalFileCore``; this type only finds the file that is meant.
final class LocalFiles: Sendable {
    let engine: Engine
    let options: PersonalOptions
    let logger: Logger
    private let tools: FileWork.Setup
    private let attachments: Attachments
    private let fence = ULID.random()
    private let files = Mutex<[String: LocalFile]>([:])
    /// What is kept on disk and cannot be read.
    private let damage = Mutex<[DamagedKeptFile]>([])
    /// Documents of private sessions that are over, of which a client still holds a copy.
    private let abandoned = Mutex<Set<String>>([])
    /// Finds what earlier engines have left, once.
    private let preparation = Mutex<Task<Void, any Error>?>(nil)
    private let state = Mutex((isRetired: false, isStopped: false))
    /// nil where the system cannot tell of changes.
    private let watch = FolderWatch()
    /// Something may have to be done before the next regular tick. For one reader.
    let calls: AsyncStream<Void>
    private let caller: AsyncStream<Void>.Continuation
    /// For tests.
    let hooks = Mutex(FileWork.Hooks())

    init(engine: Engine, intake: PDFIntake, options: PersonalOptions, logger: Logger) throws {
        (self.engine, self.options, self.logger) = (engine, options, logger)
        (calls, caller) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        attachments = intake.attachments
        tools = FileWork.Setup(tools: intake.tools, work: intake.work, scratchFolder: options.memoryFolder)
        try PrivateFiles.make(folder: options.keptFolder)
        try PrivateFiles.make(folder: options.memoryFolder)
        engine.pushes.withLock { $0 = { [weak self] in try await self.used().push($0, $1) } }
    }

    var folders: FileFolders { FileFolders(data: options.keptFolder, runtime: options.memoryFolder) }

    var setup: LocalFile.Setup {
        LocalFile.Setup(
            engine: engine, folders: folders, fence: fence, work: tools, attachments: attachments,
            forget: { [weak self] in await self?.forget($0, $1) ?? false },
            damage: { [weak self] in self?.damage(concerning: $0) ?? [] },
            hurry: { [weak self] in self?.call() },
            ended: { [weak self] in self?.drop($0) }, fenced: { [weak self] in self?.giveUp() }, logger: logger)
    }

    var all: [LocalFile] { files.withLock { Array($0.values) } }

    /// - Throws: ``OwnFileError/notOpen``
    func file(_ document: String) throws(OwnFileError) -> LocalFile {
        guard let file = files.withLock({ $0[document] }) else { throw .notOpen }
        return file
    }

    private func push(_ key: LayerKey, _ work: @escaping Engine.PushWork) async throws -> PushAnswer {
        try await file(key.document).push(work)
    }

    // MARK: Beginning and ending

    /// Finds what earlier engines have left, once. What it needs of a PDF is done by each file for itself.
    func prepare() async throws {
        let task = preparation.withLock { task in
            let started = task ?? Task { try await find() }
            task = started
            return started
        }
        do { try await task.value } catch {
            preparation.withLock { $0 = nil }
            throw error
        }
    }

    private func find() async throws {
        let (found, setup) = (FoundFiles(folders), setup)
        let (known, damaged) = try await engine.apart { found.open(setup) }
        // A private one may be forgotten already.
        files.withLock { files in for file in known where !file.isGone { files[file.document] = file } }
        for one in damaged { logger.error("\(one.path): \(one.problem); its changes cannot be shown") }
        damage.withLock { $0 = damaged }
        for state in try await engine.apart({ found.earlier() }) {
            let file =
                await self.known(state.path, isPrivate: false) ?? reserve(state.path, document: state.document)
            file.expect(state)
            Task {
                await file.takeOver(state)
                release(file)
            }
        }
    }

    /// Ends the engine with its last connection.
    func retire() { state.withLock { $0.isRetired = true } }

    var isRetired: Bool { state.withLock(\.isRetired) }

    /// Stores nothing more: the engine has lost its lock, or ends.
    func stop() {
        state.withLock { $0.isStopped = true }
        for file in all { file.stop() }
    }

    /// Ends all files, and closes their databases.
    func close() async {
        state.withLock { $0.isStopped = true }
        await withTaskGroup(of: Void.self) { group in
            for file in all { group.addTask { await file.close() } }
        }
    }

    /// Another engine has the folders.
    private func giveUp() {
        retire()
        stop()
    }

    /// What is kept on disk and cannot be read, as far as it may concern a file. Blocks.
    func damage(concerning file: LocalFile) -> [DamagedKeptFile] {
        let found = damage.withLock { $0 } + file.inner.withLock(\.damaged)
        let path = file.path
        return found.filter { $0.concerns(path) && access($0.path, F_OK) == 0 }
    }

    // MARK: Opening

    /// Opens a file for a process: reads it, merges what changed in it, and returns it with everything that is kept of it.
    ///
    /// - Parameters:
    ///   - path: absolute; may be a symlink.
    ///   - isPrivate: keeps nothing on disk.
    ///   - sighting: what the process sees at the path. Nothing else is opened.
    /// - Throws: ``OwnFileError``, also if the file is open privately and should not be, or the other way round.
    func open(
        _ path: String, isPrivate: Bool, as sighting: Sighting = .unknown, by process: ProcessIdentity
    ) async throws -> LocalFile {
        try await begin(privately: isPrivate)
        // A thread of its own: what the path leads to may hang.
        let (real, opened) = try await WorkerThreads(width: 1).perform { () throws -> (String, OpenFile?) in
            let real = try FilePaths.followed(path)
            return (real, try sighting.opened(real))
        }
        let (file, origin) = try await find(real, opened, isPrivate: isPrivate)
        defer { release(file) }
        withExtendedLifetime(opened) {}
        try await file.open(for: process.user, isPrivate: isPrivate, origin)
        watchFolders()
        return file
    }

    /// Fails as ``open(_:isPrivate:as:by:)`` does if the file is open otherwise.
    func check(_ path: String, isPrivate: Bool, as sighting: Sighting = .unknown) async throws {
        try await begin(privately: isPrivate)
        let real = try await WorkerThreads(width: 1).perform {
            let real = FilePaths.resolved(path)
            _ = try sighting.opened(real)
            return real
        }
        guard let file = await known(real, isPrivate: isPrivate) else { return }
        defer { release(file) }
        await file.wait { $0.expected.isEmpty || $0.isGone }
        try file.check(isPrivate: isPrivate)
    }

    private func begin(privately isPrivate: Bool) async throws {
        guard !isPrivate || options.isInMemory else { throw OwnFileError.notInMemory(options.memoryFolder) }
        guard !state.withLock(\.isStopped) else { throw OwnFileError.notOpen }
        try await prepare()
    }

    /// Returns the file of a path, reserved, and where it was if it was elsewhere.
    private func find(
        _ path: String, _ opened: OpenFile?, isPrivate: Bool
    ) async throws -> (LocalFile, LocalFile.Origin) {
        if let file = await known(path, isPrivate: isPrivate) {
            await file.wait { $0.expected.isEmpty || $0.isGone }
            return (file, .here)
        }
        guard let opened else { return (reserve(path), .here) }
        switch try await relative(of: opened, isPrivate: isPrivate) {
        case .moved(let file):
            do { return (file, try await file.move(to: path).map { .movedFrom($0) } ?? .here) } catch {
                release(file)
                throw error
            }
        case .twin(let other): return (reserve(path), .twin(other))
        case nil: return (reserve(path), .here)
        }
    }

    /// Returns the file of a path if one is known, reserved. One that is over, or has nothing to lose, is forgotten before
    /// a private session gets it, and a private one before others do: neither has anything of the other.
    private func known(_ path: String, isPrivate: Bool) async -> LocalFile? {
        for _ in 0..<3 {
            guard let file = find(path) else { return nil }
            guard await file.reserve() else { continue }
            file.dropEnded()
            guard file.isBeingForgotten(for: isPrivate) else { return file }
            file.release()
            file.send(.tick)
            await file.wait { $0.isGone || $0.core.isQuiet }
        }
        return find(path).flatMap { reserveNow($0) }
    }

    private func find(_ path: String) -> LocalFile? { all.first { $0.path.isExactly(path) } }

    private func reserveNow(_ file: LocalFile) -> LocalFile? { file.reserveNow() ? file : nil }

    /// Returns the file of a path, which is made if it is not known, reserved.
    private func reserve(_ path: String, document: String? = nil) -> LocalFile {
        files.withLock { files in
            if let known = files.values.first(where: { $0.path.isExactly(path) && $0.reserveNow() }) { return known }
            var name = document ?? ULID.random()
            // A file of another path has taken the name.
            if files[name] != nil { name = ULID.random() }
            let file = LocalFile(document: name, path: path, setup)
            file.work.hooks.withLock { $0 = hooks.withLock { $0 } }
            _ = file.reserveNow()
            files[name] = file
            return file
        }
    }

    /// Ends a reservation. A file of which nothing is known is dropped, such as one that could not be opened.
    private func release(_ file: LocalFile) {
        file.release()
        let isOver = files.withLock { files in
            guard file.end() else { return false }
            files[file.document] = nil
            return true
        }
        if isOver { engine.keep(file.document, in: nil) }
    }

    private func drop(_ file: LocalFile) { files.withLock { $0[file.document] = nil } }

    /// What a file that was opened has to do with one that is not where it was.
    private enum Relative {
        /// It is that file, which is reserved.
        case moved(LocalFile)
        /// It has the same bytes, and changes of the other one are not in it.
        case twin(path: String)
    }

    /// Finds a file that is not where it was and has these bytes. One with another number or time is a copy of its own, which
    /// may be meant for other people. What was made privately stays in its session.
    private func relative(of opened: OpenFile, isPrivate: Bool) async throws -> Relative? {
        let size = Int64(opened.status.st_size)
        for file in all {
            await file.wait { $0.isGone || !$0.expected.values.contains { $0.version.size == size } }
        }
        let candidates = all.filter { file in
            let state = file.state
            return state.version?.size == size && state.isPrivate == isPrivate && (!isPrivate || file.isUsed)
        }
        guard !candidates.isEmpty else { return nil }
        // A thread of its own: this disk may hang, too.
        let sha256 = try await WorkerThreads(width: 1).perform { try opened.hash(upTo: .max).hex }
        var twin: Relative?
        for file in candidates {
            let state = file.state
            // Only of a file with these bytes: its disk may hang.
            guard let version = state.version, version.sha256.isExactly(sha256), await file.isAway() else { continue }
            if version.isSame(as: opened.status) {
                if await file.reserve() { return .moved(file) }
            } else if state.unwritten > 0 {
                twin = .twin(path: file.path)
            }
        }
        return twin
    }

    // MARK: Forgetting

    private func forget(_ document: String, _ edits: PersonalOptions.UnsentEdits) async -> Bool {
        let isForgotten = await options.forget(document, edits)
        // A private session is over all the same.
        if !isForgotten, edits == .lose { abandoned.withLock { _ = $0.insert(document) } }
        return isForgotten
    }

    // MARK: Time

    /// Says that something may have to be done soon.
    func call() { caller.yield() }

    /// How long until the files have to be looked at without an event.
    func pace(_ gate: OwnerGate) -> Duration {
        // A process may have ended that had a file open.
        if gate.hasJustClosed || !abandoned.withLock(\.isEmpty) || all.contains(where: \.needsTime) {
            return .seconds(1)
        }
        return all.contains { $0.isUsed && !$0.isWatched } ? .seconds(2) : .seconds(30)
    }

    /// Tells the files of processes that have ended, and lets them look at their PDFs.
    func tick() async {
        for document in abandoned.withLock({ $0 }) where await options.forget(document, .lose) {
            _ = abandoned.withLock { $0.remove(document) }
        }
        for file in all { file.tellTime() }
        watchFolders()
    }

    /// Looks at open files as soon as they change, and at the engine's own.
    func followChanges() async {
        watchFolders()
        guard let watch else { return }
        for await path in watch.events {
            if options.place.contains(where: path.isExactly) { call() }
            for file in all where file.path.isExactly(path) { file.send(.changedOnDisk) }
        }
    }

    private func watchFolders() {
        guard let watch else { return }
        watch.drop { all.filter(\.isUsed).map(\.path) + options.place }
        WorkerThreads(width: 1).submit { [place = options.place] in for path in place { _ = watch.follow(path) } }
        for file in all where file.isUsed { file.follow(by: watch) { [weak self] in self?.call() } }
    }
}

extension LocalFiles? {
    fileprivate func used() throws(OwnFileError) -> LocalFiles {
        guard let self else { throw .notOpen }
        return self
    }
}

extension ULID {
    fileprivate static func random() -> String {
        var random = SystemRandomNumberGenerator()
        return make(at: Server.systemClock(), using: &random)
    }
}

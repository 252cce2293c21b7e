import Annotations
import EngineCore
import FoundationEssentials
import Glibc
import Logging
import PDFPages
import SyncProtocol
import Synchronization

/// The PDFs of one person that local processes have open, or that have changes which are not in them yet.
///
/// Each is a document with one layer, like any other. Its file is the truth: what the layer has besides it is kept until it
/// is written, and what another program writes into the file is merged.
final class OwnFiles: Sendable {
    let engine: Engine
    let intake: PDFIntake
    let options: PersonalOptions
    let registry: OwnFileRegistry
    let logger: Logger
    private let files = Mutex<[String: OwnFile]>([:])
    /// The states on disk that could not be read.
    private let damage = Mutex<[DamagedOwnFile]>([])
    /// Documents of private sessions that are over, of which a client still held a copy.
    let abandoned = Mutex<Set<String>>([])
    /// For tests: runs between reading a file's state and reading its layer.
    let betweenReads = Mutex<(@Sendable () async throws -> Void)?>(nil)
    /// For tests: see ``FileReplacement``.
    struct ExchangeHooks: Sendable {
        var afterExchange: @Sendable (String) throws(OwnFileError) -> Void = { (_: String) throws(OwnFileError) in }
        var beforeSync: @Sendable () throws(OwnFileError) -> Void = { () throws(OwnFileError) in }
    }

    let exchangeHooks = Mutex<ExchangeHooks?>(nil)
    private let isPrepared = Mutex(false)
    private let retired = Mutex(false)
    /// nil where the system cannot tell of changes.
    private let folders = FolderWatch()
    /// Opening and forgetting happen one after the other.
    let gate = AsyncSemaphore(width: 1, line: .max)

    init(engine: Engine, intake: PDFIntake, options: PersonalOptions, logger: Logger) throws {
        (self.engine, self.intake, self.options, self.logger) = (engine, intake, options, logger)
        registry = OwnFileRegistry(kept: options.keptFolder, memory: options.memoryFolder)
        try PrivateFiles.make(folder: options.keptFolder)
        try PrivateFiles.make(folder: options.memoryFolder)
        engine.afterPush.withLock { $0 = { [weak self] in try await self?.pushed($0) } }
    }

    /// - Throws: ``OwnFileError/notOpen``
    func file(_ document: String) throws(OwnFileError) -> OwnFile {
        guard let file = files.withLock({ $0[document] }) else { throw .notOpen }
        return file
    }

    var all: [OwnFile] { files.withLock { Array($0.values) } }

    /// Ends the engine with its last connection.
    func retire() { retired.withLock { $0 = true } }

    var isRetired: Bool { retired.withLock { $0 } }

    /// Reads open files anew as soon as they change.
    func followFiles() async throws {
        guard let folders else { return }
        for await path in folders.events {
            try Task.checkCancellation()
            await look(at: all.filter { $0.state.path.isExactly(path) })
        }
    }

    private func watchFolders() async {
        guard let folders else { return }
        try? await engine.apart { [all] in folders.follow(all.filter(\.isUsed).map(\.state.path)) }
    }

    /// Reads the open files anew that another program has changed, so that all their windows show the change.
    func lookAtFiles() async {
        await watchFolders()
        await look(at: all)
    }

    private func look(at files: [OwnFile]) async {
        for file in files where file.isUsed {
            // A file that is being written has changed, and will be looked at again.
            guard file.operations.running == 0, (try? await hasChanged(file)) == true else { continue }
            do {
                try await file.operations.pass {
                    try await finishIntent(file)
                    try await rebaseIfChanged(file)
                }
            } catch { logger.notice("a changed file was not read", metadata: ["error": "\(type(of: error))"]) }
        }
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
    ) async throws -> OwnFile {
        try await gate.pass {
            guard !isPrivate || options.isInMemory else { throw OwnFileError.notInMemory(options.memoryFolder) }
            try await prepare()
            let (real, opened) = try await engine.apart {
                let real = try FileReplacement.followed(path)
                let opened = try sighting.opened(real)
                FileReplacement.removeLeftovers(of: real)
                return (real, opened)
            }
            let file: OwnFile
            if let known = all.first(where: { $0.state.path.isExactly(real) }),
                try await admits(known, privately: isPrivate)
            {
                file = known
            } else {
                let facts = try await engine.apart {
                    if let opened { try FileFacts.read(opened) } else { try FileFacts.read(real) }
                }
                if let moved = try await moved(facts, isPrivate: isPrivate) {
                    file = moved
                    // A write that is going on knows the old path.
                    try await file.operations.pass {
                        let old = moved.state.path
                        try await change(file) { $0.path = real }
                        file.news.withLock { $0.movedFrom = old }
                    }
                } else {
                    file = try await take(real, opened, facts, isPrivate: isPrivate)
                }
            }
            // Before the file is brought up to date, so that nobody forgets it meanwhile.
            file.join(process)
            do {
                try await noteOwners(of: file)
                try await storeAnewIfDamaged(file)
                try await file.operations.pass {
                    if try await !hasLayer(of: file) { try await restore(file) }
                    file.news.withLock { $0.problem = nil }
                    do {
                        try await finishIntent(file)
                        try await rebaseIfChanged(file)
                    } catch let error as OwnFileError {
                        // What is kept is shown also if the file is missing or cannot be read now.
                        guard file.state.mustBeKept else { throw error }
                        file.news.withLock { $0.problem = error.reason }
                        logger.notice("a file cannot be read", metadata: ["problem": "\(error.word)"])
                    }
                }
            } catch {
                file.leave(process)
                throw error
            }
            await watchFolders()
            return file
        }
    }

    /// Reads the states that earlier engines left, once.
    func prepare() async throws {
        guard !isPrepared.withLock({ $0 }) else { return }
        let (states, damaged) = try await engine.apart { [registry] in registry.all() }
        let kept = try await engine.apart { [registry] in damaged.map(registry.setAside) }
        for one in kept { logger.error("\(one.path): \(one.problem); its changes cannot be shown") }
        damage.withLock { $0 = kept }
        for state in states { add(OwnFile(state)) }
        // Files that are gone or are never opened again have leftovers, too. A file on a network disk that hangs must not
        // hold up this one.
        let known = states.compactMap { state in files.withLock { $0[state.document] } }
        Task { [engine] in
            for file in known {
                try? await file.operations.pass {
                    try await engine.apart { FileReplacement.removeLeftovers(of: file.state) }
                }
            }
        }
        // Documents without a state have nothing that is not in their files.
        let documents = try await engine.read { try $0.documents(DocumentQuery(limit: .max >> 1)).map(\.id) }
        for document in documents where files.withLock({ $0[document] == nil }) {
            guard await options.forget(document, .keep) else { continue }
            try await removeDocument(document)
            registry.remove(document)
        }
        isPrepared.withLock { $0 = true }
    }

    private func add(_ file: OwnFile) { files.withLock { $0[file.key.document] = file } }

    /// Forgets a file whose document is gone.
    func drop(_ file: OwnFile) {
        files.withLock { $0[file.key.document] = nil }
        registry.remove(file.key.document)
    }

    func isKnown(_ file: OwnFile) -> Bool { files.withLock { $0[file.key.document] === file } }

    /// What is kept on disk and cannot be read, as far as it may concern a file. Blocks.
    func damage(concerning file: OwnFile) -> [DamagedOwnFile] {
        let state = file.state
        let found = damage.withLock { $0 } + file.news.withLock(\.damaged)
        return found.filter { $0.concerns(state.path) && access($0.path, F_OK) == 0 }
    }

    /// Stores the state of a file again if its form on disk was damaged meanwhile, which is kept.
    private func storeAnewIfDamaged(_ file: OwnFile) async throws {
        try await file.journal.pass {
            let state = file.state
            let found = try await engine.apart { [registry] in registry.setAsideIfDamaged(state) }
            guard let found else { return }
            logger.error("\(found.path): \(found.problem)")
            damage.withLock { $0.append(found) }
            try await save(state)
        }
    }

    /// Finds a file that is not where it was and has these bytes. A second file of the same bytes is a copy of its own
    /// while the first one exists. What was made privately stays in its session.
    private func moved(_ facts: FileFacts, isPrivate: Bool) async throws -> OwnFile? {
        let candidates = all.filter {
            $0.state.facts.sha256 == facts.sha256 && $0.state.isPrivate == isPrivate && (!isPrivate || $0.isUsed)
        }
        return try await engine.apart { candidates.first { access($0.state.path, F_OK) != 0 } }
    }

    /// Whether there is the layer of which the state speaks. It was lost with the memory in which it was, or an engine was
    /// killed while it took the file in anew.
    private func hasLayer(of file: OwnFile) async throws -> Bool {
        try await engine.read { [key = file.key, revision = file.state.revision] store in
            try store.document(key.document) != nil && store.layer(key)?.head ?? 0 >= revision
        }
    }

    func hasDocument(_ file: OwnFile) async throws -> Bool {
        try await engine.read { [key = file.key] in try $0.document(key.document) != nil }
    }

    /// Takes in a file that is not known.
    private func take(
        _ path: String, _ opened: OpenFile?, _ facts: FileFacts, isPrivate: Bool
    ) async throws -> OwnFile {
        var random = SystemRandomNumberGenerator()
        var state = OwnFileState(document: ULID.make(at: engine.now(), using: &random), path: path, facts: facts)
        state.isPrivate = isPrivate
        let contents = try await contents(opened?.name(otherwise: path) ?? path, isPrivate: isPrivate)
        withExtendedLifetime(opened) {}
        state.hasMarks = contents.hasMarks
        try await store(contents, contents.base.records + contents.base.values, state)
        let file = OwnFile(state)
        try await save(state)
        add(file)
        return file
    }

    /// The tools for a file of a size. What they write in between for a private session stays in memory.
    func tools(for size: Int64, isPrivate: Bool) -> PDFTools {
        var tools = intake.tools.sized(for: size)
        if isPrivate { tools.scratchFolder = options.memoryFolder }
        return tools
    }

    /// What a file holds.
    struct Contents: Sendable {
        var title: String?
        var base: BaseAnnotations
        /// From the text that the file had to the one that it has; nil if it has the same.
        var reanchoring: Reanchoring?

        var hasMarks: Bool { base.records.contains { !Annotation($0).isHidden } }
    }

    func contents(_ path: String, isPrivate: Bool) async throws -> Contents {
        let size = try await engine.apart { try Int64(OpenFile(path).status.st_size) }
        let tools = tools(for: size, isPrivate: isPrivate)
        do {
            return try await intake.work.perform(on: size) {
                async let info = tools.firstInfo(of: path)
                let base = try await tools.annotations(of: path).byOwnNames
                return Contents(title: try await info.title, base: base)
            }
        } catch let error as PDFError { throw OwnFileError(error) }
    }

    func store(_ contents: Contents, _ records: [Record], _ state: OwnFileState) async throws {
        let name = state.path.split(scalar: "/").last.map(String.init) ?? "PDF"
        let title = contents.title.flatMap { $0.isEmpty ? nil : $0 } ?? name
        _ = try await intake.storeOwn(
            ServerDocument(
                id: state.document, title: title.asTitle, pdfSHA256: state.facts.sha256, pdfBytes: state.facts.size,
                createdAt: engine.now(), pages: contents.base.frames.map { ServerDocument.Page($0) }), records)
    }

    // MARK: Edits

    /// Stores what a push has changed, before the push is answered.
    ///
    /// - Throws: ``OwnFileError/notOpen`` if nothing would keep it.
    private func pushed(_ key: LayerKey) async throws {
        guard isPrepared.withLock({ $0 }) else { return }
        let file = try file(key.document)
        try await file.journal.pass { try await catchUp(file) }
    }

    /// Brings the state up to the layer's newest revision. Call it while holding the journal.
    func catchUp(_ file: OwnFile) async throws {
        var state = file.state
        let (key, known, revision) = (file.key, Set(state.rows.keys), state.revision)
        let change = try await engine.read { store -> (head: Revision, rows: [ByteOrdered: OwnFileState.Row])? in
            guard let layer = try store.layer(key), layer.head > revision else { return nil }
            let original = Self.original(of: layer)
            var rows: [ByteOrdered: OwnFileState.Row] = [:]
            func add(_ id: ByteOrdered, mine: Record?) throws {
                let base = known.contains(id) ? nil : try store.record(id.text, in: original)?.record
                rows[id] = OwnFileState.Row(base: base, mine: mine)
            }
            for row in try store.changed(in: layer, after: revision, limit: .max >> 1) {
                try add(ByteOrdered(row.id), mine: row.isLive ? row.record : nil)
            }
            // Replies find what they answer when the file is taken in anew.
            for id in Set(rows.values.flatMap { $0.mine?.content.targets ?? [] })
            where rows[id] == nil && !known.contains(id) {
                guard let row = try store.record(id.text, in: layer), row.isLive else { continue }
                try add(id, mine: row.record)
            }
            return (layer.head, rows)
        }
        guard let change else { return }
        for (id, row) in change.rows {
            if state.rows[id] == nil { state.rows[id] = row }
            state.rows[id]?.mine = row.mine
        }
        state.revision = change.head
        try await save(state)
        file.set(state)
    }

    /// The layer as the file was when it was taken in.
    static func original(of layer: ServerLayer) -> ServerLayer {
        ServerLayer(id: 0, key: layer.key, generation: "", base: layer.base, pageCount: layer.pageCount)
    }

    /// Changes the state and stores it.
    func change(_ file: OwnFile, _ body: @Sendable (inout OwnFileState) -> Void) async throws {
        try await file.journal.pass {
            try await catchUp(file)
            var state = file.state
            body(&state)
            try await save(state)
            file.set(state)
        }
    }

    /// Stores a state, and first what it needs: a copy of the PDF, and the attachments of records.
    ///
    /// - Throws: ``OwnFileError/notKept(_:)`` with the folder of the state, which is not that of the PDF.
    func save(_ state: OwnFileState) async throws {
        do { try await store(state) } catch {
            let folder = OwnFileRegistry.isKept(state) ? options.keptFolder : options.memoryFolder
            guard let problem = try await engine.apart({ PlaceProblem(error, in: folder) }) else { throw error }
            logger.error("\(problem.sentence); changes cannot be kept")
            throw OwnFileError.notKept(problem)
        }
    }

    private func store(_ state: OwnFileState) async throws {
        try await engine.apart { [registry, blobs = intake.attachments.blobs] in
            try registry.keepBase(of: state)
            if OwnFileRegistry.isKept(state) {
                for id in state.attachments where access(registry.attachment(id, of: state.document), F_OK) != 0 {
                    guard let path = blobs.path(of: id.hex) else { continue }
                    let target = registry.attachment(id, of: state.document)
                    try PrivateFiles.copy(file: path, to: target + ".new")
                    guard rename(target + ".new", target) == 0 else { throw OwnFileError(errno: errno) }
                }
            }
            try registry.save(state)
            registry.dropOldBases(of: state)
        }
    }

    /// Returns the copy of the file as it was last read or written; nil if there is none.
    ///
    /// - Throws: ``OwnFileError/copyDamaged(_:)``
    func intactBase(of state: OwnFileState) async throws -> String? {
        try await engine.apart { [registry] in try registry.intactBase(of: state) }
    }

    /// The path of the copy of the file as it was last read or written; nil if there is none.
    func baseCopy(of state: OwnFileState) -> String? { registry.base(of: state) }
}

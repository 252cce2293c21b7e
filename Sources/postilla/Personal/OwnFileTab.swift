import Annotations
import App
import Dispatch
import FoundationEssentials
import Instant
import InstantCore
import SyncProtocol
import Synchronization

/// A PDF of the person in a tab: opens it in the engine while its first page is read, makes the tab editable once that is
/// shown, and tells what happens to the file. If the engine ends, it is started again, and nothing is lost.
final class OwnFileTab: Sendable {
    private let name: String
    private let options: ViewerOptions
    private let post: @Sendable (Message) -> Void
    private let state = Mutex(State())
    /// Ends when the first page is shown. For one reader.
    private let firstPage: AsyncStream<Never>
    private let firstPageShown: AsyncStream<Never>.Continuation
    /// Ends when the engine has opened the file for this tab, or cannot, or takes longer than a moment.
    private let opening: Task<Void, Never>
    private let opened: AsyncStream<Never>.Continuation
    /// How long what only reads ahead leaves the processor to the engine.
    private static let moment = Duration.seconds(1)
    /// How long to wait before the engine is tried again.
    private static let pause = Duration.seconds(1)
    private static let patience = Duration.seconds(3)

    private struct State {
        var link: OwnFileLink?
        var client: InstantClient?
        var descriptor: InstantDocumentDescriptor?
        var report: FileReport?
        var isWriting = false
        var told: FileStatus?
        var task: Task<Void, Never>?
        var isClosed = false
        /// Ends the process's use of the file.
        var closing: Task<Void, Never>?
        /// Where the file was when this tab opened it.
        var firstPath = ""
        /// The file's new path, if it was moved and has been opened there since.
        var newPath: String? { report.flatMap { $0.path.isExactly(firstPath) ? nil : $0.path } }
    }

    /// The name that the person gave, or the path to which the file was moved.
    private var place: String { state.withLock(\.newPath) ?? name }

    init(_ name: String, _ options: ViewerOptions, post: @escaping @Sendable (Message) -> Void) {
        (self.name, self.options, self.post) = (name, options, post)
        (firstPage, firstPageShown) = AsyncStream.makeStream()
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        opening = Task { for await _ in stream {} }
        opened = continuation
    }

    deinit { opened.finish() }

    /// Call it when the first page of the file is shown.
    func pageIsShown() {
        firstPageShown.finish()
        Task { [opened] in
            try? await Task.sleep(for: Self.moment)
            opened.finish()
        }
    }

    /// Returns once the engine has opened the file, cannot open it, or has taken more than a moment.
    func engineHasTime() async { await opening.value }

    private func waitForPage() async throws {
        for await _ in firstPage {}
        try Task.checkCancellation()
    }

    /// - Parameter adopt: makes the tab editable; returns false if it was closed meanwhile.
    func start(
        _ adopt: @escaping @Sendable (OwnFileTab, OwnFileLink, InstantClient, InstantDocumentDescriptor, String) -> Bool
    ) {
        let task = Task { [self] in
            defer { opened.finish() }
            while true {
                let before = Sighting(of: OwnFileLink.absolute(name))
                do { return try await run(adopt) } catch is CancellationError { return } catch {
                    opened.finish()
                    guard (try? await waitForPage()) != nil else { return }
                    let why = (error as? CommandFailure)?.message ?? "\(error)"
                    post(.file(FileStatus(path: name, condition: .readOnly(why))))
                    guard let problem = (error as? CommandFailure)?.problem, Self.mayPass(problem),
                        (try? await fileChanges(since: problem == .missing ? .nothing : before)) != nil
                    else { return }
                }
            }
        }
        state.withLock { state in
            state.task = task
            if state.isClosed { task.cancel() }
        }
    }

    /// Whether opening may succeed later: a program that saves a file may remove it briefly, or write it in place.
    private static func mayPass(_ problem: FileProblem) -> Bool { [.missing, .changed, .unreadable].contains(problem) }

    /// Waits until there is a file, and it is not the one seen before.
    private func fileChanges(since before: Sighting) async throws {
        while true {
            try await Task.sleep(for: Self.pause)
            let now = Sighting(of: OwnFileLink.absolute(name))
            if now != before, now != .nothing { return }
        }
    }

    private func run(
        _ adopt: @Sendable (OwnFileTab, OwnFileLink, InstantClient, InstantDocumentDescriptor, String) -> Bool
    ) async throws {
        // An engine that starts takes processor time from what the person waits for.
        if !PersonalEngine.isRunning(EngineFolder(options.folders)) { try await waitForPage() }
        let (link, report, token) = try await OwnFileLink.open(name, options.folders, isPrivate: options.isPrivate)
        guard own(link) else { throw CancellationError() }
        guard let url = URL(string: link.engine.place.server) else {
            throw CommandFailure("the engine's socket has no address: \(link.engine.place.server)")
        }
        let (client, descriptor, isHere) = try await open(link, url, token)
        // A tab without an accepted token would ask for one.
        try await descriptor.reauthenticateAndWait(withJWT: token)
        if !isHere { try await descriptor.syncAndWait(tolerating: true) }
        try await waitForPage()
        state.withLock { state in
            state.client = client
            state.descriptor = descriptor
            (state.report, state.firstPath) = (report, report.path)
        }
        guard adopt(self, link, client, descriptor, token) else { return close() }
        opened.finish()
        post(.status(descriptor.status))
        tell()
        post(.recordsChanged([], author: nil))
        if let origin = LayerSession.origin(of: name, report) { post(.notice(origin)) }
        if let problem = OwnFileDamage.failure(report) { post(.notice(problem)) }
        try await follow(descriptor)
    }

    /// Notes that the engine has opened the file for this tab.
    ///
    /// - Returns: false if the tab was closed meanwhile. The engine is told.
    private func own(_ link: OwnFileLink) -> Bool {
        state.withLock { state in
            guard state.isClosed else {
                state.link = link
                return true
            }
            state.closing = Task { await link.close() }
            return false
        }
    }

    /// Opens the layer, away from the threads that the first page needs.
    ///
    /// - Returns: also whether an earlier window has left all records here. They are shown and edited at once; the tab syncs
    ///   in any case.
    private func open(
        _ link: OwnFileLink, _ url: URL, _ token: String
    ) async throws -> (InstantClient, InstantDocumentDescriptor, isHere: Bool) {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { [options] in
                continuation.resume(
                    with: Result {
                        let client = try InstantClient(
                            serverURL: url, dataDirectory: URL(filePath: link.engine.place.layers),
                            environment: .program(options.log))
                        let descriptor = try client.documentDescriptor(forJWT: token)
                        // What is done is in the engine at once, which keeps it on disk.
                        descriptor.delayForSyncingLocalChanges = .zero
                        return (client, descriptor, descriptor.isComplete)
                    })
            }
        }
    }

    // MARK: What happens to the file

    /// Hears what the engine says of the file, and starts it again when it has ended. A new one finds the file and what is
    /// kept of it.
    private func follow(_ descriptor: InstantDocumentDescriptor) async throws {
        while let link = state.withLock(\.link) {
            let start = ContinuousClock.now
            do { try await link.engine.follow(link.document) { heard($0) } } catch is EngineRefusal {
                // Another engine, which has not opened the file yet.
            } catch is CommandFailure {}
            try Task.checkCancellation()
            if ContinuousClock.now - start < Self.pause { try await Task.sleep(for: Self.pause) }
            do { try await reopen(descriptor) } catch let failure as CommandFailure {
                post(.notice("\(place): \(failure.message); trying again"))
            }
        }
    }

    private func reopen(_ descriptor: InstantDocumentDescriptor) async throws {
        let (link, report, _) = try await OwnFileLink.open(place, options.folders, isPrivate: options.isPrivate)
        let known = state.withLock(\.link)
        // The layer of another document has other records.
        guard link.engine == known?.engine, link.document.isExactly(known?.document ?? "") else {
            await link.close()
            return try leave(descriptor)
        }
        heard(report, isFirst: true)
        descriptor.retryNow()
        descriptor.sync()
    }

    /// Makes the tab read-only: the folder with its layer was removed, as a logout does, and the engine has another one.
    ///
    /// - Throws: `CancellationError`, which ends the watch.
    private func leave(_ descriptor: InstantDocumentDescriptor) throws {
        let unsent = descriptor.losses().edits.count
        let loss = unsent > 0 ? "\(Wording.count(unsent, "change")) since then not kept; " : ""
        let why =
            "the engine's folder was removed, as by a logout; \(loss)what was kept is there when it is opened again"
        post(.file(FileStatus(path: place, condition: .readOnly(why))))
        throw CancellationError()
    }

    /// - Parameter isFirst: whether it is the first report of an engine. Later ones may overtake each other.
    private func heard(_ report: FileReport, isFirst: Bool = false) {
        let (old, isNews) = state.withLock { state -> (FileReport?, Bool) in
            guard isFirst || report.number >= state.report?.number ?? 0 else { return (nil, false) }
            defer { state.report = report }
            return (state.report, true)
        }
        guard isNews else { return }
        var isTold = false
        if let old, old.document == report.document {
            if !old.path.isExactly(report.path) { post(.notice("The file was moved to \(report.path.onOneLine)")) }
            if report.pages.pagesSince != old.pages.pagesSince { renewSession() }
            if report.merges > old.merges {
                post(.fileMerged(report.merge))
                post(.recordsChanged([], author: nil))
                isTold = true
            }
        }
        compare(report.pages, isTold: isTold)
        tell()
    }

    /// The number of pages, which new annotations are checked against, comes with the session.
    private func renewSession() {
        let (link, descriptor) = state.withLock { ($0.link, $0.descriptor) }
        guard let link, let descriptor else { return }
        Task { if let token = try? await link.token() { descriptor.reauthenticate(withJWT: token) } }
    }

    private let comparison = Mutex<@Sendable (ShownPages.File, _ isTold: Bool) -> Void>({ _, _ in })
    /// - Parameter body: Called with what the engine knows of the file's pages, after each look at it, and with whether the
    ///   person has just been told that the file changed.
    func comparePages(_ body: @escaping @Sendable (ShownPages.File, _ isTold: Bool) -> Void) {
        comparison.withLock { $0 = body }
    }
    private func compare(_ pages: ShownPages.File, isTold: Bool) { comparison.withLock { $0 }(pages, isTold) }

    /// Posts the file's status if it has changed.
    private func tell() {
        let status = state.withLock { state -> FileStatus? in
            guard let report = state.report else { return nil }
            let condition: FileStatus.Condition =
                report.isSilent ? .silent : state.isWriting ? .writing : report.isMissing ? .missing : .ready
            let status = FileStatus(
                path: state.newPath ?? name, condition: condition, unwritten: report.unwritten,
                conflicts: report.conflicts.count,
                lostMarks: report.lostMarks, isPrivate: report.isPrivate, isShared: report.processes > 1,
                id: report.document)
            guard status != state.told else { return nil }
            state.told = status
            return status
        }
        if let status { post(.file(status)) }
    }

    // MARK: What the person asks for

    /// Writes all edits requested before.
    func write(_ write: FileWrite, _ edits: LayerEdits?, _ descriptor: InstantDocumentDescriptor) {
        perform(edits, descriptor) { [self] link in
            state.withLock { $0.isWriting = true }
            tell()
            defer {
                state.withLock { $0.isWriting = false }
                tell()
            }
            let copy = write.copy.map(Self.atHome)
            do {
                let (written, report) = try await link.write(
                    to: copy, isForced: write.isForced, replacesOthers: write.isForced, isCompact: write.isCompact)
                // The screen counts before it says that everything is written.
                heard(report)
                var write = write
                if written.path.isExactly(report.path) { write.copy = nil }
                let form: FileWritten.Form =
                    written.records == 0 && write.copy == nil && !write.isCompact && !written.isRewritten
                    ? .unchanged
                    : written.isRewritten
                        ? .rewritten(write.isCompact ? nil : "it is encrypted or damaged")
                        : .appended(holdsDeleted: written.holdsDeleted)
                post(
                    .fileWritten(
                        FileWritten(
                            write, path: write.copy ?? place, changes: written.records, form: form,
                            leftOut: written.leftOut + written.unwritten.map { "\($0.id) (\($0.why))" },
                            groups: written.groups)))
            } catch let refusal as EngineRefusal {
                post(.fileRefused(self.refusal(write, refusal)))
            } catch {
                post(
                    .fileRefused(
                        FileRefusal(
                            write, path: write.copy ?? place,
                            reason: ((error as? CommandFailure)?.message ?? "\(error)") + ".")))
            }
        }
    }

    private func refusal(_ write: FileWrite, _ refusal: EngineRefusal) -> FileRefusal {
        let path = write.copy ?? place
        let reason = refusal.reason ?? refusal.message
        var result = FileRefusal(write, path: path, reason: reason.ends(with: ".") ? reason : reason + ".")
        switch refusal.problem {
        case .exists: result.force = "replace it"
        case .missing where write.copy == nil: result.force = "write it again"
        default: break
        }
        if let problem = refusal.problem, write.copy == nil,
            [.otherOwner, .readOnly, .signed, .missing, .unreadable].contains(problem)
        {
            let own = place.split(scalar: "/").last.map(String.init) ?? "copy.pdf"
            result.otherPath = SafeFileName.free(own, from: 2)
        }
        return result
    }

    private static func atHome(_ path: String) -> String {
        guard path.begins(with: "~/"), let home = ProcessInfo.processInfo.environment["HOME"] else { return path }
        return home + path.dropFirst(scalars: 1)
    }

    func revert(_ edits: LayerEdits?, _ descriptor: InstantDocumentDescriptor) {
        perform(edits, descriptor) { [self] link in
            do {
                let (report, count) = try await link.revert()
                heard(report)
                edits?.forgetSteps()
                post(.fileReverted(changes: count))
                post(.recordsChanged([], author: nil))
            } catch {
                let why = (error as? EngineRefusal)?.message ?? (error as? CommandFailure)?.message ?? "\(error)"
                post(.fileNotReverted(why + "."))
            }
        }
    }

    /// The path of the file, or of a copy of it as it was if it is missing.
    var pdf: String? {
        state.withLock(\.report).map(\.pdf)
    }

    /// The conflicts with the file, in the form of the outbox.
    var conflictItems: [OutboxItem] {
        (state.withLock { $0.report?.conflicts } ?? []).map { conflict in
            let shown = conflict.mine ?? conflict.theirs ?? conflict.base
            let annotation = shown.map { Annotation($0) }
            return OutboxItem(
                id: conflict.id,
                action: conflict.mine == nil ? .delete : conflict.base == nil ? .create : .update,
                kind: annotation?.kind ?? .unknown(""), pageIndex: annotation?.pageIndex, delivery: .conflict,
                reason: conflict.reason, base: conflict.base?.content,
                mine: conflict.mine?.content, theirs: conflict.theirs?.content,
                theirAuthor: conflict.theirs.flatMap { Annotation($0).author }, sides: conflict.sides)
        }
    }

    /// - Returns: false if the file has no conflict about this record.
    func resolve(
        _ id: Record.ID, _ resolution: Resolution, of sides: Conflict.Sides, _ edits: LayerEdits?,
        _ descriptor: InstantDocumentDescriptor
    ) -> Bool {
        let conflict = state.withLock { state in state.report?.conflicts.first { $0.id.isExactly(id) } }
        guard let conflict else { return false }
        perform(edits, descriptor) { [self] link in
            do {
                guard conflict.sides == sides else { throw EditError.resolvedUnseen }
                var choice = FileResolution.Choice.mine
                switch resolution {
                case .mine: break
                case .theirs: choice = .theirs
                case .merged(let content):
                    choice = .layer
                    _ = try descriptor.update(id, content: content)
                    try await descriptor.syncAndWait(tolerating: true)
                }
                heard(try await link.resolve(conflict, choice))
                post(.resolved(id))
                post(.recordsChanged([id], author: nil))
            } catch {
                let why = (error as? EngineRefusal)?.message ?? (error as? CommandFailure)?.message ?? "\(error)"
                post(.resolveFailed(id, why))
            }
        }
        return true
    }

    /// Runs something once the engine has all edits requested before.
    private func perform(
        _ edits: LayerEdits?, _ descriptor: InstantDocumentDescriptor,
        _ body: @escaping @Sendable (OwnFileLink) async -> Void
    ) {
        guard let link = state.withLock(\.link) else { return }
        Task {
            if let edits { await withCheckedContinuation { done in edits.afterAll { done.resume() } } }
            try? await descriptor.syncAndWait(tolerating: true)
            await body(link)
        }
    }

    // MARK: Closing

    /// Ends the use of the file, once the engine has all edits.
    ///
    /// - Parameter layer: nil if the file was not editable yet.
    func close(_ layer: OpenLayer? = nil, _ edits: LayerEdits? = nil) {
        let (client, link) = state.withLock { state in
            state.isClosed = true
            state.task?.cancel()
            defer { (state.client, state.link, state.descriptor) = (nil, nil, nil) }
            return (state.client, state.link)
        }
        guard let link else { return }
        let closing = Task {
            if let layer {
                if let edits { await withCheckedContinuation { done in edits.afterAll { done.resume() } } }
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { try? await layer.descriptor.syncAndWait(tolerating: true) }
                    // An edit that the engine does not have yet stays on this machine and is sent next time.
                    group.addTask { try? await Task.sleep(for: Self.patience) }
                    await group.next()
                    group.cancelAll()
                }
                layer.close()
            }
            await client?.close()
            await link.close()
        }
        state.withLock { $0.closing = closing }
    }

    /// Waits until the engine knows that the file is closed.
    func closed() async { await state.withLock(\.closing)?.value }
}

extension InstantDocumentDescriptor {
    /// Whether the local store has all records as of an earlier sync.
    fileprivate var isComplete: Bool {
        guard let metadata = try? layer.metadata() else { return false }
        return metadata.cursor != nil && metadata.loading == nil && !metadata.wasReset && !metadata.isRecovering
    }

    /// Waits until the engine has all edits. Edits that were refused or are in conflict stay where they are.
    fileprivate func syncAndWait(tolerating: Bool) async throws {
        do throws(InstantError) { try await syncAndWait() } catch {
            guard error.kind == .rejectedEdits else { throw error }
        }
    }
}

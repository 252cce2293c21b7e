import Annotations
import FileCore
import FoundationEssentials
import Glibc
import PDFPages

// Reading a file that may have changed.
extension FileWork {
    /// What the engine knows of a file besides its versions.
    struct LookContext: Sendable {
        /// Keeps nothing on disk.
        var isPrivate = false
        var copies: KeptCopy
        /// The pages as the layer knows them.
        var frames: [PageFrame] = []
        /// Whether the file or the layer has something that may have to be found by its words.
        var hasMarks = true
        /// What the database has of records that were written. Called only for a file that is read.
        var synced: @Sendable () async throws -> [ByteOrdered: LocalFileState.Row] = { [:] }
    }

    /// What a file holds besides its records.
    struct Contents: Sendable {
        var title: String?
        var frames: [PageFrame]
        /// Whether it has annotations besides links and other furniture of its pages.
        var hasMarks: Bool
    }

    struct Looked: Sendable {
        var look: LocalFileCore.Look
        /// The paths of files beside the PDF that this engine, or one before it, has made.
        var beside: Set<String> = []
        /// Of a file that was read.
        var contents: Contents?
        /// Whether the file does not continue a version that is known, so that its pages may be others.
        var newPages = false
        /// A copy that was kept of the file, and is damaged.
        var damagedCopy: String?
        var error: OwnFileError?
    }

    private static let attempts = 3

    /// Compares a file with the version that is known, and reads it if it has another one.
    func look(at path: String, known: LocalFileState.Known, _ context: LookContext) async -> Looked {
        await apart { [self] in
            var looked = Looked(look: .same)
            do {
                if mustSearch(path) {
                    EarlierStates.removeLeftovers(of: path)
                    looked.beside = hiddenFiles(beside: path)
                    hasSearched(path)
                }
                try await look(at: path, known, context, &looked)
            } catch {
                let (problem, error) = Self.failure(error)
                (looked.look, looked.error) = (.failed(problem), error)
            }
            return looked
        }
    }

    private func hiddenFiles(beside path: String) -> Set<String> {
        let name = String(path.split(scalar: "/").last ?? "")
        guard let folder = path.dropping(suffix: name).map({ String($0) }) else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return Set(names.filter { HiddenFile.isName($0, of: name, database: self.name) }.map { folder + $0 })
    }

    private func look(
        at path: String, _ known: LocalFileState.Known, _ context: LookContext, _ looked: inout Looked
    ) async throws {
        for attempt in 1...Self.attempts {
            var status = stat()
            guard stat(path, &status) == 0 else {
                throw errno == EACCES ? OwnFileError.notReadable : OwnFileError(errno: errno)
            }
            if let old = known.version, old.isSame(as: status) { return looked.look = .same }
            OpenFile.waitWhileWritten(path)
            let version = try hash(path)
            if let old = known.version, version.hasBytes(of: old) { return looked.look = .touched(version) }
            do {
                return try await read(path, version, known, context, &looked)
            } catch {
                // A file that changes while it is read may look damaged.
                guard attempt < Self.attempts, try FileVersion.read(path) != version else { throw error }
            }
        }
    }

    private func read(
        _ path: String, _ version: FileVersion, _ known: LocalFileState.Known, _ context: LookContext,
        _ looked: inout Looked
    ) async throws {
        let (records, contents, isDamaged) = try await read(path, size: version.size, isPrivate: context.isPrivate)
        let revisions = (try? FileBeginnings.revisions(of: path)) ?? []
        let origin = try await origin(of: path, version, contents, known, context, &looked)
        hooks.withLock { $0.afterReading }()
        // What was read must be what was hashed.
        let after = try hash(path)
        let reading = FileReading(
            version: after, records: records, origin: origin, revisions: revisions,
            isSettled: after.hasBytes(of: version), isDamaged: isDamaged, synced: try await context.synced())
        matching.setFrames(contents.frames)
        looked.contents = contents
        if known.version != nil, case .anew = origin { looked.newPages = true }
        looked.look = .read(reading)
    }

    private func read(
        _ path: String, size: Int64, isPrivate: Bool
    ) async throws -> (records: [Record], contents: Contents, isDamaged: Bool) {
        let tools = tools(for: size, isPrivate: isPrivate)
        return try await perform(on: size) {
            async let info = tools.firstInfo(of: path)
            let (found, isDamaged) = try await tools.condition(of: path)
            let contents = Contents(
                title: try await info.title, frames: found.frames,
                hasMarks: found.records.contains { !Annotation($0).isHidden })
            return (found.records + found.values, contents, isDamaged)
        }
    }

    /// Returns what a file or a copy of it has, by the numbers of its objects, for a state of an earlier version. The pages
    /// of ``matching`` are not set.
    ///
    /// - Throws: ``OwnFileError`` and ``PDFError``
    func records(
        of path: String, isPrivate: Bool
    ) async throws -> (version: FileVersion, records: [Record], contents: Contents) {
        let result: Result<(FileVersion, [Record], Contents), any Error> = await apart { [self] in
            do {
                let version = try FileVersion.read(path)
                let (records, contents, _) = try await read(path, size: version.size, isPrivate: isPrivate)
                return .success((version, records, contents))
            } catch { return .failure(error) }
        }
        return try result.get()
    }

    private func origin(
        of path: String, _ version: FileVersion, _ contents: Contents, _ known: LocalFileState.Known,
        _ context: LookContext, _ looked: inout Looked
    ) async throws -> FileReading.Origin {
        // Nothing is compared with a file that is not known.
        guard let old = known.version else { return .anew(nil) }
        let found = try FileBeginnings.found(in: path, of: [old.contents] + known.earlier.versions)
        if found.first == old.contents { return .continues }
        let continues = found.contains(old.contents)
        let hasOldText = found.first.map(known.earlier.hasPresentText) ?? false
        let moves =
            continues
            ? nil
            : try await moves(
                from: old, to: path, version, contents, context, isSame: hasOldText, &looked)
        // If the text has moved since the earlier version, its marks cannot be compared by place. The last version may be a
        // file that was read halfway: the program that wrote this one has seen the longer one.
        let hasSamePages = moves == nil && contents.frames == context.frames
        if let earlier = found.first, continues || hasSamePages {
            let tools = tools(for: earlier.size, isPrivate: context.isPrivate)
            let ancestor = try await perform(on: earlier.size) {
                try await tools.annotations(of: path, upTo: earlier.size)
            }
            if let ancestor { return .continuesEarlier(ancestor.records + ancestor.values) }
        }
        return continues ? .continues : .anew(moves)
    }

    /// Compares the text that the file had with the one that it has. If it cannot, the places of the words are unknown.
    ///
    /// - Parameter isSame: whether the file continues a version with the same text. If another program replaces the file
    ///   right after a write, no copy of the written version exists yet.
    /// - Returns: nil if they are where they were, or nothing depends on them.
    private func moves(
        from old: FileVersion, to path: String, _ version: FileVersion, _ contents: Contents, _ context: LookContext,
        isSame: Bool, _ looked: inout Looked
    ) async throws -> Reanchoring? {
        guard context.hasMarks else { return nil }
        let copy: String
        do {
            guard let intact = try context.copies.intact(old.contents) else { return isSame ? nil : .unknown }
            copy = intact
        } catch {
            if case .copyDamaged(let path) = error { looked.damagedCopy = path }
            return isSame ? nil : .unknown
        }
        let size = max(old.size, version.size)
        let tools = tools(for: size, isPrivate: context.isPrivate)
        do {
            return try await perform(on: size) {
                async let before = tools.text(of: copy, on: context.frames)
                let now = try await tools.text(of: path, on: contents.frames)
                return Reanchoring(from: try await before, to: now)
            }
        } catch is PDFError { return .unknown }
    }
}

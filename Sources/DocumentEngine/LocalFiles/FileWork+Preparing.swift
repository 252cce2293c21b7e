import Annotations
import FileCore
import Glibc
import Interchange
import PDFPages
import SyncProtocol

// Making the file that is to take the place of another one.
extension FileWork {
    /// What the process wants that asks for a write.
    struct Order: Sendable {
        /// The permissions that a new file does not get; nil: as this process.
        var mask: mode_t?
        /// Replaces the file of another account, which only root can.
        var replacesOthers = false
        /// Whether changes that a signature forbids are an error. A copy leaves the signed file as it is.
        var keepsSignatures = true
        /// Where a copy is to be, as the process sees it that asks; nil: it did not say.
        var target: SeenTarget?
    }

    /// What the engine has for a write.
    struct WriteContext: Sendable {
        /// Keeps nothing on disk.
        var isPrivate = false
        var copies: KeptCopy
        /// The pages as the layer knows them.
        var frames: [PageFrame] = []
        /// Returns the bytes of an attachment of the document.
        var image: @Sendable (AttachmentID) async throws -> [UInt8]? = { _ in nil }
    }

    /// What a file that was made has, for people.
    struct Details: Sendable {
        /// Where it is to be.
        var path: String
        /// What a PDF cannot hold; it stays in the layer.
        var left = LeftOut()
        /// Records that were written without their groups.
        var groups = 0
        /// Records that could not be written as they are, with the reason. The file keeps its own version.
        var unwritten: [Unwritten] = []
        /// Other names of the file, which still have the old contents.
        var otherNames = 0
        /// Whether the file was rewritten, because it is encrypted or damaged, or by wish.
        var isRewritten = false
        /// Whether the file still contains what was deleted from it.
        var holdsDeleted = false
        /// Whether a copy has a signature that is not valid in it.
        var breaksSignature = false
    }

    struct Preparation: Sendable {
        var prepared: LocalFileCore.Prepared
        /// Of a file that was made.
        var details: Details?
        var error: OwnFileError?
    }

    /// Makes the hidden file that has the planned records: durable, folder included.
    ///
    /// - Parameters:
    ///   - path: of the PDF.
    ///   - bases: what the file has, by the ids of the layer.
    func prepare(
        _ plan: LocalFileCore.WritePlan, at path: String, bases: [Record], _ order: Order, _ context: WriteContext
    ) async -> Preparation {
        await preparation {
            let pair = try FilePair(path, hidden: plan.hidden, database: self.name)
            let old = try FileRights.replaceable(pair.here, replacesOthers: order.replacesOthers)
            guard old != nil || plan.source == .copy else { throw OwnFileError.missing }
            return try await self.make(pair, plan, of: path, for: path, over: old, bases, order, context)
        }
    }

    /// Makes a copy at another path, which is durable then.
    ///
    /// - Parameters:
    ///   - path: of the PDF.
    ///   - target: without links.
    ///   - isForced: replaces what is there.
    func copy(
        _ plan: LocalFileCore.WritePlan, of path: String, to target: String, isForced: Bool, bases: [Record],
        _ order: Order, _ context: WriteContext
    ) async -> Preparation {
        var order = order
        order.keepsSignatures = false
        return await preparation { [order] in
            let pair: FilePair
            do { pair = try FilePair(target, hidden: plan.hidden, database: self.name) } catch OwnFileError.missing {
                throw OwnFileError.other("its folder does not exist")
            }
            try order.target?.check(pair.place)
            var status = stat()
            if lstat(pair.here, &status) == 0 {
                guard status.st_mode & S_IFMT != S_IFDIR else { throw OwnFileError.other("it is a folder") }
                guard isForced else { throw OwnFileError.exists }
            }
            let old = try FileRights.replaceable(pair.here, replacesOthers: order.replacesOthers)
            var made = try await self.make(pair, plan, of: path, for: target, over: old, bases, order, context)
            guard case .made = made.prepared else { return made }
            made.details?.otherNames = 0
            do {
                try self.hooks.withLock { $0.beforeExchange }()
                if isForced {
                    guard rename(pair.beside, pair.here) == 0 else { throw OwnFileError(errno: errno) }
                } else {
                    guard PrivateFiles.rename(pair.beside, toFree: pair.here) else {
                        throw errno == EEXIST ? OwnFileError.exists : OwnFileError(errno: errno)
                    }
                }
            } catch {
                unlink(pair.beside)
                throw error
            }
            do throws(OwnFileError) {
                try self.hooks.withLock { $0.beforeSync }()
                try FileRights.sync(folder: pair.folder)
            } catch {
                if case .failed(let code) = error { throw OwnFileError.notSynced(code) }
                throw error
            }
            return made
        }
    }

    private func preparation(_ body: @Sendable () async throws -> Preparation) async -> Preparation {
        await apart {
            do { return try await body() } catch OwnFileError.changedMeanwhile {
                return Preparation(prepared: .changed, error: .changedMeanwhile)
            } catch {
                let (problem, error) = Self.failure(error)
                return Preparation(prepared: .failed(problem), error: error)
            }
        }
    }

    /// - Parameters:
    ///   - path: of the PDF.
    ///   - target: the path that the new file is for.
    ///   - old: what is there.
    private func make(
        _ pair: FilePair, _ plan: LocalFileCore.WritePlan, of path: String, for target: String, over old: stat?,
        _ bases: [Record], _ order: Order, _ context: WriteContext
    ) async throws -> Preparation {
        let source = try source(of: plan, path, context)
        unlink(pair.beside)
        let descriptor = PrivateFiles.create(file: pair.beside)
        guard descriptor >= 0 else { throw OwnFileError(errno: errno) }
        close(descriptor)
        do {
            var details = Details(path: target, otherNames: old.map { max(0, Int($0.st_nlink) - 1) } ?? 0)
            var annotator = FileAnnotator(plan, bases: bases, frames: context.frames)
            do {
                details.breaksSignature = try await annotate(
                    source, into: pair.beside, &annotator, plan, order, context)
            } catch {
                try checkSource(of: plan, path)
                throw error
            }
            try checkSource(of: plan, path)
            let keepsIDs = try plan.version.isBeginning(of: pair.beside)
            details.left = annotator.left
            details.groups = annotator.groups
            details.unwritten = annotator.unwritten
            details.isRewritten = !keepsIDs
            details.holdsDeleted = keepsIDs && annotator.deletes
            let version = try finish(pair, over: old, mask: order.mask)
            withExtendedLifetime(pair.place) {}
            return Preparation(
                prepared: .made(version, keepsIDs: keepsIDs, unwritten: annotator.unwrittenIDs), details: details)
        } catch {
            unlink(pair.beside)
            throw error
        }
    }

    /// - Returns: the path of the file from which the new one is made. It has the version of the plan.
    private func source(
        of plan: LocalFileCore.WritePlan, _ path: String, _ context: WriteContext
    ) throws -> String {
        switch plan.source {
        case .file:
            try checkSource(of: plan, path)
            return path
        case .copy:
            guard let copy = try context.copies.intact(plan.version.contents) else { throw OwnFileError.missing }
            return copy
        }
    }

    /// - Throws: ``OwnFileError/changedMeanwhile`` if the file has another version.
    private func checkSource(of plan: LocalFileCore.WritePlan, _ path: String) throws {
        guard plan.source == .file else { return }
        guard try hash(path).hasBytes(of: plan.version) else { throw OwnFileError.changedMeanwhile }
    }

    /// - Returns: whether a signature of the file is broken now.
    private func annotate(
        _ source: String, into target: String, _ annotator: inout FileAnnotator, _ plan: LocalFileCore.WritePlan,
        _ order: Order, _ context: WriteContext
    ) async throws -> Bool {
        let scratch = try ScratchFolder(in: setup.scratchFolder)
        defer { withExtendedLifetime(scratch) {} }
        let notes = try scratch.file("notes")
        let tools = tools(for: plan.version.size, isPrivate: context.isPrivate)
        let empty = annotator
        var (new, isBroken) = (annotator, false)
        try await perform(on: plan.version.size) {
            let result = try await tools.annotate(
                source, into: target, notes: notes, keepsSignatures: order.keepsSignatures
            ) { annotated in
                new = empty
                new.read(annotated)
                try await new.perform(on: &annotated, image: context.image)
            }
            isBroken = result.breaksSignature
            new.leave(result.unwritten)
            guard plan.isCompact else { return }
            do {
                let isSigned = try await tools.compact(target, notes: notes, keepsSignatures: order.keepsSignatures)
                if isSigned { isBroken = true }
            } catch PDFError.signed { throw OwnFileError.signedAnew }
        }
        annotator = new
        return isBroken
    }

    /// Makes the new file durable, with the mode, access list and extended attributes of the old one.
    ///
    /// - Returns: what it will be under its name.
    private func finish(_ pair: FilePair, over old: stat?, mask: mode_t?) throws -> FileVersion {
        let descriptor = open(pair.beside, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw OwnFileError(errno: errno) }
        defer { close(descriptor) }
        try FileRights.copy(of: old, at: pair.here, to: descriptor, mask: mask)
        guard fsync(descriptor) == 0 else { throw OwnFileError(errno: errno) }
        do throws(OwnFileError) { try FileRights.sync(folder: pair.folder) } catch {
            // Nothing was exchanged yet, so each cause has its own sentence.
            if case .failed(let code) = error { throw OwnFileError(errno: code) }
            throw error
        }
        return try FileVersion.read(pair.beside)
    }
}

extension FileVersion {
    /// Whether a file begins with the bytes of this version. Blocks.
    fileprivate func isBeginning(of path: String) throws -> Bool {
        try !FileBeginnings.found(in: path, of: [contents]).isEmpty
    }
}

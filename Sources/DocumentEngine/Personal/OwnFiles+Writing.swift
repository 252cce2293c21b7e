import Annotations
import EngineCore
import Glibc
import Interchange
import Merging
import PDFPages

// Writing what the layer has into the file.
extension OwnFiles {
    struct WriteOrder: Hashable, Sendable {
        /// Another path, absolute: the file stays as it is, and its changes stay to be written.
        var copy: String?
        /// The file itself, as the process sees it that asks.
        var seen = Sighting.unknown
        /// The same for the copy; nil: it did not say.
        var target: SeenTarget?
        /// The permissions that a copy does not get; nil: as this process.
        var mask: mode_t?
        /// Writes over another file at the path, or makes the file again that is missing.
        var isForced = false
        /// Replaces the file of another account, which only root can.
        var replacesOthers = false
        /// Rewrites the file without what was deleted from it.
        var isCompact = false
    }

    struct Written: Sendable {
        /// The path as it is, after links.
        var path: String
        /// The number of records that the file has now as the layer has them, and had not before.
        var records = 0
        /// What a PDF cannot hold; it stays in the layer.
        var left = LeftOut()
        /// Records that were written without their groups.
        var groups = 0
        /// Records that could not be written as they are, with the reason. The file keeps its own version.
        var unwritten: [Unwritten] = []
        /// Records that wait for a choice between two versions. The file keeps its own version.
        var conflicts = 0
        /// What another program had changed, merged before writing.
        var merged: Merged?
        /// Other names of the file, which still have the old contents.
        var otherNames = 0
        /// Whether the file was rewritten, because it is encrypted or damaged, or by wish.
        var isRewritten = false
        /// Whether the file still contains what was deleted from it.
        var holdsDeleted = false
        /// Whether a copy has a signature that is not valid in it.
        var breaksSignature = false
    }

    private static let attempts = 3

    func write(_ file: OwnFile, _ order: WriteOrder) async throws -> Written {
        try await file.operations.pass {
            try await engine.apart { _ = try order.seen.opened(file.state.path) }
            if let copy = order.copy, let target = order.target {
                // A path that leads nowhere is refused below.
                try await engine.apart { if let place = try? FilePlace(of: copy) { try target.check(place) } }
            }
            var isUndecided = false
            let target = try order.copy.map { try FileReplacement.followed($0) }
            let isCopy = target.map { !$0.isExactly(file.state.path) } ?? false
            do { try await finishIntent(file) } catch is OwnFileError where isCopy {
                isUndecided = true
            }
            var merged: Merged?
            for _ in 0..<Self.attempts {
                // A copy is made of what was last read.
                var isUnreadable = isUndecided
                do {
                    if !isUndecided, let found = try await rebaseIfChanged(file) {
                        let before = merged ?? Merged()
                        merged = found
                        merged?.added += before.added
                        merged?.changed += before.changed
                        merged?.deleted += before.deleted
                        merged?.lostMarks += before.lostMarks
                    }
                } catch OwnFileError.missing where order.isForced || order.copy != nil {
                } catch let error as OwnFileError where order.copy != nil && error.isAboutReading {
                    isUnreadable = true
                }
                do {
                    var written = try await writeOnce(file, order, isUnreadable: isUnreadable)
                    written.merged = merged
                    await endCopy(file)
                    return written
                } catch OwnFileError.changedMeanwhile {
                    continue
                } catch {
                    await endCopy(file)
                    throw error
                }
            }
            throw OwnFileError.changedMeanwhile
        }
    }

    /// Forgets where a copy was being written: nothing is left of it. If that is not stored, an engine looks there once more.
    private func endCopy(_ file: OwnFile) async {
        guard file.state.copying != nil else { return }
        try? await change(file) { $0.copying = nil }
    }

    /// - Parameter isUnreadable: whether the file cannot be read as it is now.
    private func writeOnce(_ file: OwnFile, _ order: WriteOrder, isUnreadable: Bool) async throws -> Written {
        let moment = try await moment(of: file)
        let state = moment.state
        let target = try order.copy.map { try FileReplacement.followed($0) } ?? state.path
        let isCopy = !target.isExactly(state.path)
        let isMissing = access(state.path, F_OK) != 0
        guard !isMissing || isCopy || order.isForced else { throw OwnFileError.missing }
        if isCopy, !order.isForced, access(target, F_OK) == 0 { throw OwnFileError.exists }
        var result = Written(path: target, conflicts: state.conflicts.count)
        guard state.unwritten > 0 || isCopy || isMissing || order.isCompact else { return result }
        guard isCopy || !isUnreadable else { throw OwnFileError.unreadable(.damaged) }
        let source: String
        if isMissing || isUnreadable {
            guard let copy = try await intactBase(of: state) else {
                throw isMissing ? OwnFileError.missing : OwnFileError.unreadable(.damaged)
            }
            source = copy
        } else {
            source = state.path
        }
        var plan = WritePlan(moment)
        if isCopy { try await change(file) { $0.copying = target } }
        let replacement = try await engine.apart {
            try FileReplacement(of: target, replacesOthers: order.replacesOthers)
        }
        if isCopy { try await engine.apart { try order.target?.check(replacement.place) } }
        replacement.mask = order.mask
        result.otherNames = isCopy ? 0 : replacement.otherNames
        // A copy leaves the signed file as it is.
        do {
            result.breaksSignature = try await make(
                &plan, from: source, into: replacement.temporary, state, isCompact: order.isCompact,
                keepsSignatures: !isCopy)
        } catch let error as OwnFileError {
            // A file that changes while it is read may look damaged.
            if !isMissing, !isUnreadable, try await hasChanged(file) { throw OwnFileError.changedMeanwhile }
            throw error
        }
        let keepsIDs = try await engine.apart { try state.facts.isBeginning(of: replacement.temporary) }
        result.records = plan.written.count
        result.left = plan.left
        result.groups = plan.groups
        result.unwritten = plan.unwritten
        result.isRewritten = !keepsIDs
        result.holdsDeleted = keepsIDs && plan.deletes
        let facts = try await engine.apart { try replacement.prepare() }
        if let hooks = exchangeHooks.withLock({ $0 }) {
            (replacement.afterExchange, replacement.beforeSync) = (hooks.afterExchange, hooks.beforeSync)
        }
        if isCopy {
            try await engine.apart { try replacement.finish(replacing: nil) }
            return result
        }
        let intent = OwnFileState.Intent(
            sha256: facts.sha256, keepsIDs: keepsIDs, exchanged: replacement.exchanged, rows: plan.written)
        try await change(file) { $0.intent = intent }
        do {
            try await engine.apart { try replacement.finish(replacing: isMissing ? nil : state.facts) }
        } catch {
            // The file is in place. What was written is kept until the disk has it.
            if case OwnFileError.notSynced = error { throw error }
            // The file may have been replaced all the same.
            guard try await finishIntent(file) else { throw error }
            return result
        }
        do {
            // The rename may have changed the time of the file's status only, not that of its contents.
            try await change(file) { state in
                state.intent = nil
                state.wrote(intent, as: facts)
            }
        } catch {
            // The file has the changes all the same. The intent is still stored, and tells that later.
            logger.notice("a write was not noted", metadata: ["error": "\(error)"])
        }
        return result
    }

    /// - Returns: whether a signature of the file is broken now.
    private func make(
        _ plan: inout WritePlan, from source: String, into target: String, _ state: OwnFileState, isCompact: Bool,
        keepsSignatures: Bool
    ) async throws -> Bool {
        let notes = try intake.blobs.receive()
        defer { withExtendedLifetime(notes) {} }
        let tools = tools(for: state.facts.size, isPrivate: state.isPrivate)
        var (new, isBroken) = (plan, false)
        do {
            try await intake.work.perform(on: state.facts.size) {
                let result = try await tools.annotate(
                    source, into: target, notes: notes.path, keepsSignatures: keepsSignatures
                ) { annotated in
                    new = plan
                    new.read(annotated)
                    for step in new.steps {
                        switch step {
                        case .keep(let id): _ = annotated.keep(id)
                        case .add(let record, let root, let id):
                            var image: [UInt8]?
                            if let attachment = record.content.attachmentID {
                                image = try await intake.attachments.bytes(of: attachment, in: state.document)
                            }
                            if try annotated.add(record, under: root, image: image) {
                                new.added(id)
                            } else {
                                new.leftOut(id)
                            }
                        }
                    }
                }
                isBroken = result.breaksSignature
                new.leave(result.unwritten)
                guard isCompact else { return }
                do {
                    if try await tools.compact(target, notes: notes.path, keepsSignatures: keepsSignatures) {
                        isBroken = true
                    }
                } catch PDFError.signed { throw OwnFileError.signedAnew }
            }
        } catch let error as PDFError { throw OwnFileError(error) }
        plan = new
        return isBroken
    }
}

/// What must be done to a PDF so that it holds the records of a layer.
struct WritePlan {
    enum Step {
        /// Leaves an annotation of the file as it is.
        case keep(Record.ID)
        /// Writes a record, by the ids of the file; the last id is that of the layer.
        case add(Record, root: Record?, Record.ID)
    }

    private(set) var steps: [Step] = []
    /// The rows that the file holds afterwards, as the layer had them.
    private(set) var written: [ByteOrdered: Record?] = [:]
    private(set) var left = LeftOut()
    /// How many of the written records have a group, which a PDF cannot hold.
    private(set) var groups = 0
    /// The records that were not written as they are, by their ids in the layer.
    private(set) var unwritten: [Unwritten] = []
    /// Whether annotations of the file are removed.
    private(set) var deletes = false
    private let moment: OwnFiles.Moment
    private var state: OwnFileState { moment.state }
    private var versions: OwnFiles.Versions { moment.versions }
    private var mine: [ByteOrdered: Record] = [:]

    init(_ moment: OwnFiles.Moment) {
        self.moment = moment
        for record in moment.versions.mine { mine[ByteOrdered(record.id)] = record }
    }

    /// Compares the layer with the annotations that the file has.
    mutating func read(_ annotated: AnnotatedPDF) {
        (steps, groups) = ([], 0)
        let inFile = annotated.records
        let matching = RecordMatching(
            of: DocumentReading(inFile, from: .pdf, sharesIDs: state.sharesIDs),
            in: DocumentReading(versions.base.filter { $0.contentType != .formFields }, from: .records),
            pages: versions.pages)
        var fileIDs: [ByteOrdered: Record] = [:]
        var seen: Set<ByteOrdered> = []
        for record in inFile {
            guard let id = matching.partners[ByteOrdered(record.id)] else {
                // Nobody knows it, so nobody has deleted it.
                steps.append(.keep(record.id))
                continue
            }
            fileIDs[ByteOrdered(id)] = record
            seen.insert(ByteOrdered(id))
        }
        // The number of an annotation that the file has lost may be that of another one now.
        let taken = Set(inFile.map { ByteOrdered($0.id) })
        func fileID(_ id: Record.ID) -> Record.ID {
            fileIDs[ByteOrdered(id)]?.id ?? (taken.contains(ByteOrdered(id)) ? "layer \(id)" : id)
        }

        for (id, row) in state.rows where mine[id] == nil && state.conflicts[id] == nil {
            if fileIDs[id] != nil { deletes = true }
            if row.base != nil { written[id] = .some(nil) }
        }
        for (id, file) in fileIDs where state.conflicts[id] != nil {
            // The file's version stays until the person has chosen.
            steps.append(.keep(file.id))
        }
        for record in versions.mine {
            let id = ByteOrdered(record.id)
            guard state.conflicts[id] == nil else { continue }
            let row = state.rows[id]
            let file = fileIDs[id]
            if let file, row?.isWritten ?? true {
                steps.append(.keep(file.id))
                if let row, row.base != record { written[id] = record }
                continue
            }
            // A record of the file that it does not have any more is written again rather than lost.
            guard file != nil || row != nil else { continue }
            guard record.contentType != .formFields else {
                left.add(record)
                continue
            }
            var new = record.content.renamingTargets(fileID)
            if let file { new = Self.content(file.content, changedFrom: row?.base?.content, to: record.content) }
            var root: Record?
            if record.contentType == .comments {
                guard let name = record.content["rootId"]?.string, let found = mine[ByteOrdered(name)] else {
                    left.add(record)
                    continue
                }
                root = fileIDs[ByteOrdered(name)] ?? found
                root?.id = fileID(name)
            }
            var step = record
            step.id = fileID(record.id)
            step.content = new
            if file == nil, !step.id.isExactly(record.id), new["name"] == nil {
                step.content = new.changing { $0["name"] = .string(record.id) }
            }
            steps.append(.add(step, root: root, record.id))
        }
    }

    /// Notes the records that were not written, which are named by the ids of the file.
    mutating func leave(_ unwritten: [Unwritten]) {
        var names: [ByteOrdered: Record.ID] = [:]
        for case .add(let record, _, let id) in steps { names[ByteOrdered(record.id)] = id }
        self.unwritten = unwritten.compactMap { item in
            names[ByteOrdered(item.id)].map { Unwritten(id: $0, reason: item.reason) }
        }
        for item in self.unwritten { written[ByteOrdered(item.id)] = nil }
    }

    mutating func added(_ id: Record.ID) {
        guard let record = mine[ByteOrdered(id)] else { return }
        written[ByteOrdered(id)] = record
        if record.group != nil { groups += 1 }
    }

    mutating func leftOut(_ id: Record.ID) {
        if let record = mine[ByteOrdered(id)] { left.add(record) }
    }

    /// Members that name things differently in the file, or that only a reading adds.
    private static let ofTheFile: Set = ["pdfObjectId", "name", "rootId", "postilla", "isCommentThreadRoot", "v"]

    /// Returns what the file has, with the changes of the layer.
    static func content(_ file: Content, changedFrom base: Content?, to mine: Content) -> Content {
        guard let base else { return mine }
        let (old, new) = (base.object, mine.object)
        return file.changing { object in
            for key in old.keys(differingFrom: new, except: ofTheFile) { object[key] = new[key] }
        }
    }
}

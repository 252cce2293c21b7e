import Annotations
import App
import Authorization
import Crypto
import Instant
import InstantCore
import Interchange
import Merging
import PDFPages

/// Brings the result of a merge into a layer: the server stores each change if the token allows it.
struct LayerMerge {
    let descriptor: InstantDocumentDescriptor
    private let grant: Grant

    init(_ descriptor: InstantDocumentDescriptor) throws {
        self.descriptor = descriptor
        guard let grant = descriptor.status.grant else { throw EditError.noGrant }
        self.grant = grant
    }

    /// The records of the layer that the token may see, without form fields.
    func records() async throws -> [Record] {
        var records: [Record] = []
        try await descriptor.forEachRecord { record, _ in
            if !record.isField { records.append(record) }
        }
        return records
    }

    /// Plans and, unless it is a trial, performs the changes.
    ///
    /// - Returns: What became of the changed records; in a trial, of those that are not allowed.
    func apply(
        _ merge: CopyMerge, of files: [MergeFile], in session: LayerSession, isDryRun: Bool
    ) async throws -> [ByteOrdered: EditOutcome] {
        var outcomes: [ByteOrdered: EditOutcome] = [:]
        var planner = try ImportPlanner(descriptor, grant: grant)
        for part in Self.changed(merge).chunks(of: AddLines.atOnce) {
            let (steps, attachments) = try plan(part, of: files, &planner)
            for step in steps { if case .skip(let why) = step.action { outcomes[ByteOrdered(step.id)] = why } }
            guard !isDryRun else { continue }
            try descriptor.add(attachments, for: steps)
            do {
                outcomes.merge(try await session.perform(steps, author: nil)) { $1 }
            } catch let steps as UnconfirmedSteps { throw steps.failure }
        }
        try await delete(Self.deleted(merge), in: session, isDryRun, &outcomes)
        return outcomes
    }

    /// What is to be done to the layer.
    struct Edits {
        var edits: [Edit] = []
        /// The ids of the records that the edits create, in order.
        var newIDs: [Record.ID] = []
        /// Why something is not done, by the ids of the records.
        var denied: [ByteOrdered: EditOutcome] = [:]
    }

    /// Plans the changes as edits of one step, and stores the attached files that they name.
    func edits(_ merge: CopyMerge, of files: [MergeFile]) throws -> Edits {
        var result = Edits()
        var planner = try ImportPlanner(descriptor, grant: grant)
        let (steps, attachments) = try plan(Self.changed(merge)[...], of: files, &planner)
        try descriptor.add(attachments, for: steps)
        for step in steps {
            switch step.action {
            case .create:
                result.edits.append(.create(step.item.content))
                result.newIDs.append(step.id)
            case .update: result.edits.append(.update(step.id, step.item.content))
            case .unchanged: break
            case .skip(let why): result.denied[ByteOrdered(step.id)] = why
            }
        }
        var gone: Set<ByteOrdered> = []
        for record in Self.deleted(merge) where !gone.contains(ByteOrdered(record.id)) {
            if case .denied(let denial) = grant.decide(.delete(.init(record))) {
                result.denied[ByteOrdered(record.id)] = .denied(denial.description)
                continue
            }
            guard let planned = try descriptor.layer.deletions(of: [record.id]).first else { continue }
            let along = planned.records.dropFirst().map(\.id)
            gone.formUnion(along.map(ByteOrdered.init))
            result.edits.append(.delete(record.id, with: along))
        }
        return result
    }

    /// The records that differ from those of the layer; annotations before their comments.
    private static func changed(_ merge: CopyMerge) -> [Record] {
        let before = Dictionary(merge.start.map { (ByteOrdered($0.id), $0) }) { first, _ in first }
        let changed = merge.records.filter { before[ByteOrdered($0.id)]?.isSame(as: $0) != true }
        return changed.filter { $0.contentType != .comments } + changed.filter { $0.contentType == .comments }
    }

    /// The records that are to be deleted; annotations first, which take their comments with them.
    private static func deleted(_ merge: CopyMerge) -> [Record] {
        let left = Set(merge.records.map { ByteOrdered($0.id) })
        let gone = merge.start.filter { !left.contains(ByteOrdered($0.id)) }
        return gone.filter { $0.contentType != .comments } + gone.filter { $0.contentType == .comments }
    }

    private func plan(
        _ records: ArraySlice<Record>, of files: [MergeFile], _ planner: inout ImportPlanner
    ) throws -> (steps: [ImportPlanner.Step], attachments: [AttachmentID: [UInt8]]) {
        var (steps, attachments): ([ImportPlanner.Step], [AttachmentID: [UInt8]]) = ([], [:])
        for record in records {
            var item = item(record, isNew: try descriptor.layer.record(record.id) == nil)
            if let (id, bytes) = item.nameFile({ SHA256.hash(data: $0).hexadecimal }) { attachments[id] = bytes }
            if let id = item.content.attachmentID {
                attachments[id] = attachments[id] ?? files.lazy.compactMap { $0.attachments[id] }.first
            }
            steps.append(try planner.plan(item))
        }
        return (steps, attachments)
    }

    private func item(_ record: Record, isNew: Bool) -> InstantJSONFile.Item {
        var item = InstantJSONFile.item(record.id, record.content)
        guard isNew else { return item }
        if let group = record.group { item.group = group }
        item.content = item.content.changing { object in
            guard var aside = object["postilla"]?.object else { return }
            aside["warning"] = nil
            // A new record is written on its own page only.
            aside["pages"] = nil
            object["postilla"] = aside.members.isEmpty ? nil : .object(aside)
        }
        return item
    }

    private func delete(
        _ records: [Record], in session: LayerSession, _ isDryRun: Bool, _ outcomes: inout [ByteOrdered: EditOutcome]
    ) async throws {
        var sent: [Record.ID] = []
        for record in records {
            if case .denied(let denial) = grant.decide(.delete(.init(record))) {
                outcomes[ByteOrdered(record.id)] = .denied(denial.description)
                continue
            }
            guard !isDryRun, let planned = try descriptor.layer.deletions(of: [record.id]).first else {
                continue
            }
            _ = try descriptor.delete(record.id, with: planned.records.dropFirst().map(\.id))
            sent.append(record.id)
        }
        for (id, outcome) in zip(sent, try await session.deliver(sent)) { outcomes[ByteOrdered(id)] = outcome }
        try session.dropFailed(sent)
    }
}

extension LayerMerge {
    /// Reads the attached files of new annotations out of annotated PDFs, and tells which pictures a layer cannot hold.
    static func addFiles(to merge: inout CopyMerge, of files: inout [MergeFile]) async throws {
        for record in merge.records {
            guard let origin = merge.origins[ByteOrdered(record.id)], files[origin.copy].isPDF else { continue }
            switch AnnotationKind(of: record.content.object) {
            case .file where record.content.attachmentID == nil:
                guard let bytes = try await PDFTools().attachedFile(of: origin.id, in: files[origin.copy].path),
                    let id = AttachmentID(SHA256.hash(data: bytes).hexadecimal)
                else { continue }
                files[origin.copy].attachments[id] = bytes
                merge.change(record.id) { object in
                    object["fileAttachmentId"] = .string(id.hex)
                    object["fileSize"] = .number(JSONNumber(Int64(bytes.count)))
                }
            case .stamp, .image:
                guard record.content.hasOwnPicture else { continue }
                files[origin.copy].problems.append(
                    FileProblem(record.id, "its picture stays in the file", isSkipped: false))
            default: continue
            }
        }
    }
}

extension Content {
    /// Whether a stamp shows more than its name says.
    fileprivate var hasOwnPicture: Bool { attachmentID == nil && self["title"]?.string?.isEmpty != false }
}

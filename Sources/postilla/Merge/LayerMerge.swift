import Annotations
import Authorization
import Crypto
import Instant
import InstantCore
import Interchange
import PDFPages

/// Brings the result of a merge into a layer: the server stores each change if the token allows it.
struct LayerMerge {
    let session: LayerSession
    private let grant: Grant

    init(_ session: LayerSession) throws {
        self.session = session
        guard let grant = session.descriptor.status.grant else { throw EditError.noGrant }
        self.grant = grant
    }

    /// The records of the layer that the token may see, without form fields.
    func records() async throws -> [Record] {
        var records: [Record] = []
        try await session.descriptor.forEachRecord { record, _ in
            if !record.isField { records.append(record) }
        }
        return records
    }

    /// Plans and, unless it is a trial, performs the changes.
    ///
    /// - Returns: What became of the changed records; in a trial, of those that are not allowed.
    func apply(_ merge: CopyMerge, of files: [MergeFile], isDryRun: Bool) async throws -> [ByteOrdered: EditOutcome] {
        var outcomes: [ByteOrdered: EditOutcome] = [:]
        var planner = try ImportPlanner(session.descriptor, grant: grant)
        let before = Dictionary(merge.start.map { (ByteOrdered($0.id), $0) }) { first, _ in first }
        let changed = merge.records.filter { before[ByteOrdered($0.id)]?.isSame(as: $0) != true }
        let sorted = changed.filter { $0.contentType != .comments } + changed.filter { $0.contentType == .comments }
        for part in sorted.chunks(of: AddLines.atOnce) {
            var (steps, attachments): ([ImportPlanner.Step], [AttachmentID: [UInt8]]) = ([], [:])
            for record in part {
                var item = try await item(record, isNew: before[ByteOrdered(record.id)] == nil, files, isDryRun)
                if let (id, bytes) = item.nameFile({ SHA256.hash(data: $0).hexadecimal }) { attachments[id] = bytes }
                if let id = item.content.attachmentID {
                    attachments[id] = attachments[id] ?? files.lazy.compactMap { $0.attachments[id] }.first
                }
                steps.append(try planner.plan(item))
            }
            for step in steps { if case .skip(let why) = step.action { outcomes[ByteOrdered(step.id)] = why } }
            guard !isDryRun else { continue }
            try session.add(attachments, for: steps)
            outcomes.merge(try await session.perform(steps, author: nil)) { $1 }
        }
        let left = Set(merge.records.map { ByteOrdered($0.id) })
        try await delete(merge.start.filter { !left.contains(ByteOrdered($0.id)) }, isDryRun, &outcomes)
        return outcomes
    }

    private func item(
        _ record: Record, isNew: Bool, _ files: [MergeFile], _ isDryRun: Bool
    ) async throws -> InstantJSONFile.Item {
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
        _ records: [Record], _ isDryRun: Bool, _ outcomes: inout [ByteOrdered: EditOutcome]
    ) async throws {
        // An annotation takes its comments with it.
        let sorted = records.filter { $0.contentType != .comments } + records.filter { $0.contentType == .comments }
        var sent: [Record.ID] = []
        for record in sorted {
            if case .denied(let denial) = grant.decide(.delete(.init(record))) {
                outcomes[ByteOrdered(record.id)] = .denied(denial.description)
                continue
            }
            guard !isDryRun, let planned = try session.descriptor.layer.deletions(of: [record.id]).first else {
                continue
            }
            _ = try session.descriptor.delete(record.id, with: planned.records.dropFirst().map(\.id))
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

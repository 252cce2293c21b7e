import Annotations
import FileCore
import Interchange
import Merging
import PDFPages

/// What must be done to a PDF so that it has the records of a plan. An annotation that no row of the plan concerns stays as
/// it is, byte for byte.
struct FileAnnotator {
    enum Step {
        /// Leaves an annotation of the file as it is.
        case keep(Record.ID)
        /// Writes a record, by the ids of the file; the last id is that of the layer.
        case add(Record, root: Record?, Record.ID)
    }

    private(set) var steps: [Step] = []
    private(set) var left = LeftOut()
    /// How many of the written records have a group, which a PDF cannot hold.
    private(set) var groups = 0
    /// The records that were not written as they are, by their ids in the layer.
    private(set) var unwritten: [Unwritten] = []
    /// Whether annotations of the file are removed.
    private(set) var deletes = false
    private var leftIDs: Set<ByteOrdered> = []
    private let plan: LocalFileCore.WritePlan
    private let bases: [Record]
    private let frames: [PageFrame]

    /// - Parameter bases: what the file has, by the ids of the layer.
    init(_ plan: LocalFileCore.WritePlan, bases: [Record], frames: [PageFrame]) {
        (self.plan, self.bases, self.frames) = (plan, bases, frames)
    }

    /// The ids of all records of the plan that the file does not have as the layer has them.
    var unwrittenIDs: [Record.ID] {
        Set(unwritten.map { ByteOrdered($0.id) }).union(leftIDs).sorted().map(\.text)
    }

    /// Compares the plan with the annotations that the file has.
    mutating func read(_ annotated: AnnotatedPDF) {
        let inFile = annotated.records
        let matching = RecordMatching(
            of: DocumentReading(inFile, from: .pdf, sharesIDs: plan.sharesIDs),
            in: DocumentReading(bases.filter { $0.contentType != .formFields }, from: .records), pages: frames)
        var known: [ByteOrdered: Record] = [:]
        for record in inFile {
            let id = matching.partners[ByteOrdered(record.id)].map(ByteOrdered.init)
            if let id { known[id] = record }
            // It is unknown, so the person has not deleted it; or it is known and unchanged.
            if id.map({ plan.rows[$0] == nil }) ?? true { steps.append(.keep(record.id)) }
        }
        // The number of an annotation that the file has lost may be that of another one now.
        let taken = Set(inFile.map { ByteOrdered($0.id) })
        func fileID(_ id: Record.ID) -> Record.ID {
            known[ByteOrdered(id)]?.id ?? (taken.contains(ByteOrdered(id)) ? "layer \(id)" : id)
        }

        for (id, row) in plan.rows.sorted(by: Self.isBefore) {
            let file = known[id]
            guard let record = row.local else {
                if file != nil {
                    deletes = true
                } else if let base = row.base {
                    // It is somewhere in the file, and cannot be told from others.
                    leaveOut(base, id)
                }
                continue
            }
            guard record.contentType != .formFields else {
                leaveOut(record, id)
                continue
            }
            var root: Record?
            if record.contentType == .comments {
                guard let name = record.content["rootId"]?.string,
                    let found = known[ByteOrdered(name)] ?? plan.rows[ByteOrdered(name)]?.local
                else {
                    leaveOut(record, id)
                    // What the file has of it stays.
                    if let file { steps.append(.keep(file.id)) }
                    continue
                }
                root = found
                root?.id = fileID(name)
            }
            var step = record
            step.id = fileID(record.id)
            if let file {
                step.content = Self.content(file.content, changedFrom: row.base?.content, to: record.content)
            } else {
                step.content = record.content.renamingTargets(fileID)
                if !step.id.isExactly(record.id), step.content["name"] == nil {
                    step.content = step.content.changing { $0["name"] = .string(record.id) }
                }
            }
            steps.append(.add(step, root: root, record.id))
        }
    }

    private typealias Entry = (key: ByteOrdered, value: LocalFileState.Row)

    /// An order that does not depend on the order of a dictionary; annotations before comments.
    private static func isBefore(_ one: Entry, _ other: Entry) -> Bool {
        let (first, second) = (
            one.value.local?.contentType == .comments, other.value.local?.contentType == .comments
        )
        return first == second ? one.key < other.key : second
    }

    /// Performs the steps.
    ///
    /// - Parameter image: returns the bytes of an attachment.
    mutating func perform(
        on annotated: inout AnnotatedPDF, image: (AttachmentID) async throws -> [UInt8]?
    ) async throws {
        for step in steps {
            switch step {
            case .keep(let id): _ = annotated.keep(id)
            case .add(let record, let root, let id):
                var bytes: [UInt8]?
                if let attachment = record.content.attachmentID { bytes = try await image(attachment) }
                let isAdded = try annotated.add(record, under: root, image: bytes)
                guard isAdded else {
                    leaveOut(record, ByteOrdered(id))
                    continue
                }
                if record.group != nil { groups += 1 }
            }
        }
    }

    private mutating func leaveOut(_ record: Record, _ id: ByteOrdered) {
        left.add(record, pageCount: frames.count)
        leftIDs.insert(id)
    }

    /// Notes the records that were not written, which are named by the ids of the file.
    mutating func leave(_ unwritten: [Unwritten]) {
        var names: [ByteOrdered: Record.ID] = [:]
        for case .add(let record, _, let id) in steps { names[ByteOrdered(record.id)] = id }
        self.unwritten = unwritten.compactMap { item in
            names[ByteOrdered(item.id)].map { Unwritten(id: $0, reason: item.reason) }
        }
    }

    /// Members that name things differently in the file, or that only a reading adds.
    private static let ofTheFile: Set = ["pdfObjectId", "name", "rootId", "postilla", "isCommentThreadRoot", "v"]

    /// Returns what the file has, with the changes of the layer.
    private static func content(_ file: Content, changedFrom base: Content?, to local: Content) -> Content {
        guard let base else { return local }
        let (old, new) = (base.object, local.object)
        return file.changing { object in
            for key in old.keys(differingFrom: new, except: ofTheFile) { object[key] = new[key] }
        }
    }
}

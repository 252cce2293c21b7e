import Annotations
import Authorization
import Crypto
import Instant
import InstantCore
import Interchange

/// Decides for each record of a file what an import has to do, without changing anything.
struct ImportPlanner {
    enum Action: Equatable {
        case create, update, unchanged
        case skip(EditOutcome)

        /// The word that scripts read.
        var word: String {
            switch self {
            case .create: "create"
            case .update: "update"
            case .unchanged: "unchanged"
            case .skip: "skip"
            }
        }
    }

    struct Step {
        var id: Record.ID
        var item: InstantJSONFile.Item
        var action: Action
    }

    private let descriptor: InstantDocumentDescriptor
    private let grant: Grant
    private let defaultGroup: String?
    private var seen: Set<ByteOrdered> = []
    /// Annotations that this import creates; comments may be added under them.
    private var newRoots: [ByteOrdered: Subject] = [:]
    /// Ids that the server would refuse, because a record with this id was deleted; known only for a dry run.
    var deleted: Set<ByteOrdered> = []
    private var unnamed: [ByteOrdered: Int] = [:]

    /// - Parameter grant: The rights to check; the server checks again.
    init(_ descriptor: InstantDocumentDescriptor, grant: Grant) throws {
        self.descriptor = descriptor
        self.grant = grant
        defaultGroup = try descriptor.layer.metadata().groupForNew
    }

    mutating func plan(_ item: InstantJSONFile.Item) throws -> Step {
        let id = try id(of: item)
        guard let present = try descriptor.layer.record(id) else {
            return Step(id: id, item: item, action: try action(for: item, id, over: nil))
        }
        // A plan leaves out what an edit cannot change. A record of another kind is skipped.
        var edit = item
        edit.content = item.content.keepingOrigin(of: present.content)
        let isEdit = item.content.isSameKind(as: present.content) && item.content.isState == present.content.isState
        let action =
            isEdit ? try action(for: edit, id, over: present) : .skip(.invalid(EditError.otherKind.description))
        return Step(id: id, item: edit, action: action)
    }

    /// Returns the record's id. A missing id is derived from the content alone, so that a second import finds it again.
    private mutating func id(of item: InstantJSONFile.Item) throws -> Record.ID {
        if let id = item.id { return id }
        if let number = item.content["pdfObjectId"]?.integer, try descriptor.layer.record("\(number)") != nil {
            return "\(number)"
        }
        let new = Self.id(for: item.content)
        let count = unnamed[ByteOrdered(new), default: 0] + 1
        unnamed[ByteOrdered(new)] = count
        return new + (count == 1 ? "" : "-\(count)")
    }

    /// Returns an id that depends on the content alone.
    static func id(for content: Content) -> Record.ID {
        "import-" + SHA256.hash(data: Array(content.text.utf8)).prefix(16).hexadecimal
    }

    /// - Parameter present: The record with this id; nil if there is none.
    private mutating func action(
        for item: InstantJSONFile.Item, _ id: Record.ID, over present: Record?
    ) throws -> Action {
        guard Record.isAcceptedID(id) else { return .skip(.invalid(Record.idRule)) }
        guard seen.insert(ByteOrdered(id)).inserted else { return .skip(.invalid("duplicate id in the file")) }
        if let present {
            if item.content.isPresent(in: present) { return .unchanged }
            if let delivery = try descriptor.layer.row(id)?.delivery, [.conflict, .refused].contains(delivery) {
                return .skip(.conflict("an earlier edit is in conflict; see postilla conflicts"))
            }
            if let limit = item.content.readInPart ?? present.content.readInPart {
                return .skip(.invalid(InvalidContent.readInPart(limit).description))
            }
            if let problem = invalid(item, over: present.content) { return .skip(problem) }
            return decide(.editing(present), else: .update)
        }
        guard Record.isValidID(id) else { return .skip(.invalid(Record.idRule)) }
        if deleted.contains(ByteOrdered(id)) { return .skip(.conflict("a record with this id was deleted")) }
        if let limit = item.content.readInPart {
            return .skip(.invalid("only a part of it could be read: \(limit)"))
        }
        if let problem = invalid(item) { return .skip(problem) }
        let group = item.group ?? defaultGroup
        guard item.content.contentType == .comments else {
            let action = decide(.createAnnotation(group: group), else: .create)
            if action == .create {
                newRoots[ByteOrdered(id)] = Subject(.annotations, createdBy: grant.userID, group: group)
            }
            return action
        }
        let rootID = item.content["rootId"]?.string ?? ""
        guard let root = try newRoots[ByteOrdered(rootID)] ?? descriptor.layer.record(rootID).map({ Subject($0) })
        else {
            return .skip(.invalid("its annotation is not in this layer"))
        }
        if item.content.state != nil { return decide(.setState(root: root, group: group), else: .create) }
        let isFirst = try descriptor.layer.thread(under: rootID).isEmpty
        return decide(.createComment(root: root, first: isFirst, group: group), else: .create)
    }

    private func invalid(_ item: InstantJSONFile.Item, over present: Content? = nil) -> EditOutcome? {
        do {
            try item.content.validate()
            try item.content.checkAttachment(over: present)
            return nil
        } catch { return .invalid(error.description) }
    }

    private func decide(_ operation: Operation, else action: Action) -> Action {
        if case .denied(let denial) = grant.decide(operation) { return .skip(.denied(denial.description)) }
        return action
    }
}

extension Content {
    fileprivate var isState: Bool { state != nil }
}

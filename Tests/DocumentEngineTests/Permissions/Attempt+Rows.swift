import Annotations
import Authorization
import SyncProtocol
import TestSupport

extension Attempt {
    /// The highlight and the note in `Samples.pdf`.
    static let base: Set<Record.ID> = ["6", "7"]

    static let highlight = Samples.note("marked").changing { $0["type"] = "pspdfkit/markup/highlight" }

    static func comment(under root: Record.ID) -> Content {
        Samples.note("said").changing {
            $0["type"] = "pspdfkit/comment"
            $0["rootId"] = .string(root)
        }
    }
}

/// A row of the table as records and requests. Each row has its own records, named by its number.
extension PermissionRow {
    /// The operation's subject, before the operation.
    var subject: Subject? {
        switch operation {
        case .view(let it), .edit(let it), .editState(let it), .delete(let it), .move(let it, _): it
        case .createComment(let root, _, _), .setState(let root, _): root
        case .createAnnotation: nil
        }
    }

    /// The record that must be visible for the operation: its subject, or the root of the thread.
    func subjectID(_ number: Int) -> Record.ID { isOfThePDF ? "6" : "r\(number)" }

    /// The record that is changed or created.
    func targetID(_ number: Int) -> Record.ID {
        switch operation {
        case .createAnnotation, .createComment, .setState: "new\(number)"
        default: subjectID(number)
        }
    }

    func isSeen(_ number: Int, _ seen: Set<Record.ID>?) -> Bool {
        subject == nil || seen?.contains(subjectID(number)) == true
    }

    /// The records that the row needs.
    func furniture(_ number: Int) -> [Record] {
        var records: [Record] = []
        let id = subjectID(number)
        if let subject, !isOfThePDF {
            var content = subject.contentType == .comments ? Attempt.comment(under: "root") : Attempt.highlight
            if case .editState = operation { content = content.setting(.accepted) }
            records.append(Record(id: id, content: content, createdBy: subject.createdBy, group: subject.group))
        }
        if case .createComment(_, false, _) = operation {
            records.append(Record(id: "zoe\(number)", content: Attempt.comment(under: id), createdBy: "zoe"))
        }
        return records
    }

    /// The change from a client that ignores its permissions; nil for viewing.
    func change(_ number: Int, n: Int64, over records: [Record.ID: SyncItem]) -> Change? {
        let id = targetID(number)
        guard let subject else {
            guard case .createAnnotation(let group) = operation else { return nil }
            return Change(
                n: n, kind: .create, id: id, baseRevision: 0, group: stated(group), content: Samples.note("new"))
        }
        if case .createComment(_, _, let group) = operation {
            return Change(
                n: n, kind: .create, id: id, baseRevision: 0, group: stated(group),
                content: Attempt.comment(under: subjectID(number)))
        }
        if case .setState(_, let group) = operation {
            return Change(
                n: n, kind: .create, id: id, baseRevision: 0, group: stated(group),
                content: Attempt.comment(under: subjectID(number)).setting(.completed))
        }
        guard case .record(let record, let revision)? = records[id] else { return nil }
        let content = record.content.changing { $0["text"] = "changed" }
        switch operation {
        case .edit, .editState:
            return Change(
                n: n, kind: .update, id: id, baseRevision: revision, group: stated(subject.group), content: content)
        case .move(_, let group):
            return Change(n: n, kind: .update, id: id, baseRevision: revision, group: group, content: content)
        case .delete:
            return Change(n: n, kind: .delete, id: id, baseRevision: revision, group: subject.group)
        default: return nil
        }
    }

    private func stated(_ group: String?) -> String?? { omitsGroup ? nil : .some(group) }
}

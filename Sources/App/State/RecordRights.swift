import Annotations
import Authorization
import InstantCore

extension DocumentState {
    /// What may not be done to a record that others of the layer may be, in few words; nil: nothing is missing, or the
    /// whole layer is read-only, which the status line says.
    func shortRights(over row: ListRow) -> String? {
        guard let grant = status.grant, grant.mayWrite, grant.collaboration != nil else { return nil }
        let mayEdit = grant.decide(.edit(row.subject)).isAllowed
        let mayDelete = grant.decide(.delete(row.subject)).isAllowed
        switch (mayEdit, mayDelete) {
        case (true, true): return nil
        case (true, false): return "not to delete"
        case (false, true): return "delete only"
        case (false, false): return row.createdBy.isExactly(grant.userID) ? "read only" : "read only: not yours"
        }
    }

    /// `you may edit, delete`, or why nothing can be changed.
    func fullRights(over row: ListRow) -> String {
        guard denialOfWriting == nil, status.grant?.collaboration != nil else {
            return denial { _ in .edit(row.subject) }.map(Self.readOnly) ?? ""
        }
        let all: [(String, Operation)] = [
            ("edit", .edit(row.subject)), ("delete", .delete(row.subject)),
            ("move it to another group", .move(row.subject, to: row.group)),
        ]
        let may = all.filter { what in denial { _ in what.1 } == nil }.map(\.0)
        let why = denial { _ in .edit(row.subject) }
        if may.isEmpty { return why.map(Self.readOnly) ?? "read only" }
        return "you may \(may.joined(separator: ", "))" + (why.map { ", not edit: \($0)" } ?? "")
    }

    /// Some reasons say it themselves.
    private static func readOnly(_ why: String) -> String {
        why.hasPrefix("read-only") || why.hasPrefix("LOCAL") ? why : "read only: \(why)"
    }
}

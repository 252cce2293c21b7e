import Annotations
import Authorization
import TestSupport
import Testing

/// Checks that the table is complete, against combinations derived here from the guide.
@Suite("The table of permissions") struct PermissionTableTests {
    /// One combination of the possible values of an entry and of a record.
    private struct Cell: Hashable, CustomStringConvertible {
        var type: ContentType
        var action: Permission.Action
        var scope: String
        /// The record's owner: `own`, `other` or `nobody`.
        var owner: String
        /// The record's group, or the target group: `default`, `other` or `none`.
        var group: String

        var description: String { "\(type):\(action):\(scope), \(owner), \(group)" }
    }

    private static var everything: Set<Cell> {
        var cells: Set<Cell> = []
        let actions: [(ContentType, [Permission.Action])] = [
            (.annotations, [.view, .edit, .delete, .setGroup]),
            (.comments, [.view, .edit, .delete, .setGroup, .reply]),
        ]
        for (type, actions) in actions {
            for action in actions {
                for scope in ["all", "self", "createdBy=", "createdBy=name", "group=", "group=name"] {
                    for owner in ["own", "other", "nobody"] {
                        for group in ["default", "other", "none"] {
                            cells.insert(Cell(type: type, action: action, scope: scope, owner: owner, group: group))
                        }
                    }
                }
            }
        }
        return cells
    }

    @Test func everyActionScopeOwnerAndGroupIsInIt() throws {
        var missing = Self.everything
        for row in try PermissionRow.all() { missing.subtract(Self.cells(of: row)) }
        #expect(missing.isEmpty, "\(missing.map(\.description).sorted().joined(separator: "; "))")
    }

    /// Each verb with each general permission present and absent, with and without entries.
    @Test func everyVerbIsAskedOfEveryGeneralPermission() throws {
        var asked: Set<[String]> = []
        for row in try PermissionRow.all() {
            let grant = row.grant
            let claim = grant.collaboration == nil ? "without" : "with"
            asked.insert([claim, "\(grant.mayRead)", "\(grant.general.contains(.write))", Self.verb(row.operation)])
        }
        for verb in ["view", "edit", "delete", "create", "reply", "move"] {
            for claim in ["with", "without"] {
                for read in ["true", "false"] {
                    for write in ["true", "false"] {
                        #expect(asked.contains([claim, read, write, verb]), "\(verb) \(claim) \(read) \(write)")
                    }
                }
            }
        }
    }

    @Test func itSaysYesAndNoOfEachActionAndWhy() throws {
        let rows = try PermissionRow.all()
        #expect(rows.allSatisfy { !$0.why.isEmpty })
        for verb in ["view", "edit", "delete", "create", "reply", "move"] {
            let answers = Set(rows.filter { Self.verb($0.operation) == verb }.map(\.isAllowed))
            #expect(answers == [true, false], "\(verb)")
        }
    }

    private static func verb(_ operation: Operation) -> String {
        switch operation {
        case .view: "view"
        case .edit: "edit"
        case .delete: "delete"
        case .createAnnotation: "create"
        case .createComment: "reply"
        case .setState: "set-state"
        case .editState: "edit-state"
        case .move: "move"
        }
    }

    /// Returns the cells that a row covers: one per entry of its token about this action.
    private static func cells(of row: PermissionRow) -> [Cell] {
        let user = row.grant.userID
        let asked: (type: ContentType, action: Permission.Action, by: String?, group: String?)
        switch row.operation {
        case .view(let it): asked = (it.contentType, .view, it.createdBy, it.group)
        case .edit(let it), .editState(let it): asked = (it.contentType, .edit, it.createdBy, it.group)
        case .delete(let it): asked = (it.contentType, .delete, it.createdBy, it.group)
        case .createAnnotation(let group): asked = (.annotations, .setGroup, user, group)
        case .createComment(let root, _, _), .setState(let root, _):
            asked = (.comments, .reply, root.createdBy, root.group)
        case .move(let it, let group): asked = (it.contentType, .setGroup, it.createdBy, group)
        }
        let owner = asked.by == nil ? "nobody" : asked.by == user ? "own" : "other"
        let group = asked.group == nil ? "none" : asked.group == row.grant.defaultGroup ? "default" : "other"
        return (row.grant.collaboration ?? []).compactMap { entry in
            guard entry.contentType == asked.type, entry.action == asked.action else { return nil }
            return Cell(
                type: asked.type, action: asked.action, scope: word(entry.scope), owner: owner, group: group)
        }
    }

    private static func word(_ scope: Permission.Scope) -> String {
        switch scope {
        case .all: "all"
        case .own: "self"
        case .createdBy(let name): name == nil ? "createdBy=" : "createdBy=name"
        case .group(let name): name == nil ? "group=" : "group=name"
        }
    }
}

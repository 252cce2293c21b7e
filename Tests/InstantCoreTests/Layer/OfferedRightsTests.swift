import Annotations
import Authorization
import InstantCore
import SyncProtocol
import TestSupport
import Testing

/// `Resources/vectors/permissions.json` in the client: what it shows and offers, and what it refuses before sending.
@Suite("Permissions in the client") struct OfferedRightsTests {
    @Test("Resources/vectors/permissions.json", arguments: try PermissionCase.all())
    func token(_ token: PermissionCase) throws {
        let it = try LayerFixture(
            user: token.grant.userID, records: [stored("root", "the root", 0)] + Self.records(of: token))
        var grant = token.grant
        grant.documentID = "doc"
        try it.accept(grant)
        var allowed: Set<Record.ID> = []
        for (number, row) in token.rows.enumerated() {
            let attempt = Attempt(it: it, row: row, id: "r\(number)")
            if try attempt.isRight() { allowed.insert(attempt.target) }
        }
        let sent = try it.layer.seal()?.changes.map(\.id) ?? []
        #expect(Set(sent) == allowed, "what is denied is not sent")
        #expect(sent.count == allowed.count)
    }

    private static func records(of token: PermissionCase) -> [StoredRecord] {
        token.rows.enumerated().flatMap { number, row in
            let id = "r\(number)"
            switch row.operation {
            case .createAnnotation: return [StoredRecord]()
            case .view(let it), .edit(let it), .delete(let it), .move(let it, _):
                return [record(id, content(of: it.contentType), it)]
            case .editState(let it): return [record(id, comment("said", under: "root").setting(.accepted), it)]
            case .setState(let root, _): return [record(id, CommentingTests.highlight, root)]
            case .createComment(let root, let first, _):
                let zoe = Subject(.comments, createdBy: "zoe", group: nil)
                let thread = first ? [] : [record("zoe\(number)", comment("said", under: id), zoe)]
                return [record(id, CommentingTests.highlight, root)] + thread
            }
        }
    }

    private static func content(of type: ContentType) -> Content {
        switch type {
        case .annotations: note("written")
        case .comments: comment("said", under: "root")
        case .formFields:
            note("").changing {
                for member in $0.members { $0[member.key] = nil }
                $0["type"] = .string(Content.formFieldValueType)
                $0["name"] = "tax"
                $0["value"] = "2025"
            }
        }
    }

    private static func record(_ id: Record.ID, _ content: Content, _ subject: Subject) -> StoredRecord {
        StoredRecord(
            Record(id: id, content: content, createdBy: subject.createdBy, group: subject.group), 1)
    }
}

/// One row tested on a layer.
private struct Attempt {
    let it: LayerFixture
    let row: PermissionRow
    let id: Record.ID

    var target: Record.ID {
        switch row.operation {
        case .createAnnotation, .createComment, .setState: "new-" + id
        default: id
        }
    }

    /// Whether the result matches the row and the record's visibility.
    func isRight() throws -> Bool {
        let isSeen = try it.layer.record(id) != nil
        switch row.operation {
        case .view:
            #expect(isSeen == row.isAllowed, "\(row): \(row.why)")
            return false
        // The library cannot move existing records, so only the offered operation is checked.
        case .move(let subject, let group):
            guard isSeen, subject.group == group else { return false }
            #expect(try it.layer.operations(on: id).contains(.setGroup) == row.isAllowed, "\(row)")
            return false
        case .edit, .editState:
            try offers(.edit, isSeen)
            return try does { _ = try it.layer.update(id, content: changed(), at: it.now) }
        case .delete:
            try offers(.delete, isSeen)
            return try does { _ = try it.layer.delete(id, at: it.now) }
        case .createAnnotation(let group):
            return try does {
                _ = try it.layer.create(
                    note("new"), id: target, group: choice(group), author: nil, at: it.now)
            }
        case .setState(_, let group):
            return try does {
                let state = comment("Accepted", under: id).setting(.accepted)
                _ = try it.layer.create(state, id: target, group: choice(group), author: nil, at: it.now)
            }
        case .createComment(_, _, let group):
            return try does {
                _ = try it.layer.create(
                    comment("new", under: id), id: target, group: choice(group), author: nil, at: it.now)
            }
        }
    }

    /// The library always sends a group: if none is chosen, that of the token.
    private func choice(_ group: String?) -> LayerMetadata.GroupChoice? {
        row.omitsGroup ? nil : LayerMetadata.GroupChoice(group: group)
    }

    private func changed() throws -> Content {
        (try it.layer.record(id)?.content ?? note("guessed")).changing { $0["text"] = "changed" }
    }

    private func offers(_ operation: RecordOperations, _ isSeen: Bool) throws {
        #expect(try it.layer.operations(on: id).contains(operation) == (row.isAllowed && isSeen), "\(row)")
        #expect((try it.layer.problem(with: operation, on: id) == nil) == (row.isAllowed && isSeen), "\(row)")
    }

    private func does(_ edit: () throws -> Void) throws -> Bool {
        do {
            try edit()
            #expect(row.isAllowed, "\(row): \(row.why)")
            return true
        } catch EditError.denied(let denial) {
            #expect(!row.isAllowed, "\(row): \(row.why)")
            if let reason = row.reason { #expect(denial.description == reason, "\(row)") }
        } catch EditError.noSuchRecord, EditError.rootGone {
            #expect(try it.layer.record(id) == nil, "\(row)")
        }
        return false
    }
}

import Annotations
import Authorization
import SyncProtocol
import TestSupport
import Testing

/// One token of the permission table on its own layer. The backend creates the records of its rows. Then the client
/// reads the layer and pushes all operations of the rows at once, allowed or not.
struct Attempt {
    let server: RunningServer
    let token: PermissionCase
    let layer: String
    let jwt: String
    private let overseer: String

    init(_ token: PermissionCase, on layer: String, of server: RunningServer) throws {
        self.server = server
        // The values of form fields come with a PDF only, not from a backend.
        var token = token
        token.rows.removeAll { $0.subject?.contentType == .formFields }
        self.token = token
        self.layer = layer
        var claims = token.claims
        claims["document_id"] = "doc"
        claims["layer"] = .string(layer)
        claims["exp"] = 4_000_000_000
        jwt = try server.mint.token(JSON.object(claims).text)
        overseer = try server.mint.token(TokenClaims(layer: layer, user: "overseer"))
    }

    func run() async throws {
        try await furnish()
        let before = try await everything()
        let seen = try await look()
        try check(sight: seen)
        let answers = try await push(over: before)
        let after = try await everything()
        for (number, row) in token.rows.enumerated() {
            if case .view = row.operation { continue }
            try check(row, Verdict(answers, number), isSeen: row.isSeen(number, seen))
            try check(row, number, answers?[number]?.status == .applied, before, after)
        }
    }

    // MARK: Setup

    private func furnish() async throws {
        var records = [JSON.record(Record(id: "root", content: Self.highlight))]
        records.append(.record(Record(id: "anchor", content: Self.comment(under: "root"))))
        for (number, row) in token.rows.enumerated() {
            records += row.furniture(number).map(JSON.record)
        }
        let body: JSON = ["annotations": .array(records)]
        let answer = try await server.backend(
            "POST", "/api/documents/doc/layers/\(layer)/annotations", json: body.text)
        #expect(answer.json["result"] == "success", "\(token): \(answer.text)")
    }

    /// Every live record, with its revision.
    private func everything() async throws -> [Record.ID: SyncItem] {
        let page: SnapshotPage = try await server.client(overseer, "GET", "records").message()
        return Dictionary(uniqueKeysWithValues: page.records.map { ($0.id, $0) })
    }

    // MARK: Viewing

    /// The ids that the token can see, through every route; nil if it may not read at all.
    private func look() async throws -> Set<Record.ID>? {
        let answer = try await server.client(jwt, "GET", "records")
        guard answer.status == 200 else {
            #expect((answer.status, answer.reason) == (403, "insufficient_scope"), "\(token)")
            #expect(try await server.client(jwt, "GET", "session").status == 403, "\(token)")
            return nil
        }
        let page: SnapshotPage = try answer.message()
        let seen = Set(page.records.map(\.id))
        let delta: Delta = try await server.client(jwt, "GET", "records?since=0&epoch=\(page.epoch)").message()
        #expect(Set(delta.changes.map(\.id)).union(Self.base).intersection(seen) == seen, "\(token)")
        #expect(seen.isSuperset(of: delta.changes.map(\.id)), "\(token): more by delta than by snapshot")
        let digest: DigestAnswer = try await server.client(jwt, "GET", "digest?epoch=\(page.epoch)").message()
        #expect(digest.count == Int64(seen.count), "\(token)")
        return seen
    }

    private func check(sight seen: Set<Record.ID>?) throws {
        for (number, row) in token.rows.enumerated() {
            guard case .view = row.operation else { continue }
            #expect((seen?.contains(row.subjectID(number)) ?? false) == row.isAllowed, "\(row): \(row.why)")
        }
    }

    // MARK: Pushing

    /// The results by row number; nil if the whole request was refused.
    private func push(over before: [Record.ID: SyncItem]) async throws -> [Int: ChangeResult]? {
        var (changes, rows): ([Change], [Int]) = ([], [])
        for (number, row) in token.rows.enumerated() {
            guard let change = row.change(number, n: Int64(changes.count + 1), over: before) else { continue }
            changes.append(change)
            rows.append(number)
        }
        guard !changes.isEmpty else { return [:] }
        let answer = try await server.push(jwt, changes)
        if answer.status == 403 {
            #expect(answer.reason == "insufficient_scope", "\(token)")
            return nil
        }
        let results = try answer.message(PushAnswer.self).results
        #expect(results.count == changes.count, "\(token): \(answer.text)")
        return Dictionary(uniqueKeysWithValues: zip(rows, results))
    }

    /// The result for one row.
    private enum Verdict {
        case refusedWhole
        case answered(ChangeResult?)

        init(_ answers: [Int: ChangeResult]?, _ number: Int) {
            self = answers.map { .answered($0[number]) } ?? .refusedWhole
        }
    }

    private func check(_ row: PermissionRow, _ verdict: Verdict, isSeen: Bool) throws {
        switch verdict {
        case .refusedWhole: #expect(!row.isAllowed, "\(row): \(row.why)")
        case .answered(let answer):
            let answer = try #require(answer, "\(row)")
            // An invisible record does not exist for the token, whatever else it grants.
            let expected: ChangeResult.Status = !isSeen ? .gone : row.isAllowed ? .applied : .denied
            #expect(answer.status == expected, "\(row): \(row.why); \(answer.reason ?? "")")
            #expect(answer.item == nil, "\(row): a refusal shows nothing")
            if let reason = row.reason, isSeen { #expect(answer.reason == reason, "\(row)") }
            if answer.status == .denied, answer.reason != Denial.stateOfAnother.description {
                #expect(answer.reason?.hasPrefix("needs ") == true, "\(row)")
            }
        }
    }

    /// The stored state changed exactly as requested, or not at all.
    private func check(
        _ row: PermissionRow, _ number: Int, _ applied: Bool, _ before: [Record.ID: SyncItem],
        _ after: [Record.ID: SyncItem]
    ) throws {
        let id = row.targetID(number)
        guard applied else {
            #expect(after[id] == before[id], "\(row)")
            return
        }
        if case .delete = row.operation {
            #expect(after[id] == nil, "\(row)")
            return
        }
        guard case .record(let record, _)? = after[id] else { Issue.record("\(row): not there"); return }
        #expect(record.updatedBy == token.grant.userID, "\(row)")
        switch row.operation {
        case .createAnnotation(let group), .createComment(_, _, let group), .setState(_, let group):
            #expect(record.createdBy == token.grant.userID, "\(row)")
            #expect(record.group == group.orNull, "\(row)")
        case .move(let subject, let group):
            #expect((record.createdBy, record.group) == (subject.createdBy, group), "\(row)")
        case .edit(let subject):
            #expect((record.createdBy, record.group) == (subject.createdBy, subject.group), "\(row)")
            #expect(record.content["text"] == "changed", "\(row)")
        default: #expect(record.content["text"] == "changed", "\(row)")
        }
    }
}

extension JSON {
    /// In the backend's format.
    fileprivate static func record(_ record: Record) -> JSON {
        [
            "id": .string(record.id), "user_id": record.createdBy.map(JSON.string) ?? .null,
            "group": record.group.map(JSON.string) ?? .null, "content": .object(record.content.object),
        ]
    }
}

import Annotations
import Authorization
import TestSupport
import Testing

@Suite("The one decision")
struct DecisionTests {
    @Test("Resources/vectors/permissions.json", arguments: try PermissionCase.all())
    func row(token: PermissionCase) {
        for row in token.rows {
            let decision = token.grant.decide(row.operation)
            #expect(decision.isAllowed == row.isAllowed, "\(row): \(row.why)")
            if case .denied(let denial) = decision, let reason = row.reason {
                #expect(denial.description == reason, "\(row)")
            }
        }
    }

    @Test("The permissions that a denial names would have been enough")
    func denialsAreTrue() throws {
        for row in try PermissionRow.all() {
            guard case .denied(.needs(let permissions)) = row.grant.decide(row.operation) else { continue }
            for permission in permissions {
                var grant = row.grant
                var granted = [permission]
                // A denial names one permission; a comment or a move may need two, one after the other.
                for _ in 0..<3 {
                    grant.collaboration = (row.grant.collaboration ?? []) + granted
                    guard case .denied(.needs(let next)) = grant.decide(row.operation) else { break }
                    #expect(!granted.contains(next[0]), "\(row): \(next[0]) was given and did not help")
                    granted.append(next[0])
                }
                // No permission makes another person's state one's own.
                if grant.decide(row.operation) == .denied(.stateOfAnother) { continue }
                #expect(grant.decide(row.operation).isAllowed, "\(row)")
            }
        }
    }

    @Test func everyRowAgreesWithTheKeysOfTheClient() throws {
        for row in try PermissionRow.all() {
            let (subject, operation): (Subject, RecordOperations)
            switch row.operation {
            case .edit(let edited): (subject, operation) = (edited, .edit)
            case .delete(let deleted): (subject, operation) = (deleted, .delete)
            default: continue
            }
            let types: [ContentType: String] = [
                .comments: "pspdfkit/comment", .formFields: Content.formFieldValueType,
            ]
            let type = types[subject.contentType] ?? "pspdfkit/note"
            let record = Record(
                id: "1", content: try Content(#"{"type":"\#(type)"}"#), createdBy: subject.createdBy,
                group: subject.group)
            #expect(row.grant.operations(on: record).contains(operation) == row.isAllowed, "\(row)")
            #expect((row.grant.denial(of: operation, on: record) == nil) == row.isAllowed, "\(row)")
        }
    }

    @Test("Entries never take rights away: with more of them, everything allowed remains allowed")
    func grantsAddUp() {
        var random = SeededRandom(seed: 5)
        for _ in 0..<400 {
            let few = RandomRights.grant(&random)
            var more = few
            more.collaboration?.append(RandomRights.permission(&random))
            for _ in 0..<20 {
                let operation = RandomRights.operation(&random)
                if few.decide(operation).isAllowed { #expect(more.decide(operation).isAllowed) }
            }
        }
    }
}

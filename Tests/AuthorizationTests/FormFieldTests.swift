import Annotations
import Authorization
import TestSupport
import Testing

/// The values of form fields are seen with `form-fields:view:all` or without the claim, and changed by no one.
@Suite("Permissions on the values of form fields") struct FormFieldTests {
    private static let value = Subject(.formFields, createdBy: nil, group: nil)

    private static func grant(_ entries: [String]?, _ general: Set<GeneralPermission>) -> Grant {
        let permissions = entries?.compactMap { entry -> Permission? in
            if case .granted(let permission) = Permission.read(entry) { permission } else { nil }
        }
        return Grant(
            documentID: "contract", userID: "ana", general: general, collaboration: permissions,
            expiresAt: Timestamp(seconds: 0))
    }

    static let views: [([String]?, Bool)] = [
        (nil, true), ([], false), (["form-fields:view:all"], true), (["form-fields:view:self"], false),
        (["form-fields:view:group="], false), (["form-fields:view:createdBy="], false),
        (["form-fields:edit:all", "form-fields:fill:all", "form-fields:delete:all"], false),
        (["annotations:view:all", "comments:view:all"], false),
        (["annotations:view:all", "form-fields:view:all"], true),
    ]

    @Test(arguments: views) func seeing(entries: [String]?, isSeen: Bool) {
        let grant = Self.grant(entries, Set(GeneralPermission.allCases))
        #expect(grant.canView(Self.value) == isSeen)
        #expect(grant.viewScope.contains(Self.value) == isSeen)
        #expect(!Self.grant(entries, [.write, .download]).canView(Self.value))
        guard !isSeen else { return }
        #expect(grant.decide(.view(Self.value)) == .denied(.needs([Permission(.formFields, .view, .all)])))
    }

    @Test(arguments: views) func nothingChangesThem(entries: [String]?, isSeen: Bool) {
        let grant = Self.grant(entries, Set(GeneralPermission.allCases))
        for operation in [Operation.edit(Self.value), .delete(Self.value), .move(Self.value, to: "x")] {
            #expect(grant.decide(operation) == .denied(.formField))
        }
        #expect(Denial.formField.description == "form fields cannot be changed here")
    }

    /// Any grant, against the rule itself.
    @Test func anyGrant() {
        var random = SeededRandom(seed: 11)
        var seen: Set<Bool> = []
        for _ in 0..<3000 {
            let grant = RandomRights.grant(&random)
            let entries = grant.collaboration?.map(\.description)
            // Entries of a token without a user grant nothing.
            let isSeen =
                grant.mayRead && (entries.map { $0.contains("form-fields:view:all") && grant.userID != nil } ?? true)
            #expect(grant.canView(Self.value) == isSeen && grant.viewScope.contains(Self.value) == isSeen, "\(grant)")
            seen.insert(isSeen)
        }
        #expect(seen == [true, false])
    }
}

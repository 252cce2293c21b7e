import Annotations
import Authorization
import TestSupport
import Testing

/// The server sends by scopes and decides by grants, so both must agree.
@Suite("View scopes")
struct ViewScopeTests {
    @Test(arguments: 0..<10 as Range<UInt64>)
    func aScopeHoldsExactlyWhatMayBeViewed(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<150 {
            let grant = RandomRights.grant(&random)
            let scope = grant.viewScope
            for _ in 0..<12 {
                let subject = RandomRights.subject(&random)
                #expect(scope.contains(subject) == grant.canView(subject), "\(grant.json) \(subject)")
            }
        }
    }

    /// A scope with many entries looks names up instead of comparing all.
    @Test(arguments: 0..<10 as Range<UInt64>)
    func soDoesAScopeOfManyEntries(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<150 {
            var grant = RandomRights.grant(&random)
            let strangers = (0..<40).map { Permission(.annotations, .view, .group("stranger \($0)")) }
            grant.collaboration = grant.collaboration.map { $0 + strangers }
            grant.collaboration?.shuffle(using: &random)
            let scope = grant.viewScope
            for _ in 0..<12 {
                let subject = RandomRights.subject(&random)
                #expect(scope.contains(subject) == grant.canView(subject), "\(grant.json) \(subject)")
            }
        }
    }

    @Test("Equal scopes have equal texts, and different scopes never share one")
    func canonicalText() {
        var random = SeededRandom(seed: 77)
        var seen: [[UInt8]: ViewScope] = [:]
        for _ in 0..<6000 {
            var grant = RandomRights.grant(&random)
            let scope = grant.viewScope
            let text = Array(scope.canonicalText.utf8)
            #expect(seen.updateValue(scope, forKey: text) ?? scope == scope)
            grant.collaboration?.shuffle(using: &random)
            if let first = grant.collaboration?.first { grant.collaboration?.append(first) }
            #expect(grant.viewScope == scope)
            #expect(Array(grant.viewScope.canonicalText.utf8) == text)
        }
        #expect(seen.count > 100)
    }

    @Test(
        arguments: [
            (["annotations:view:all", "comments:view:all", "form-fields:view:all"], "*"), ([], ""),
            (["annotations:view:all", "comments:view:all"], "20:annotations:view:all17:comments:view:all"),
            (["form-fields:view:all"], "20:form-fields:view:all"), (["form-fields:view:group="], ""),
            (["form-fields:view:self", "form-fields:fill:all"], ""), (["annotations:edit:all"], ""),
            (["annotations:view:self"], "30:annotations:view:createdBy=ana"),
            (["annotations:view:all", "annotations:view:group=x"], "20:annotations:view:all"),
            (
                ["comments:view:group=", "annotations:view:group=x"],
                "24:annotations:view:group=x20:comments:view:group="
            ),
        ] as [([String], String)])
    func texts(entries: [String], text: String) {
        let permissions = entries.compactMap { entry -> Permission? in
            if case .granted(let permission) = Permission.read(entry) { permission } else { nil }
        }
        let grant = Grant(
            documentID: "contract", userID: "ana", collaboration: permissions, expiresAt: Timestamp(seconds: 0))
        #expect(grant.viewScope.canonicalText == text)
    }

    @Test func withoutReadingThereIsNothing() {
        let grant = Grant(documentID: "contract", general: [.download, .write], expiresAt: Timestamp(seconds: 0))
        #expect(grant.viewScope == .nothing)
        #expect(!grant.viewScope.contains(Subject(.annotations, createdBy: nil, group: nil)))
    }
}

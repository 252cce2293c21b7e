import Authorization
import TestSupport
import Testing

/// Names that begin with what joins the character before it.
@Suite("Scopes with awkward names")
struct AwkwardScopeTests {
    @Test(arguments: AwkwardText.all)
    func aScopeNamesThem(_ name: String) throws {
        for (text, scope) in [
            ("group=\(name)", Permission.Scope.group(name)), ("createdBy=\(name)", Permission.Scope.createdBy(name)),
        ] {
            guard case .granted(let permission) = Permission.read("annotations:view:\(text)") else {
                Issue.record("\(text) is not granted")
                continue
            }
            #expect(
                permission.scope == scope && permission.description.utf8.elementsEqual("annotations:view:\(text)".utf8))
        }
    }
}

import Annotations
import Authorization
import Testing

@Suite("Grammar of permissions")
struct PermissionGrammarTests {
    @Test(arguments: [
        ("annotations:view:all", Permission(.annotations, .view, .all)),
        ("comments:reply:self", Permission(.comments, .reply, .own)),
        ("annotations:set-group:group=law", Permission(.annotations, .setGroup, .group("law"))),
        ("comments:delete:group=", Permission(.comments, .delete, .group(nil))),
        ("annotations:edit:createdBy=ana", Permission(.annotations, .edit, .createdBy("ana"))),
        ("annotations:edit:createdBy=", Permission(.annotations, .edit, .createdBy(nil))),
        ("annotations:edit:createdBy=null", Permission(.annotations, .edit, .createdBy("null"))),
        ("annotations:edit:group=a:b=c,d e\n", Permission(.annotations, .edit, .group("a:b=c,d e\n"))),
        ("form-fields:fill:all", Permission(.formFields, .fill, .all)),
    ])
    func granted(text: String, permission: Permission) {
        #expect(Permission.read(text) == .granted(permission))
        #expect(permission.description == text)
    }

    @Test(
        "Three parts, with unknown words",
        arguments: [
            "annotations:VIEW:all", "Annotations:view:all", "annotations:view:everyone", "annotations:view:team=law",
            "annotations:reply:all", "bookmarks:view:all", "annotations:view:all=", "annotations:view: all", "*:*:*",
            "annotations:view:CreatedBy=ana",
        ])
    func unknown(text: String) {
        #expect(Permission.read(text) == .unknown(text))
    }

    @Test(
        "Not three parts, or a scope without its value",
        arguments: [
            "", "all", "annotations", "annotations:view", "annotations:view:", ":view:all", "annotations::all", "::",
            "annotations:view:group", "annotations:view:createdBy", "annotations::view:all", ":annotations:view:all",
        ])
    func malformed(text: String) {
        #expect(Permission.read(text) == .malformed(text))
    }

    @Test("Scopes with names that look alike are different scopes")
    func exactNames() {
        #expect(Permission.Scope.group("\u{E9}") != .group("e\u{301}"))
        #expect(Set([Permission.Scope.createdBy("\u{E9}"), .createdBy("e\u{301}")]).count == 2)
        #expect(Permission.Scope.group("a") != .createdBy("a"))
    }
}

import Annotations
import TestSupport
import Testing

/// The tokens in docs/permissions.md are those of the table, so copied examples are tested ones.
@Suite("The page on permissions") struct PermissionPageTests {
    @Test func itsTokensAreThoseOfTheTable() throws {
        let page = try Repository.text("docs/permissions.md")
        let tokens = try PermissionCase.all()
        let blocks = page.split(separator: "```json ", omittingEmptySubsequences: false).dropFirst()
        #expect(blocks.count == 4)
        for block in blocks {
            let lines = block.prefix(while: { $0 != "`" }).split(separator: "\n", maxSplits: 1)
            let name = String(try #require(lines.first))
            let token = try #require(tokens.first { $0.name == name }, "\(name)")
            #expect(try JSON(parsing: String(try #require(lines.last))) == .object(token.claims), "\(name)")
        }
    }
}

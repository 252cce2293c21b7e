import FileCore
import Testing

@Suite("The names of files beside a PDF") struct HiddenFileTests {
    private static let database = "01J5Z3V6S8Q4T2W0X9Y7A1B3C5"

    private func name(_ pdf: String, _ number: Int64 = 7) -> String {
        let path = HiddenFile.path(beside: "/home/ana/" + pdf, database: Self.database, number: number)
        #expect(path.hasPrefix("/home/ana/."))
        return path.split(separator: "/").last.map(String.init) ?? ""
    }

    @Test(arguments: ["paper.pdf", "a.b.pdf", "paper", ".hidden.pdf", String(repeating: "👍", count: 62) + ".pdf"])
    func aNameIsKnownAgain(_ pdf: String) {
        let name = name(pdf, .max)
        #expect(name.utf8.count <= 255)
        #expect(HiddenFile.isName(name, of: pdf, database: Self.database))
        #expect(HiddenFile.isName(name, database: Self.database))
        #expect(!HiddenFile.isName(name, of: "other.pdf", database: Self.database))
        #expect(!HiddenFile.isName(name, of: pdf, database: "other") && !HiddenFile.isName(name, database: "other"))
    }

    @Test(arguments: [
        "paper.pdf", ".paper.pdf", ".postilla", ".7.postilla", ".paper.pdf.\(database).postilla",
        ".paper.pdf.\(database).x.postilla", ".paper.pdf.\(database).7.postilla~", "paper.pdf.\(database).7.postilla",
    ])
    func otherNamesAreNot(_ name: String) {
        #expect(!HiddenFile.isName(name, of: "paper.pdf", database: Self.database))
        #expect(!HiddenFile.isName(name, database: Self.database))
    }
}

import Testing

/// docs/testing.md names the test for each thing that may happen. A name that is none would be a promise without one.
@Suite("Tests that are named on paper")
struct DocumentedTests {
    private nonisolated(unsafe) static let name = /`(\w+(?:Tests|Stories))\.(\w+)`/

    @Test func areThere() throws {
        let files = try SourceFile.all(below: "Tests", suffix: ".swift").map {
            $0.lines.joined(separator: "\n")
        }
        let page = try SourceFile.read("docs/testing.md").lines.joined(separator: "\n")
        let named = page.matches(of: Self.name).map { (suite: String($0.1), test: String($0.2)) }
        #expect(named.count > 80)
        for (suite, test) in named {
            let isThere = files.contains {
                ($0.contains("struct \(suite) ") || $0.contains("struct \(suite):")) && $0.contains("func \(test)(")
            }
            #expect(isThere, "\(suite).\(test)")
        }
    }
}

import Foundation
import Testing

/// The page of threats names the tests that hold each promise.
@Suite("Threat model")
struct ThreatModelTests {
    /// Sections that promise nothing.
    private static let withoutPromises: Set<String> = ["Trusted", "Not covered"]

    /// The rows of a table of promises, by section.
    private static func promises() throws -> [(section: String, promise: String, tests: [String])] {
        var section = ""
        var isTable = false
        var rows: [(section: String, promise: String, tests: [String])] = []
        for line in try SourceFile.read("docs/threat-model.md").lines {
            if line.starts(with: "## ") { section = String(line.dropFirst(3)) }
            guard line.starts(with: "|") else {
                isTable = false
                continue
            }
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            if cells == ["promise", "held by"] {
                isTable = true
            } else if isTable, cells.count == 2, !cells[0].allSatisfy({ $0 == "-" }) {
                rows.append((section, cells[0], cells[1].matches(of: /`(\w+\.\w+)`/).map { String($0.1) }))
            }
        }
        return rows
    }

    /// The tests of the package, as `Suite.test`.
    private static func tests() throws -> Set<String> {
        var tests: Set<String> = []
        for file in try SourceFile.all(below: "Tests", suffix: ".swift") {
            var suite = ""
            var isTest = false
            for line in file.lines {
                if let match = line.firstMatch(of: /\b(?:struct|class|enum|extension)\s+(\w+(?:Tests|Stories))\b/) {
                    suite = String(match.1)
                }
                if line.contains("@Test") { isTest = true }
                guard isTest, let match = line.firstMatch(of: /\bfunc\s+(\w+)/) else { continue }
                tests.insert("\(suite).\(match.1)")
                isTest = false
            }
        }
        return tests
    }

    @Test func everyPromiseNamesTestsThatExist() throws {
        let known = try Self.tests()
        #expect(known.contains("ThreatModelTests.everyPromiseNamesTestsThatExist"))
        let promises = try Self.promises()
        #expect(promises.count > 30)
        for (section, promise, tests) in promises {
            #expect(!tests.isEmpty, "\(section): no test for “\(promise)”")
            for test in tests { #expect(known.contains(test), "\(section): there is no test \(test)") }
        }
    }

    @Test func everySectionHasPromises() throws {
        let lines = try SourceFile.read("docs/threat-model.md").lines
        let sections = Set(lines.filter { $0.starts(with: "## ") }.map { String($0.dropFirst(3)) })
        let held = Set(try Self.promises().map(\.section))
        #expect(sections.subtracting(Self.withoutPromises).isSubset(of: held))
    }
}

import Testing

@Suite("House rules")
struct HouseTests {
    private static let longest = 500

    @Test func filesHoldOneIdea() throws {
        let files =
            try SourceFile.sources.get() + SourceFile.all(below: "Tests", suffix: ".swift")
        #expect(files.count > 100)
        for file in files where file.lines.count > Self.longest {
            Issue.record("\(file.path): \(file.lines.count) lines; split it by topic (at most \(Self.longest))")
        }
    }

    /// In two parts, so that this file does not contain them.
    private static let unwanted = [("TO", "DO"), ("FIX", "ME"), ("not impl", "emented")].map { $0 + $1 }

    @Test func nothingIsLeftForLater() throws {
        let files = try ["Sources", "Tests"].flatMap { folder in
            try [".swift", ".c", ".h"].flatMap { try SourceFile.all(below: folder, suffix: $0) }
        }
        for file in files {
            for (number, line) in zip(1..., file.lines) {
                for word in Self.unwanted where line.contains(word) { Issue.record("\(file.path):\(number): \(word)") }
            }
        }
    }

    @Test("Tests wait for conditions and never sleep")
    func nothingSleeps() throws {
        let words: Set<Substring> = ["sleep", "usleep", "nanosleep"]
        for file in try SourceFile.all(below: "Tests", suffix: ".swift") where !file.path.contains("/HouseTests") {
            for (number, line) in zip(1..., file.lines) where line.contains("sleep") {
                guard SourceFile.code(of: line).contains(where: words.contains) else { continue }
                Issue.record("\(file.path):\(number): a test that sleeps is slow and fails on a busy machine")
            }
        }
    }

    /// The number of a process that has ended may belong to another one, or to one of its threads.
    @Test("Signals go through the process they are meant for")
    func noNumberIsSignalled() throws {
        for file in try SourceFile.all(below: "Tests", suffix: ".swift") where !file.path.contains("/ChildProcess") {
            for (number, line) in zip(1..., file.lines) where line.contains("processIdentifier") {
                guard SourceFile.code(of: line).contains("kill") else { continue }
                Issue.record("\(file.path):\(number): `ChildProcess.signal` sends nothing to a process that has ended")
            }
        }
    }
}

import Testing

/// The cores never wait, read a clock or draw random numbers, so that a seed reproduces a run.
@Suite("The cores are synchronous")
struct CoreTests {
    private static let modules: Set = [
        "Annotations", "Authorization", "SyncProtocol", "Merging", "InstantCore", "EngineCore", "FileCore",
        "PageLayout",
        "Screen",
    ]

    private static let words: [Substring: String] = [
        "async": "waiting", "await": "waiting", "Task": "waiting", "actor": "waiting", "AsyncStream": "waiting",
        "DispatchQueue": "threads", "Thread": "threads", "ContinuousClock": "clocks", "SuspendingClock": "clocks",
        "Date": "clocks", "clock_gettime": "clocks", "SystemRandomNumberGenerator": "dice",
        "print": "output", "getenv": "the environment",
    ]

    @Test func nothingWaitsThere() throws {
        var lines = 0
        for file in try SourceFile.sources.get() where Self.modules.contains(file.module) {
            for (number, line) in zip(1..., file.lines) {
                lines += 1
                guard Self.words.keys.contains(where: { line.contains($0) }) else { continue }
                for word in SourceFile.code(of: line) {
                    guard let what = Self.words[word] else { continue }
                    Issue.record("\(file.path):\(number): `\(word)`: \(what) have no place in a core")
                }
            }
        }
        #expect(lines > 1000)
    }

    @Test("Random numbers come from a generator that is passed in")
    func dice() throws {
        for file in try SourceFile.sources.get() where Self.modules.contains(file.module) {
            for (number, line) in zip(1..., file.lines) where line.contains("random") || line.contains("shuffle") {
                let draws = line.contains(/\.(random|shuffled?|randomElement)\(/)
                if draws, !line.contains("using:") {
                    Issue.record("\(file.path):\(number): random without a generator")
                }
            }
        }
    }

    @Test func wordsInCommentsAndStringsAreNoCode() {
        #expect(SourceFile.code(of: #"let a = "a Task // b" // await"#) == ["let", "a"])
        #expect(SourceFile.code(of: "await x(Task.self)") == ["await", "x", "Task", "self"])
    }
}

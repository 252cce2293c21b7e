import Foundation

/// The results of the tests and the histories with one active fault.
struct Trial {
    /// Tests that failed, sorted by name.
    let failed: [String]
    /// The first history that failed, with the reason; nil if all held.
    let history: String?

    /// - Parameters:
    ///   - planted: The fault's place in ``Fault/all``, from 1; 0 for none.
    ///   - program: What runs the histories that can show it.
    init(_ planted: Int, in workshop: Workshop, seeds: Int, program: String = "simulate") throws {
        let products = workshop.root.appendingPathComponent(".build/release").path
        let tests = try Run(
            [
                "swift", "test", "--configuration", "release", "--package-path", workshop.root.path, "--skip-build",
                "--skip", "SimulationTests",
            ], planted: planted, limit: 300)
        failed = Self.failures(tests)
        let histories = try Run([products + "/" + program, "\(seeds)", "0"], planted: planted, limit: 300)
        history = histories.isGood ? nil : Self.verdict(histories)
    }

    var isCaught: Bool { !failed.isEmpty || history != nil }

    private static func failures(_ run: Run) -> [String] {
        if run.isEndless { return ["the tests do not end"] }
        // By scalars: arguments of tests are also printed, and their last scalar can combine with the next character.
        let failure = /✘ Test (?!run with)(.+?)(?: with \d+ test cases)? failed after/.matchingSemantics(.unicodeScalar)
        let names = run.output.matches(of: failure).map { String($0.1) }
        let sorted = Set(names).sorted()
        return sorted.isEmpty && !run.isGood ? ["the tests crash"] : sorted
    }

    private static func verdict(_ run: Run) -> String {
        if run.isEndless { return "the histories do not end" }
        guard let match = run.output.firstMatch(of: /seed (\d+): (.+)/) else { return "a history crashes" }
        return "seed \(match.1): \(match.2)"
    }
}

/// Why there is no result.
struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

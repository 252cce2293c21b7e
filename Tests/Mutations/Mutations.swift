import Foundation
import Glibc
import TestSupport

/// `mutations [WORD…]` activates in turn each fault whose name contains all the words, and reports which tests detect
/// it. An undetected fault is a missing test.
@main
struct Mutations {
    /// Histories for each fault. Those of files are short.
    private static let seeds = ["simulate": 1000, "simulate-files": 10_000]

    static func main() {
        do {
            exit(try run(words: Array(CommandLine.arguments.dropFirst())) ? 0 : 1)
        } catch {
            print(error)
            exit(2)
        }
    }

    /// - Returns: Whether every fault was detected.
    private static func run(words: [String]) throws -> Bool {
        let workshop = try Workshop(at: URL(fileURLWithPath: Repository.root + "/.build/mutations"))
        print("building a copy with \(Fault.all.count) faults")
        try workshop.build()
        for (program, seeds) in seeds {
            let sound = try Trial(0, in: workshop, seeds: seeds, program: program)
            guard !sound.isCaught else {
                throw Problem(
                    "the unchanged copy fails: \(sound.failed.joined(separator: ", ")) \(sound.history ?? "")")
            }
        }
        var survivors: [String] = []
        print("| fault | tests that fail | first history that fails |\n|---|---|---|")
        for (index, fault) in Fault.all.enumerated() where words.allSatisfy(fault.name.contains) {
            let trial = try Trial(
                index + 1, in: workshop, seeds: seeds[fault.program] ?? 1000, program: fault.program)
            if !trial.isCaught { survivors.append(fault.name) }
            print("| \(fault.name) | \(told(trial.failed)) | \(trial.history ?? "–") |")
            fflush(nil)
        }
        for name in survivors { print("not detected: \(name)") }
        return survivors.isEmpty
    }

    private static func told(_ failed: [String]) -> String {
        guard let first = failed.first else { return "–" }
        return failed.count == 1 ? first : "\(failed.count), \(first) among them"
    }
}

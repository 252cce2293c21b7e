import Foundation
import TestSupport
import TestThreads
import Testing

/// Past findings of `make fuzz` and several hundred damaged inputs for every reader: none of them causes a trap or
/// breaks an invariant.
@Suite("Every reader under fire") struct FuzzTests {
    private static let targets = FuzzTarget.all.filter { !$0.opensTerminal }

    @Test(arguments: targets.map(\.name)) func whatIsWellFormedIsRead(_ name: String) throws {
        try FuzzTarget.named(name).readSeeds()
    }

    @Test(arguments: targets.map(\.name)) func whatIsDamagedBreaksNothing(_ name: String) throws {
        try FuzzTarget.named(name).readDamaged(times: 300)
    }

    @Test(arguments: try Corpus.files().filter { $0.target != FuzzTarget.terminal.name })
    func whatWasFoundOnceStaysRight(_ file: Corpus.File) throws {
        try FuzzTarget.named(file.target).read(file.bytes)
    }
}

/// The same for terminal output; a process has only one terminal.
@Suite("The terminal under fire", .inTurnAtTheTerminal) struct TerminalFuzzTests {
    private let target = FuzzTarget.terminal

    @Test func nothingOfStrangersActsOnTheTerminal() throws { try target.readSeeds() }

    @Test func whateverTheySayAndWheneverItHappens() throws { try target.readDamaged(times: 25) }

    @Test func whatWasFoundOnceStaysRight() throws {
        for file in try Corpus.files() where file.target == target.name {
            #expect(throws: Never.self, "\(file.name)") { try target.read(file.bytes) }
        }
    }
}

extension FuzzTarget {
    fileprivate static func named(_ name: String) throws -> FuzzTarget {
        try #require(all.first { $0.name == name }, "no reader is called \(name)")
    }

    fileprivate func readSeeds() throws {
        #expect(!seeds.isEmpty)
        for seed in seeds { try read(Array(seed.utf8)) }
        try read([])
    }

    fileprivate func readDamaged(times: UInt64) throws {
        let seeds = seeds.map { Array($0.utf8) }
        for seed in 0..<times {
            var mutator = Mutator(random: SeededRandom(seed: seed))
            let bytes = mutator.damaged(seeds)
            #expect(throws: Never.self, "seed \(seed): \(bytes)") { try read(bytes) }
        }
    }
}

/// Inputs in the repository, with a folder per reader: those with the best coverage, and past failures.
enum Corpus {
    struct File: Sendable, CustomTestStringConvertible {
        var target: String
        var name: String
        var bytes: [UInt8]

        var testDescription: String { "\(target)/\(name)" }
    }

    static func files() throws -> [File] {
        let root = Repository.root + "/Tests/FuzzTests/Corpus"
        return try FileManager.default.subpathsOfDirectory(atPath: root).sorted().compactMap { path in
            let parts = path.split(separator: "/")
            guard parts.count == 2 else { return nil }
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(path)"))
            return File(target: String(parts[0]), name: String(parts[1]), bytes: Array(bytes))
        }
    }
}

import Foundation
import TestSupport
import Testing

/// What `make fuzz` found once, and some hundred damaged texts for every reader: none of them traps or breaks a promise.
@Suite("Every reader under fire") struct FuzzTests {
    @Test(arguments: FuzzTarget.all.map(\.name)) func whatIsWellFormedIsRead(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        #expect(!target.seeds.isEmpty)
        for seed in target.seeds { try target.read(Array(seed.utf8)) }
        try target.read([])
    }

    @Test(arguments: FuzzTarget.all.map(\.name)) func whatIsDamagedBreaksNothing(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let seeds = target.seeds.map { Array($0.utf8) }
        for seed in 0..<300 as Range<UInt64> {
            var mutator = Mutator(random: SeededRandom(seed: seed))
            let bytes = mutator.damaged(seeds)
            #expect(throws: Never.self, "seed \(seed): \(bytes)") { try target.read(bytes) }
        }
    }

    @Test(arguments: try Corpus.files()) func whatWasFoundOnceStaysRight(_ file: Corpus.File) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == file.target }, "no reader is called \(file.target)")
        try target.read(file.bytes)
    }
}

/// Inputs that stand in the repository, a folder for each reader: what the fuzzer got furthest with, and what it broke.
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

import Annotations
import SyncProtocol
import TestSupport
import Testing

/// The wire format is a promise to older and newer programs.
@Suite("Messages")
struct GoldenMessageTests {
    /// Messages that have a version of their own.
    struct Family: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var path: String
        var samples: [Sample]
        var version: Int64
        /// The hash of all sample messages, by version.
        ///
        /// A failure means that the encoding of a message has changed. If peers of the current version are unaffected (an
        /// optional member that they skip when unknown), write the new hash for the version. Otherwise raise the version
        /// and add a line.
        var schema: [Int64: String]

        /// Recorded, one message per line, with `RECORD_SNAPSHOTS=1`.
        func golden() throws -> JSON {
            if Repository.isRecording {
                let lines = samples.map { "  \(JSON.string($0.name).text): \($0.text)" }
                try Repository.write("{\n\(lines.joined(separator: ",\n"))\n}\n", to: path)
            }
            return try JSON(parsing: Repository.text(path))
        }
    }

    static let families = [
        Family(
            testDescription: "sync", path: "Resources/vectors/messages.json", samples: Sample.all,
            version: ProtocolVersion.current, schema: [1: "c4b712207e0904f0"]),
        Family(
            testDescription: "engine", path: "Resources/vectors/engine-messages.json", samples: Sample.engine,
            version: FileProtocol.current, schema: [3: "30ac4213ceb73a2c"]),
    ]
    static let samples = Sample.all + Sample.engine

    @Test(arguments: families)
    func theSchemaIsThatOfTheVersion(_ family: Family) {
        let hash = fnv1a(family.samples.map { "\($0.name)\n\($0.text)\n" }.joined())
        #expect(family.schema[family.version] == hash)
    }

    @Test(arguments: families)
    func everyMessageIsInTheGoldenFileAsItIsEncoded(_ family: Family) throws {
        let golden = try family.golden()
        #expect(golden.object?.members.map(\.key) == family.samples.map(\.name))
        for sample in family.samples {
            #expect(try golden[sample.name]?.text == JSON(parsing: sample.text).text, "\(sample)")
        }
    }

    @Test(arguments: samples)
    func comesBack(sample: Sample) throws {
        #expect(try sample.reencode(Array(sample.text.utf8)) == sample.text)
    }

    @Test("An unknown member is skipped, wherever it is", arguments: samples)
    func unknownMembers(sample: Sample) throws {
        let future = #""futureMember":{"deep":["é",1e5,null]},"#
        let opened = "{" + future + sample.text.dropFirst()
        #expect(try sample.reencode(Array(opened.utf8)) == sample.text)
        let spaced = "\n{ " + future + " " + sample.text.dropFirst() + "\r\n"
        #expect(try sample.reencode(Array(spaced.utf8)) == sample.text)
    }

    @Test("A message cut anywhere is an error", arguments: samples)
    func cut(sample: Sample) {
        let bytes = Array(sample.text.utf8)
        for end in 0..<bytes.count {
            #expect(throws: JSONError.self) { try sample.reencode(Array(bytes[..<end])) }
        }
        #expect(throws: JSONError.self) { try sample.reencode(bytes + [0x7D]) }
    }

    @Test("A message damaged anywhere never crashes its decoder", arguments: samples)
    func damaged(sample: Sample) {
        var random = SeededRandom(seed: 12)
        let bytes = Array(sample.text.utf8)
        for _ in 0..<150 {
            var damaged = bytes
            for _ in 0..<random.pick(1...3) {
                damaged[random.pick(damaged.indices)] = random.pick([
                    UInt8.random(in: 0...255, using: &random), 0x30, 0x22, 0x2D,
                ])
            }
            // The result is a valid message or a typed error.
            do {
                let text = try sample.reencode(damaged)
                #expect(try sample.reencode(Array(text.utf8)) == text)
            } catch {
                #expect(error is JSONError)
            }
        }
    }
}

/// FNV-1a, 64 bits: short, and sufficient to detect a change.
private func fnv1a(_ text: String) -> String {
    let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return String(hash, radix: 16)
}

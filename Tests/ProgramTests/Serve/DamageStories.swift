import Annotations
import EngineSupport
import Foundation
import TestSupport
import TestThreads
import Testing

/// A server on a damaged database: it says what is damaged and serves the rest.
@Suite(.onOwnThreads, .timeLimit(.minutes(60)))
struct DamageStories {
    /// `FLIPS=2000` flips 200 bytes here, and 2,000 in DamagedStoreTests.
    private static let flips = (ProcessInfo.processInfo.environment["FLIPS"].flatMap(Int.init) ?? 60) / 10
    private static let first = ProcessInfo.processInfo.environment["FLIPS_FROM"].flatMap(UInt64.init) ?? 0

    private static func records(_ text: String) throws -> [String: String] {
        let list = try JSON(parsing: text)["data"]?["annotations"]?.array ?? []
        return Dictionary(list.map { ($0["id"]?.string ?? "", $0.text) }, uniquingKeysWith: { first, _ in first })
    }

    @Test func whatItServesIsRightOrItSaysWhatIsWrong() throws {
        let engine = try EngineProcess()
        let note = "<</Subtype/Text/Rect[10 700 30 720]/Contents(of the PDF)>>"
        try engine.upload(SmallPDF(annotations: [note, note]))
        for n in 0..<25 {
            try engine.create(
                [
                    "v": 2, "type": "pspdfkit/note", "pageIndex": 0, "bbox": [1, 2, 3, 4],
                    "text": "note \(n) " + String(repeating: "x", count: n * n * 10),
                ], id: "note-\(n)")
        }
        let truth = try Self.records(engine.records())
        #expect(truth.count == 27)
        engine.stop()
        #expect(try engine.check().status == 0)
        let whole = try Data(contentsOf: URL(fileURLWithPath: engine.database))
        let stamp = try Data(contentsOf: URL(fileURLWithPath: engine.restoreStamp))
        var (refused, wrong) = (0, 0)
        for seed in Self.first..<Self.first + UInt64(Self.flips) {
            var random = SeededRandom(seed: seed)
            var bytes = whole
            let place = Int.random(in: 0..<bytes.count, using: &random)
            bytes[place] ^= UInt8.random(in: 1...255, using: &random)
            for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: engine.database + end) }
            try stamp.write(to: URL(fileURLWithPath: engine.restoreStamp))
            try bytes.write(to: URL(fileURLWithPath: engine.database))
            let check = try engine.check()
            var (said, isRefused) = (String?.none, false)
            do {
                try engine.start()
                let found = try Self.records(engine.records())
                for (id, record) in found { #expect(truth[id] == record, "seed \(seed), byte \(place): \(id)") }
                if found.count != truth.count { said = "\(truth.count - found.count) records are missing" }
            } catch let trouble as ServerTrouble {
                let text = "\(trouble)"
                #expect(!text.contains("Fatal error"), "seed \(seed), byte \(place): \(text)")
                said = text
                (refused, isRefused) = (refused + 1, true)
            } catch { said = "\(error)" }
            engine.stop()
            guard let said else { continue }
            wrong += 1
            #expect(
                check.status == (isRefused ? 1 : 65) && check.messages.hasPrefix("postilla: "),
                "seed \(seed), byte \(place): \(said), but the check says \(check.messages)")
        }
        print("\(Self.flips) flipped bytes: \(wrong) changed an answer, \(refused) kept the server from starting")
    }
}

import Annotations
import App
import Dispatch
import Foundation
import InstantCore
import Testing

@testable import postilla

/// Steps kept for the next run.
@Suite struct UndoStoreTests {
    private let folder: Folder
    private let queue = DispatchQueue(label: "undo")

    init() throws { folder = try Folder() }

    private var path: String { folder.path + "/undo.json" }

    private func store() -> UndoStore { UndoStore(path: path, queue: queue) }

    private func entry(_ id: Int, _ text: String = "text") throws -> UndoStore.Entry {
        let content = Content.note(onPage: 0, at: Point(x: 1, y: 1), text: text)
        let json: JSON = [
            "id": .string("n\(id)"), "kind": "create", "seq": .number(JSONNumber(Int64(id))),
            "after": ["id": .string("n\(id)"), "content": .string(content.text)],
        ]
        return UndoStore.Entry(
            step: EditStep(id: id, edits: [.create(content)], newIDs: ["n\(id)"], summary: "note"),
            receipts: [try #require(EditReceipt(json: json))])
    }

    private var stored: [String] {
        queue.sync {}
        return store().earlier.map { $0.step.newIDs.first ?? "" }
    }

    @Test func stepsAreReadBackAndNumberedAnew() throws {
        let one = store()
        let added = try entry(7)
        one.add(added)
        one.add(try entry(8))
        queue.sync {}
        let earlier = store().earlier
        #expect(earlier.map(\.step.id) == [1, 2])
        #expect(earlier.first?.receipts == added.receipts)
        #expect(earlier.first?.step.edits == added.step.edits && earlier.first?.step.summary == "note")
    }

    @Test func allKindsOfEditsAreReadBack() throws {
        let content = Content.note(onPage: 2, at: Point(x: 1, y: 1), text: "x")
        let edits: [Edit] = [
            .create(content), .update("a", content), .delete("b", with: ["c", "d"]),
            .beginThread(content, .plain("said")),
        ]
        var entry = try entry(1)
        entry.step.edits = edits
        store().add(entry)
        queue.sync {}
        #expect(store().earlier.first?.step.edits == edits)
    }

    @Test func onlyThisUserCanReadThem() throws {
        store().add(try entry(1))
        queue.sync {}
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func undoneStepsAreForgotten() throws {
        let one = store()
        for id in 1...3 { one.add(try entry(id)) }
        one.remove(3)
        #expect(stored == ["n1", "n2"])
        let next = store()
        next.remove(2)
        #expect(stored == ["n1"])
    }

    /// Each of two programs with the same layer keeps and forgets its own steps.
    @Test func twoProgramsShareTheFile() throws {
        let (one, other) = (store(), store())
        one.add(try entry(1))
        other.add(try entry(2))
        one.add(try entry(3))
        one.remove(1)
        #expect(stored == ["n2", "n3"])
    }

    @Test func theFileIsBounded() throws {
        let one = store()
        for id in 1...UndoStore.maxSteps + 5 { one.add(try entry(id)) }
        #expect(stored.first == "n6" && stored.count == UndoStore.maxSteps)
        let text = String(repeating: "long ", count: UndoStore.maxStep / 16)
        for id in 101...140 { one.add(try entry(id, text)) }
        queue.sync {}
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? .max
        #expect(size <= UndoStore.maxBytes + 4096 && stored.last == "n140")
    }

    /// Undo goes back in order, so it ends at a step that is not stored.
    @Test(arguments: [
        String(repeating: "x", count: UndoStore.maxStep),
        "see eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbmEiLCJsYXllciI6InIifQ.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg",
    ])
    func hugeStepsAndTokensAreNotStored(text: String) throws {
        let one = store()
        one.add(try entry(1))
        one.add(try entry(2, text))
        #expect(stored == [])
        one.add(try entry(3))
        #expect(stored == ["n3"])
        #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("eyJ"))
    }

    @Test(arguments: ["", "nonsense", "[1, {}]", #"[{"key": "a", "edits": [], "receipts": []}]"#])
    func aDamagedFileCountsAsEmpty(text: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(store().earlier.isEmpty)
        store().add(try entry(1))
        #expect(stored == ["n1"])
    }
}

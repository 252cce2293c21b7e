import App
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import postilla

struct DraftStoreTests {
    private let folder: Folder
    private let queue = DispatchQueue(label: "drafts")

    init() throws { folder = try Folder() }

    private func open() -> DraftStore { DraftStore(path: folder.path + "/drafts.json", queue: queue) }

    @Test func draftsOfEveryKindAreThereAgain() {
        let drafts: [DraftKey: String] = [
            .record("h1"): "Better", .note(page: 3): "New", .reply("h2"): "Why?", .comment(page: 0): "Here",
            .together(["h1", "h2"]): "Both",
        ]
        let store = open()
        for (key, text) in drafts { store.keep(text, for: key) { Issue.record("\($0)") } }
        queue.sync {}
        #expect(open().drafts == drafts)
    }

    @Test func aDamagedFileIsKept() throws {
        let damaged = #"[{"page":0,"text":"Nearly all of it"#
        try folder.write("drafts.json", damaged)
        let store = open()
        #expect(store.drafts.isEmpty)
        store.keep("New", for: .note(page: 0)) { Issue.record("\($0)") }
        queue.sync {}
        #expect(try String(contentsOfFile: folder.path + "/drafts.json.damaged", encoding: .utf8) == damaged)
        #expect(open().drafts == [.note(page: 0): "New"])
    }

    @Test func whatIsStoredIsNoDraft() {
        let store = open()
        store.keep("stored", for: .note(page: 0), becoming: "made") { _ in }
        store.keep("lost", for: .note(page: 1), becoming: "never made") { _ in }
        store.keep("half", for: .note(page: 2)) { _ in }
        store.keep("As it is", for: .record("same")) { _ in }
        store.keep("As it was to be", for: .record("other")) { _ in }
        queue.sync {}
        let again = open()
        let texts = ["made": "stored", "same": "As it is", "other": "As it is"]
        again.forgetSaved(or: { Issue.record("\($0)") }) { [texts[$0]].compactMap(\.self) }
        let left: [DraftKey: String] = [
            .note(page: 1): "lost", .note(page: 2): "half", .record("other"): "As it was to be",
        ]
        #expect(again.drafts == left)
        queue.sync {}
        #expect(open().drafts == left)
    }

    /// A record may be in one store of its layer and not in another.
    @Test func whatOneStoreHasIsNoDraft() {
        let store = open()
        store.keep("As it is", for: .record("same")) { _ in }
        queue.sync {}
        let again = open()
        again.forgetSaved(or: { Issue.record("\($0)") }) { _ in ["As it was", "As it is"] }
        #expect(again.drafts.isEmpty)
        queue.sync {}
    }

    @Test func aDraftThatAnotherProcessIsSavingIsNotOffered() {
        let one = open()
        one.keep("Being saved", for: .note(page: 0), becoming: "made") { Issue.record("\($0)") }
        queue.sync {}
        let again = open()
        let isStored = Atomic(false)
        var looks = 0
        again.forgetSaved(or: { Issue.record("\($0)") }) { _ in
            looks += 1
            // Its disk is slow: the record is stored after the first look.
            if looks == 1 {
                for page in 1...20 { one.keep("Another", for: .note(page: page)) { Issue.record("\($0)") } }
                queue.async { isStored.store(true, ordering: .sequentiallyConsistent) }
                one.keep(nil, for: .note(page: 0)) { Issue.record("\($0)") }
            }
            return isStored.load(ordering: .sequentiallyConsistent) ? ["Being saved"] : []
        }
        #expect(again.drafts[.note(page: 0)] == nil)
        queue.sync {}
    }

    @Test func twoProcessesKeepEachOthersDrafts() {
        let (one, other) = (open(), open())
        one.keep("By one", for: .note(page: 0)) { Issue.record("\($0)") }
        other.keep("By the other", for: .reply("h1")) { Issue.record("\($0)") }
        one.keep("By one, longer", for: .note(page: 0)) { Issue.record("\($0)") }
        queue.sync {}
        #expect(open().drafts == [.note(page: 0): "By one, longer", .reply("h1"): "By the other"])
        other.keep(nil, for: .reply("h1")) { Issue.record("\($0)") }
        queue.sync {}
        #expect(open().drafts == [.note(page: 0): "By one, longer"])
    }
}

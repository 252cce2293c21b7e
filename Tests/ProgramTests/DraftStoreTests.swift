import App
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import postilla

/// Records why a draft was not stored.
private func fail(_ problem: String?) { if let problem { Issue.record("\(problem)") } }

struct DraftStoreTests {
    private let folder: Folder
    private let queue = DispatchQueue(label: "drafts")

    init() throws { folder = try Folder() }

    private func open() -> DraftStore { DraftStore(path: folder.path + "/drafts.json", queue: queue) }

    @Test func draftsOfEveryKindAreThereAgain() {
        let drafts: [DraftKey: String] = [
            .record("h1"): "Better", .note(page: 3): "New", .reply("h2"): "Why?", .comment(page: 0): "Here",
            .together(["h1", "h2"]): "Both", .merge("h1", of: "v1"): "Merged", .merge("h1", of: "v2"): "Merged again",
        ]
        let store = open()
        for (key, text) in drafts { store.keep(text, for: key) { fail($0) } }
        queue.sync {}
        #expect(open().drafts == drafts)
    }

    @Test func aDamagedFileIsKept() throws {
        let damaged = #"[{"page":0,"text":"Nearly all of it"#
        try folder.write("drafts.json", damaged)
        let store = open()
        #expect(store.drafts.isEmpty)
        store.keep("New", for: .note(page: 0)) { fail($0) }
        queue.sync {}
        #expect(try String(contentsOfFile: folder.path + "/drafts.json.damaged", encoding: .utf8) == damaged)
        #expect(open().drafts == [.note(page: 0): "New"])
    }

    /// An earlier damaged file stays, too, and the user is told of it once.
    @Test func everyDamagedFileIsKept() throws {
        try folder.write("drafts.json.damaged", "an earlier one")
        try folder.write("drafts.json", #"{"page":0}"#)
        let store = open()
        #expect(store.notice?.contains("the file is kept as \(folder.path)/drafts.json.damaged-2") == true)
        #expect(store.notice == nil)
        #expect(folder.text("drafts.json.damaged") == "an earlier one")
        #expect(folder.text("drafts.json.damaged-2") == #"{"page":0}"#)
    }

    /// Such a file is not damaged: it must neither be moved nor be replaced.
    @Test func aFileThatCannotBeReadStaysAndItsDraftsComeLater() throws {
        let text = #"[{"page":0,"text":"Earlier"}]"#
        let path = folder.path + "/drafts.json"
        // A loop of links cannot be opened, by root either.
        try folder.write("real.json", text)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
        let store = open()
        #expect(store.notice?.contains("Earlier drafts cannot be read: cannot read \(path)") == true)
        let problems = Mutex<[String?]>([])
        store.keep("New", for: .note(page: 1)) { problem in problems.withLock { $0.append(problem) } }
        queue.sync {}
        #expect(problems.withLock { $0.first }??.contains("cannot read \(path)") == true)
        #expect(store.problem != nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.contains("damaged") })
        // It can be read again: both are there, whichever draft is stored next.
        try FileManager.default.removeItem(atPath: path)
        try folder.write("drafts.json", text)
        store.keep("Third", for: .note(page: 2)) { fail($0) }
        queue.sync {}
        #expect(store.problem == nil)
        #expect(open().drafts == [.note(page: 0): "Earlier", .note(page: 1): "New", .note(page: 2): "Third"])
    }

    @Test func aFileThatIsTooLargeStays() throws {
        let large = "[" + String(repeating: " ", count: 17 << 20) + "]"
        try folder.write("drafts.json", large)
        let store = open()
        store.keep("New", for: .note(page: 1)) { #expect($0?.contains("is larger than") == true) }
        queue.sync {}
        #expect(folder.text("drafts.json").utf8.count == large.utf8.count)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.contains("damaged") })
    }

    @Test func draftsOfALaterVersionStay() throws {
        try folder.write("drafts.json", #"[{"stamp":"h1","text":"Later"},{"page":0,"text":"Now"}]"#)
        let store = open()
        store.keep("Changed", for: .note(page: 0)) { fail($0) }
        queue.sync {}
        #expect(folder.text("drafts.json").contains(#""stamp":"h1""#) && folder.text("drafts.json").contains("Later"))
    }

    /// `é` typed as two characters is another text.
    @Test func aTextThatOnlyLooksTheSameIsStored() {
        let store = open()
        for text in ["caf\u{E9}", "cafe\u{301}"] { store.keep(text, for: .note(page: 0)) { fail($0) } }
        queue.sync {}
        #expect(open().drafts[.note(page: 0)]?.unicodeScalars.count == 5)
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
        again.forgetSaved { [texts[$0]].compactMap(\.self) }
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
        again.forgetSaved { _ in ["As it was", "As it is"] }
        #expect(again.drafts.isEmpty)
        queue.sync {}
    }

    @Test func aDraftThatAnotherProcessIsSavingIsNotOffered() {
        let one = open()
        one.keep("Being saved", for: .note(page: 0), becoming: "made") { fail($0) }
        queue.sync {}
        let again = open()
        let isStored = Atomic(false)
        var looks = 0
        again.forgetSaved { _ in
            looks += 1
            // Its disk is slow: the record is stored after the first look.
            if looks == 1 {
                for page in 1...20 { one.keep("Another", for: .note(page: page)) { fail($0) } }
                queue.async { isStored.store(true, ordering: .sequentiallyConsistent) }
                one.keep(nil, for: .note(page: 0)) { fail($0) }
            }
            return isStored.load(ordering: .sequentiallyConsistent) ? ["Being saved"] : []
        }
        #expect(again.drafts[.note(page: 0)] == nil)
        queue.sync {}
    }

    /// Two windows write a reply to one annotation.
    @Test func twoDraftsOfOneAnnotationAreBothKept() {
        let (one, other) = (open(), open())
        one.keep("By one", for: .reply("h1")) { fail($0) }
        other.keep("By the other", for: .reply("h1")) { fail($0) }
        one.keep("By one, longer", for: .reply("h1")) { fail($0) }
        other.keep("By the other, longer", for: .reply("h1")) { fail($0) }
        queue.sync {}
        let both = open()
        #expect(both.drafts == [.reply("h1"): "By one, longer\n\nBy the other, longer"])
        // Whoever gets both decides about both.
        both.keep("One text", for: .reply("h1")) { fail($0) }
        queue.sync {}
        #expect(open().drafts == [.reply("h1"): "One text"])
        // A window that has sent its own leaves the other one's.
        one.keep(nil, for: .reply("h1")) { fail($0) }
        queue.sync {}
        #expect(open().drafts == [.reply("h1"): "One text"])
    }

    @Test func twoProcessesKeepEachOthersDrafts() {
        let (one, other) = (open(), open())
        one.keep("By one", for: .note(page: 0)) { fail($0) }
        other.keep("By the other", for: .reply("h1")) { fail($0) }
        one.keep("By one, longer", for: .note(page: 0)) { fail($0) }
        queue.sync {}
        #expect(open().drafts == [.note(page: 0): "By one, longer", .reply("h1"): "By the other"])
        other.keep(nil, for: .reply("h1")) { fail($0) }
        queue.sync {}
        #expect(open().drafts == [.note(page: 0): "By one, longer"])
    }
}

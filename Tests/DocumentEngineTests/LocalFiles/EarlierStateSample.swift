import Annotations
import FileCore
import Foundation
import TestSupport
import Testing

@testable import DocumentEngine

/// States as engines of earlier versions left them: the files in `Resources/vectors/earlier-states`, and what each says.
struct EarlierStateSample: Sendable, CustomTestStringConvertible {
    let name: String
    let writer: EarlierStateWriter

    var testDescription: String { name }
    var state: EarlierState { writer.state }

    /// The bytes of the file, recorded with `RECORD_SNAPSHOTS=1`.
    var bytes: [UInt8] {
        get throws {
            let path = "Resources/vectors/earlier-states/\(name).json"
            if Repository.isRecording {
                try Repository.write(String(decoding: writer.bytes, as: UTF8.self), to: path)
            }
            return Array(try Repository.text(path).utf8)
        }
    }

    static let all: [EarlierStateSample] = [
        EarlierStateSample("edits") { state in
            let first = note("6", "first", updated: nil)
            state.rows = byID([
                "6": .init(base: first, local: note("6", "said \"better\" \\ \u{e9}\u{1F600}\n", updated: "ana")),
                "7": .init(base: note("7", "as before"), local: note("7", "as before")),
                "8": .init(base: note("8", "deleted")),
                "01J5Z3V6S8Q4T2W0X9Y7A1B3C5": .init(local: note("01J5Z3V6S8Q4T2W0X9Y7A1B3C5", "new", updated: "ana")),
                "01J5Z3V6S8Q4T2W0X9Y7A1B3C6": .init(local: picture("01J5Z3V6S8Q4T2W0X9Y7A1B3C6")),
                "e\u{301}": .init(local: note("e\u{301}", "one")), "\u{e9}": .init(local: note("\u{e9}", "other")),
                "gone": .init(),
            ])
            state.earlier.add([
                .init(size: 900, sha256: hash("1")), .init(size: 950, sha256: hash("2")),
            ])
        },
        EarlierStateSample("conflict") { state in
            let (before, mine, theirs) = (note("6", "before"), note("6", "mine", updated: "ana"), note("6", "theirs"))
            state.rows = byID([
                "6": .init(base: theirs, local: mine),
                // Deleted here and changed there: the layer shows the file's version.
                "7": .init(base: note("7", "changed"), local: note("7", "changed")),
                "8": .init(base: nil, local: note("8", "kept")),
            ])
            state.conflicts = byID([
                "6": .init(base: before, local: mine, remote: theirs),
                "7": .init(base: note("7", "before"), local: nil, remote: note("7", "changed")),
                "8": .init(base: note("8", "before"), local: note("8", "kept"), remote: nil),
            ])
            state.sharesIDs = false
        },
        EarlierStateSample("lost") { state in
            let mark = highlight("9")
            state.rows = byID(["9": .init(local: mark)])
            state.lost = byID(["9": FileCore.LostMark(mark, words: ["lost", "w\u{f6}rds"])])
        },
        EarlierStateSample("writing") { state in
            let mine = note("6", "written", updated: "ana")
            state.rows = byID([
                "6": .init(base: note("6", "before"), local: mine), "8": .init(base: note("8", "deleted")),
                "7": .init(base: note("7", "before"), local: note("7", "edited since")),
            ])
            state.intent = EarlierState.Intent(
                sha256: hash("b"), keepsIDs: true,
                exchanged: "/home/ana/papers/.my \"best\" paper.pdf.4711.2863311530.postilla-old",
                rows: byID(["6": mine, "8": nil, "7": note("7", "as written")]))
        },
        EarlierStateSample("copying") { state in
            state.rows = byID(["6": .init(base: note("6", "before"), local: note("6", "after"))])
            state.copying = "/home/ana/copy.pdf"
        },
        EarlierStateSample("unchecked", isChecked: false) { state in
            state.rows = byID(["6": .init(base: note("6", "before"), local: note("6", "after", updated: "ana"))])
        },
        EarlierStateSample("private", owners: [FileUser(pid: 4711, start: 18_446_744_073_709_551_615)]) { state in
            state.isPrivate = true
            state.rows = byID(["6": .init(base: note("6", "before"), local: note("6", "secret"))])
        },
    ]

    static func named(_ name: String) -> EarlierStateSample { all.first { $0.name == name } ?? all[0] }

    private init(
        _ name: String, owners: [FileUser] = [], isChecked: Bool = true, _ change: (inout EarlierState) -> Void
    ) {
        var state = EarlierState(
            document: "01J5Z3V6S8Q4T2W0X9Y7A1B3C4", path: "/home/ana/papers/my \"best\" paper.pdf",
            version: FileVersion(
                inode: .max - 1, size: 1 << 33, changed: 1_795_000_000_123_456_789, sha256: Self.hash("a")))
        change(&state)
        var writer = EarlierStateWriter(state)
        (writer.owners, writer.isChecked) = (owners, isChecked)
        (self.name, self.writer) = (name, writer)
    }

    private static func byID<Value>(_ values: KeyValuePairs<Record.ID, Value>) -> [ByteOrdered: Value] {
        Dictionary(uniqueKeysWithValues: values.map { (ByteOrdered($0.key), $0.value) })
    }

    private static func hash(_ digit: String) -> String { String(repeating: digit, count: 64) }

    private static func note(_ id: String, _ text: String, updated: String? = nil) -> Record {
        let content = """
            {"v":2,"type":"pspdfkit/note","pageIndex":0,"bbox":[72,72.50,32,32],"text":\(JSON.string(text).text),\
            "color":"#FFD83F","icon":"comment","createdAt":"2026-03-01T09:30:00Z"}
            """
        return Record(
            id: id, content: Content(checked: content), createdBy: updated.map { _ in "ana" }, updatedBy: updated,
            group: updated.map { _ in "g\u{0}\"" })
    }

    private static func picture(_ id: String) -> Record {
        let content = """
            {"v":2,"type":"pspdfkit/image","pageIndex":1,"bbox":[10,20,30,40],"contentType":"image/png",\
            "imageAttachmentId":"\(hash("c"))"}
            """
        return Record(id: id, content: Content(checked: content), createdBy: "ana", updatedBy: "ana")
    }

    private static func highlight(_ id: String) -> Record {
        let content = """
            {"v":2,"type":"pspdfkit/markup/highlight","pageIndex":3,"bbox":[72,144,200,12],"rects":[[72,144,200,12]],\
            "color":"#FCEE7C","opacity":1,"blendMode":"multiply"}
            """
        return Record(id: id, content: Content(checked: content), createdBy: "ana", updatedBy: "ana")
    }
}

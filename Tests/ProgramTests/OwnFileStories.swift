import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// PDFs of one's own, with the real program, its engine and other programs.
@Suite(.onOwnThreads)
struct OwnFileStories: OwnPaperStories {
    let paper: OwnPaper

    init() throws { paper = try OwnPaper() }

    private var bytes: Data { (try? Data(contentsOf: URL(filePath: path))) ?? Data() }

    private func killEngine() { OwnEngine.kill(home.path + "/run") }

    /// A beginning of the file is an earlier version, which lacks notes that the program that writes it has seen.
    @Test func aDeletionCountsAlsoIfTheFileWasReadWhileItWasWritten() throws {
        let id = try run("add", path, "--note", "Seen", "--page", "1", other: true).output.trimmingCharacters(
            in: .newlines)
        let withNote = bytes
        #expect(try run("delete", id, "--pdf", path, other: true).status == 0)
        let without = bytes
        #expect(withNote.starts(with: original) && without.starts(with: withNote))

        try original.write(to: URL(filePath: path))
        #expect(try run("add", path, "--note", "Kept", "--page", "1", "--no-write").status == 0)
        try withNote.write(to: URL(filePath: path))
        #expect(try texts().contains("Seen"))
        try original.write(to: URL(filePath: path))
        // The program that saved this has not seen the note.
        #expect(try texts().contains("Seen"))
        try without.write(to: URL(filePath: path))
        let left = try texts()
        #expect(!left.contains("Seen") && left.contains("Kept"), "\(left)")
    }

    @Test func aNoteIsAddedListedChangedAndDeletedInTheFile() throws {
        let id = try run("add", path, "--note", "Which program?", "--page", "1").output.trimmingCharacters(
            in: .newlines)
        #expect(bytes.count > original.count && bytes.starts(with: original))
        #expect(try texts().contains("Which program?"))
        // The engine may have forgotten the file: the id is that of the record all the same.
        #expect(try run("edit", id, "--pdf", path, "--text", "Which programs?").status == 0)
        #expect(try run("reply", id, "--pdf", path, "--text", "All of them").status == 0)
        #expect(try run("comments", id, "--pdf", path).output.contains("All of them"))
        // Another program sees it.
        #expect(try texts(other: true).contains("Which programs?"))
        #expect(try run("delete", id, "--pdf", path).status == 0)
        #expect(try !texts().contains("Which programs?"))
        #expect(bytes.starts(with: original))
    }

    @Test func keptChangesAreWrittenLaterAndSurviveTheEngine() throws {
        let added = try run("add", path, "--note", "Kept", "--page", "1", "--no-write")
        #expect(added.messages.contains("1 change kept, not in the file; run postilla write"), "\(added.messages)")
        #expect(bytes == original)
        killEngine()
        #expect(try texts().contains("Kept"))
        // What was in memory is gone, as after a restart of the machine.
        killEngine()
        try FileManager.default.removeItem(atPath: home.path + "/run/postilla")
        #expect(try texts().contains("Kept"))
        let list = try run("storage", "list", "--format", "ndjson")
        #expect(list.output.contains(path), "\(list.output)")
        let written = try run("write", path)
        #expect(written.status == 0 && written.messages.contains("wrote 1 change"), "\(written.messages)")
        #expect(try texts(other: true).contains("Kept"))
        #expect(
            try run("storage", "list").messages.contains("no layers") || !run("storage", "list").output.contains(path))
    }

    @Test func nothingIsStoredOnDiskWithoutAnEdit() throws {
        #expect(try texts().contains("content"))
        #expect(Folder.paths(below: home.path + "/.local/share", named: "file.sqlite").isEmpty)
        #expect(try run("add", path, "--note", "Kept", "--page", "1", "--no-write").status == 0)
        #expect(Folder.paths(below: home.path + "/.local/share", named: "file.sqlite").count == 1)
        #expect(try run("write", path).status == 0)
        // The engine notices that the command has ended.
        let end = ContinuousClock.now + .seconds(Patience.long)
        while !databases.isEmpty, ContinuousClock.now < end { poll(nil, 0, 10) }
        #expect(databases.isEmpty)
    }

    private var databases: [String] { Folder.paths(below: home.path + "/.local/share", named: "file.sqlite") }

    @Test func changesOfAnotherProgramAreMergedAndDisputedOnesWaitForAChoice() throws {
        let id = try run("add", path, "--note", "one two three", "--page", "1").output.trimmingCharacters(in: .newlines)
        #expect(try run("edit", id, "--pdf", path, "--text", "mine", "--no-write").status == 0)
        #expect(try run("add", path, "--note", "Also mine", "--page", "2", "--no-write").status == 0)
        #expect(try run("edit", id, "--pdf", path, "--text", "theirs", other: true).status == 0)
        #expect(try run("add", path, "--note", "Also theirs", "--page", "2", other: true).status == 0)
        let written = try run("write", path)
        #expect(written.status == 6 && written.messages.contains("1 annotation not written"), "\(written.messages)")
        let conflicts = try run("conflicts", "--pdf", path, "--format", "ndjson")
        #expect(conflicts.output.contains("theirs") && conflicts.output.contains("mine"), "\(conflicts.output)")
        // The file has theirs until a choice is made, and everything else of both.
        let seen = try texts(other: true)
        for text in ["theirs", "Also mine", "Also theirs"] { #expect(seen.contains("\"\(text)\""), "\(seen)") }
        #expect(!seen.contains("\"mine\""))
        #expect(try run("conflicts", "resolve", id, "--mine", "--pdf", path).status == 0)
        #expect(try texts(other: true).contains("\"mine\""))
    }

    @Test(arguments: Repository.samples.map(\.path).filter { $0.hasSuffix(".pdf") })
    func aRealFileIsContinued(_ sample: String) throws {
        let real = try Data(contentsOf: URL(filePath: sample))
        let path = try home.write("real.pdf", real)
        let added = try run("add", path, "--note", "Added here", "--page", "1")
        #expect(added.status == 0, "\(added.messages)")
        #expect(try Data(contentsOf: URL(filePath: path)).starts(with: real))
        let seen = try run("list", path, "--format", "ndjson", other: true).output
        #expect(seen.components(separatedBy: "Added here").count == 2)
    }

    /// Changes that are only in memory are lost with it, and nothing of them was on a disk.
    @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm"))) func aPrivateViewerKeepsNothingOnDisk()
        throws
    {
        let memory = "/dev/shm/postilla-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: memory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: memory) }
        let terminal = try VirtualTerminal(
            running: [Program.path, "open", "paper.pdf", "--private"],
            environment: ["HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": memory], directory: home.path)
        try terminal.see("page 1 of 3")
        try terminal.press("a")
        try terminal.see("note")
        try terminal.press("Whispered<enter>")
        try terminal.see("1 not in the file")
        #expect(Folder.paths(below: home.path, named: "file.sqlite").isEmpty)
        try terminal.press("q")
        try terminal.see("Lose 1 change")
        try terminal.press("y")
        #expect(try terminal.waitForExit(seconds: Patience.long) == 0)
        let all = FileManager.default.enumerator(atPath: home.path)?.compactMap { $0 as? String } ?? []
        for name in all {
            let found = (try? Data(contentsOf: URL(filePath: "\(home.path)/\(name)")))?.range(
                of: Data("Whispered".utf8))
            #expect(found == nil, "\(name)")
        }
    }

    // MARK: Another text at the same path

    private static let lines = [
        "The harbour was quiet before the storm came in", "and nobody had expected the ferry to leave early",
        "Two passengers waited under the old stone arch", "until the lights on the pier had all gone out",
    ]

    private func writeEdition(_ pages: [[String]]) throws {
        var edition = SmallPDF()
        edition.pages = pages.map { lines in
            let text = lines.enumerated().map { "BT /F1 12 Tf 72 \(700 - 20 * $0.offset) Td (\($0.element)) Tj ET" }
            return ("/MediaBox[0 0 612 792]", text.joined(separator: "\n"))
        }
        try Data(edition.bytes).write(to: URL(filePath: path))
    }

    /// Adds a highlight over the beginning of a line of the first page.
    private func highlight(_ line: Int, _ text: String, _ more: String...) throws -> String {
        let outcome = try Program.run(
            ["add", path, "--highlight", "--page", "1", "--rect", "72,\(82 + 20 * line),80,12", "--text", text] + more,
            environment: ["HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run"])
        #expect(outcome.status == 0, "\(outcome.messages)")
        return outcome.output.trimmingCharacters(in: .newlines)
    }

    private struct Place: Equatable {
        var page: Int
        var top: Int
    }

    /// The pages and the upper edges of the annotations, by their remarks.
    private func places(other: Bool = false) throws -> [String: Place] {
        var places: [String: Place] = [:]
        for line in try texts(other: other).split(separator: "\n") {
            let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            guard let content = record?["content"] as? [String: Any], let box = content["bbox"] as? [Double],
                let page = content["pageIndex"] as? Int, let text = (content["note"] ?? content["text"]) as? String
            else { continue }
            places[text] = Place(page: page, top: Int(box[1].rounded()))
        }
        return places
    }

    private func isNear(_ place: Place?, page: Int, top: Int) -> Bool {
        place.map { $0.page == page && abs($0.top - top) < 6 } ?? false
    }

    /// The first line moves to another page, the second one is deleted, the third one moves up. One mark of each was only
    /// kept, and one was written, which the new file lacks, too.
    @Test(arguments: [false, true])
    func marksFollowTheirWordsIntoANewEdition(losesMemory: Bool) throws {
        try writeEdition([Self.lines])
        _ = try highlight(0, "written first")
        let kept = try highlight(1, "kept second", "--no-write")
        _ = try highlight(2, "kept third", "--no-write")
        // A written mark stays known only as long as something of the file is not written.
        let before = try places()
        #expect(before.count == 3)
        if losesMemory {
            killEngine()
            try FileManager.default.removeItem(atPath: home.path + "/run/postilla")
        }
        try writeEdition([["A preface", Self.lines[2], Self.lines[3]], [], ["A title", "", Self.lines[0]]])

        let listed = try run("list", path)
        #expect(listed.status == 0 && listed.messages.contains("highlight \(kept)"), "\(listed.messages)")
        #expect(listed.messages.contains("“and nobody had") && listed.messages.contains("not in the text any more"))
        var now = try places()
        #expect(isNear(now["written first"], page: 2, top: 122), "\(now)")
        #expect(isNear(now["kept third"], page: 0, top: 102), "\(now)")
        #expect(now["kept second"] == before["kept second"], "\(now)")

        // Writing drops none of them.
        let written = try run("write", path)
        #expect(written.status == 0 && written.messages.contains("wrote 3 changes"), "\(written.messages)")
        #expect(written.messages.contains("“and nobody had”, which is not in the text any more"), "\(written.messages)")
        now = try places(other: true)
        #expect(now.count == 3, "\(now)")
        #expect(isNear(now["written first"], page: 2, top: 122) && isNear(now["kept third"], page: 0, top: 102))
        #expect(now["kept second"]?.page == 0)
    }

    @Test func aViewerNamesMarksThatLostTheirWordsAndFindsThemAgain() throws {
        try writeEdition([Self.lines])
        let terminal = try VirtualTerminal(
            running: [Program.path, "open", "paper.pdf"],
            environment: ["HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run"], directory: home.path)
        try terminal.see("page 1 of 1")
        _ = try highlight(0, "First")
        _ = try highlight(1, "Second")
        try terminal.see("Second")
        // Everything is written; the new text has neither.
        try writeEdition([["A preface"], [Self.lines[2], Self.lines[3], Self.lines[0]]])
        try terminal.see("1 mark without")
        try terminal.see("2 not in the file")
        try terminal.press(":lost-marks<enter>")
        try terminal.see("Marks whose words were not found")
        try terminal.see("highlight “and nobody")
        try terminal.press("<esc>")
        // The sentence comes back, elsewhere.
        try writeEdition([["A preface"], Self.lines])
        try terminal.see("2 annotations changed")
        try terminal.press(":lost-marks<enter>")
        try terminal.see("No mark is known to have lost its words")
        try terminal.press(":w<enter>")
        try terminal.see("Wrote 2 changes to paper.pdf")
        let now = try places(other: true)
        #expect(isNear(now["First"], page: 1, top: 82) && isNear(now["Second"], page: 1, top: 102), "\(now)")
        // A page that there was not at first.
        try terminal.press(":page 2<enter>")
        try terminal.see("page 2 of 2")
        try terminal.press("aOn a new page<enter>")
        try terminal.see("1 not in the file")
        try terminal.press(":w<enter>")
        try terminal.see("Wrote 1 change to paper.pdf")
        try terminal.press("q")
        #expect(try terminal.waitForExit(seconds: Patience.long) == 0)
    }

    /// A reply to an annotation of the file that has no name.
    @Test func aKeptReplyFindsItsAnnotationAfterARestartOfTheMachine() throws {
        try Data(
            SmallPDF(annotations: [
                "<</Type/Annot/Subtype/Text/Rect[20 640 38 658]/Contents(Without a name)/T(ana)>>"
            ]).bytes
        ).write(to: URL(filePath: path))
        let line = try #require(try texts().split(separator: "\n").first)
        let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        let id = try #require(record?["id"] as? String)
        #expect(try run("reply", id, "--pdf", path, "--text", "Agreed", "--no-write").status == 0)
        killEngine()
        try FileManager.default.removeItem(atPath: home.path + "/run/postilla")
        #expect(try run("comments", id, "--pdf", path).output.contains("Agreed"))
        let written = try run("write", path)
        #expect(written.status == 0 && written.messages.contains("wrote 1 change"), "\(written.messages)")
        #expect(try run("comments", id, "--pdf", path, other: true).output.contains("Agreed"))
    }

    // MARK: Merging copies

    /// Ben's copy has a note of his own, and another text where the viewer has changed the same words.
    private func writeCopy() throws -> (copy: String, id: String) {
        let id = try run("add", path, "--note", "one two three", "--page", "1").output.trimmingCharacters(in: .newlines)
        let copy = home.path + "/ben.pdf"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        #expect(try run("edit", id, "--pdf", copy, "--text", "theirs").status == 0)
        #expect(try run("add", copy, "--note", "By Ben", "--page", "2").status == 0)
        return (copy, id)
    }

    @Test func aCopyIsMergedInTheViewerAsByTheCommand() throws {
        let (copy, id) = try writeCopy()
        #expect(try run("edit", id, "--pdf", path, "--text", "mine", "--no-write").status == 0)
        let terminal = try VirtualTerminal(
            running: [Program.path, "open", "paper.pdf"],
            environment: ["HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run"], directory: home.path)
        try terminal.see("1 not in the file")
        try terminal.press(":merge be<tab>")
        try terminal.see("merge ben.pdf")
        try terminal.press("<enter>")
        try terminal.see("Merged ben.pdf: 1 new; 1 in conflict, yours kept")
        #expect(try texts().contains("\"By Ben\"") && texts().contains("\"mine\""))
        #expect(try run("comments", id, "--pdf", path).output.contains("theirs"))
        // The command finds nothing more to do, and neither does the viewer.
        let again = try run("merge", copy, "--into", "--pdf", path)
        #expect(again.messages.contains("0 added, 0 changed, 0 deleted"), "\(again.output)\(again.messages)")
        try terminal.press(":merge ben.pdf<enter>")
        try terminal.see("Nothing new in ben.pdf")
        // One step takes all of it back.
        try terminal.press("u")
        try terminal.see("Undone: merge of ben.pdf")
        #expect(try !texts().contains("\"By Ben\""))
        #expect(try !run("comments", id, "--pdf", path).output.contains("theirs"))
        try terminal.press(":merge nothing.pdf<enter>")
        try terminal.see("Not merged: ")
        try terminal.press("q")
        #expect(try terminal.waitForExit(seconds: Patience.long) == 0)
    }

    // MARK: Other commands

    @Test func stateImportAndExportWorkOnAFile() throws {
        let id = try run("add", path, "--note", "Agreed?", "--page", "1").output.trimmingCharacters(in: .newlines)
        let state = try run("state", id, "accepted", "--pdf", path)
        #expect(state.status == 0, "\(state.messages)")
        #expect(try run("list", path, "--format", "tsv").output.contains("accepted"))
        #expect(try run("list", path, "--format", "tsv", other: true).output.contains("accepted"))
        let xfdf = home.path + "/notes.xfdf"
        let exported = try run("export", path, "--format", "xfdf", "--output", xfdf)
        #expect(exported.status == 0, "\(exported.messages)")
        #expect(try String(contentsOfFile: xfdf, encoding: .utf8).contains("Agreed?"))
        // Into a copy without it.
        let copy = try home.write("copy.pdf", original)
        let imported = try run("import", xfdf, "--pdf", copy)
        #expect(imported.status == 0, "\(imported.output)\(imported.messages)")
        #expect(try run("list", copy, "--format", "ndjson", other: true).output.contains("Agreed?"))
        let kept = try run("import", xfdf, "--pdf", copy, "--dry-run")
        #expect(kept.status == 0 && !kept.output.contains("\"create\""), "\(kept.output)\(kept.messages)")
    }

    /// Its ids are the names of the annotations, and a copy has the numbers of their objects.
    @Test func anEditedCopyIsImportedIntoItsFile() throws {
        let notes = [
            "<</Type/Annot/Subtype/Text/Rect[100 700 120 720]/Contents(named)/NM(the-first-of-all-notes)>>",
            "<</Type/Annot/Subtype/Text/Rect[100 600 120 620]/Contents(nameless)>>",
        ]
        let paper = SmallPDF(annotations: notes).bytes
        let file = try home.write("notes.pdf", paper)
        let itself = try run("import", file, "--pdf", file)
        #expect(itself.status == 0 && itself.messages.contains("0 updated, 2 unchanged"), "\(itself.messages)")
        #expect(try Data(contentsOf: URL(filePath: file)) == Data(paper))
        var update = PDFContinuation(of: paper)
        update.objects[6] = notes[0].replacing("(named)", with: "(named anew)")
        update.objects[7] = notes[1].replacing("(nameless)", with: "(nameless too)")
        let copy = try home.write("copy.pdf", update.bytes)
        let imported = try run("import", copy, "--pdf", file)
        #expect(imported.status == 0, "\(imported.output)\(imported.messages)")
        #expect(imported.messages.contains("0 created, 2 updated"), "\(imported.messages)")
        let listed = try run("list", file, "--format", "ndjson", other: true).output
        #expect(listed.contains("named anew") && listed.contains("nameless too"), "\(listed)")
        #expect(listed.split(separator: "\n").count == 2, "\(listed)")
        let again = try run("import", copy, "--pdf", file)
        #expect(again.status == 0 && again.messages.contains("0 updated"), "\(again.output)\(again.messages)")
    }

    @Test func whatIsKeptOfAFileIsGivenUpOnlyIfThePersonSaysSo() throws {
        #expect(try run("add", path, "--note", "Kept", "--page", "1", "--no-write").status == 0)
        let refused = try run("storage", "remove", "--file", path)
        #expect(refused.status == 1, "\(refused.messages)")
        #expect(refused.messages.contains("created: note, page 1, “Kept”"), "\(refused.messages)")
        #expect(refused.messages.contains("postilla write"))
        #expect(try texts().contains("Kept"))
        // Also if the file is gone, where nothing else would end it.
        let moved = home.path + "/moved.bin"
        rename(path, moved)
        let removed = try run("storage", "remove", "--file", path, "--discard-unsent")
        #expect(removed.status == 0 && removed.messages.contains("1 change removed"), "\(removed.messages)")
        #expect(try !run("storage", "list", "--format", "ndjson").output.contains(path))
        #expect(Folder.paths(below: home.path + "/.local/share", named: "file.sqlite").isEmpty)
        #expect(try Data(contentsOf: URL(filePath: moved)) == original)
        #expect(try run("storage", "remove", "--file", path).messages.contains("nothing is kept"))
        #expect(try run("storage", "remove", "--file", path, "--all").status == 64)
    }

    @Test func aFileThatIsNotThereIsSaidToBeMissingAndNoMore() throws {
        let outcome = try run("list", home.path + "/none.pdf")
        #expect(outcome.status == 1 && outcome.messages.hasSuffix("none.pdf: no such file\n"), "\(outcome.messages)")
    }

    @Test func aMissingFileIsNotMadeAgainUnasked() throws {
        #expect(try run("add", path, "--note", "Kept", "--page", "1", "--no-write").status == 0)
        unlink(path)
        let refused = try run("write", path)
        #expect(refused.status == 1 && refused.messages.contains("missing"), "\(refused.messages)")
        #expect(access(path, F_OK) != 0)
        let copy = home.path + "/copy.pdf"
        #expect(try run("write", path, "--to", copy).status == 0)
        #expect(try run("list", copy, "--format", "ndjson").output.contains("Kept"))
        #expect(try run("storage", "list").output.contains("file missing"))
        #expect(try run("write", path, "--force").status == 0)
        #expect(try texts(other: true).contains("Kept"))
    }

    @Test func aMovedFileTakesItsChangesAlongAndACopyHasNone() throws {
        #expect(try run("add", path, "--note", "Kept", "--page", "1", "--no-write").status == 0)
        let copy = home.path + "/copy.pdf"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        #expect(try !run("list", copy, "--format", "ndjson").output.contains("Kept"))
        let moved = home.path + "/moved.pdf"
        rename(path, moved)
        #expect(try run("list", moved, "--format", "ndjson").output.contains("Kept"))
    }

    @Test func aCompactFileHoldsNothingThatWasDeleted() throws {
        let id = try run("add", path, "--note", "Seventeen secrets", "--page", "1").output
            .trimmingCharacters(in: .newlines)
        let deleted = try run("delete", id, "--pdf", path)
        #expect(deleted.messages.contains("still contains what was deleted"), "\(deleted.messages)")
        #expect(bytes.range(of: Data("Seventeen secrets".utf8)) != nil)
        #expect(try run("write", path, "--compact").status == 0)
        #expect(bytes.range(of: Data("Seventeen secrets".utf8)) == nil)
        #expect(try texts().contains("content"))
    }

    @Test func severalAtOnceLoseNothing() throws {
        // Two programs with one engine, and a stranger, at the same time.
        let outcomes = try ["a", "b", "c"].map { name -> Program.Outcome in
            try run("add", path, "--note", "by \(name)", "--page", "1", other: name == "c")
        }
        #expect(outcomes.allSatisfy { $0.status == 0 })
        let seen = try texts()
        for name in ["a", "b", "c"] { #expect(seen.contains("\"by \(name)\"")) }
    }

    @Test func aViewerEditsWritesAndSaysWhatItKeeps() throws {
        let terminal = try VirtualTerminal(
            running: [Program.path, "open", "paper.pdf"],
            environment: ["HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run"],
            directory: home.path)
        try terminal.see("page 1 of 3")
        try terminal.press("a")
        try terminal.see("note")
        try terminal.press("Written<enter>")
        try terminal.see("1 not in the file")
        #expect(bytes == original)
        try terminal.press(":w<enter>")
        try terminal.see("Wrote 1 change to paper.pdf")
        #expect(bytes.starts(with: original) && bytes.count > original.count)
        // Another program changes the file while it is open.
        #expect(try run("add", path, "--note", "Theirs", "--page", "1", other: true).status == 0)
        try terminal.see("Theirs")
        try terminal.press("a")
        try terminal.press("Kept<enter>")
        try terminal.see("1 not in the file")
        try terminal.press("q")
        #expect(try terminal.waitForExit(seconds: Patience.long) == 0)
        #expect(try texts().contains("Kept"))
        #expect(try !texts(other: true).contains("Kept"))
    }
}

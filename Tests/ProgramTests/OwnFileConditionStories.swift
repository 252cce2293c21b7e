import Children
import EngineSupport
import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// Files that cannot be written, or not as usual: whatever happens, the file is the old one or the new one, and what is not
/// in it is kept and can still be written elsewhere.
@Suite(.onOwnThreads)
struct OwnFileConditionStories {
    private let home: Folder
    private let folder: String
    private let path: String

    init() throws {
        home = try Folder()
        folder = try home.makeFolder("papers")
        path = folder + "/paper.pdf"
        for name in ["run", "other-run"] {
            try FileManager.default.createDirectory(
                atPath: "\(home.path)/\(name)", withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
    }

    private func run(_ words: String..., other: Bool = false) throws -> Program.Outcome {
        // Another data folder is a stranger, like another program.
        try Program.run(
            words,
            environment: [
                "HOME": other ? home.path + "/other" : home.path, "TZ": "UTC",
                "XDG_RUNTIME_DIR": home.path + (other ? "/other-run" : "/run"),
            ])
    }

    private func qpdf(_ words: String...) throws -> Int32 {
        try Program.run(words, environment: [:], executable: "/usr/bin/qpdf").status
    }

    private func write(_ bytes: [UInt8], to path: String? = nil) throws -> Data {
        try Data(bytes).write(to: URL(fileURLWithPath: path ?? self.path))
        return Data(bytes)
    }

    private func bytes(_ path: String? = nil) -> Data {
        (try? Data(contentsOf: URL(fileURLWithPath: path ?? self.path))) ?? Data()
    }

    private var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

    private func add(_ text: String, to path: String? = nil) throws -> Program.Outcome {
        try run("add", path ?? self.path, "--note", text, "--page", "1")
    }

    /// The texts of a file's notes, as a stranger reads them.
    private func seen(_ path: String? = nil) throws -> String {
        let outcome = try run("list", path ?? self.path, "--format", "ndjson", other: true)
        #expect(outcome.status == 0, "\(outcome.messages)")
        return outcome.output
    }

    /// The file is as it was, the note is kept, the reason is named, and another path takes everything.
    private func expectRefusal(
        of outcome: Program.Outcome, at path: String? = nil, because reason: String, keeping original: Data
    ) throws {
        #expect(outcome.status == 1 && outcome.messages.contains(reason), "\(outcome.messages)")
        #expect(outcome.messages.split(separator: "\n").count == 1, "\(outcome.messages)")
        #expect(bytes(path) == original)
        let kept = try run("list", path ?? self.path, "--format", "ndjson")
        #expect(kept.output.contains("Kept") && kept.status == 0, "\(kept.messages)")
        #expect(try run("storage", "list", "--format", "ndjson").output.contains(path ?? self.path))
        let copy = home.path + "/copy.pdf"
        let written = try run("write", path ?? self.path, "--to", copy)
        #expect(written.status == 0 && written.messages.contains("wrote a copy"), "\(written.messages)")
        #expect(try seen(copy).contains("Kept"))
        #expect(bytes(path) == original)
    }

    private static let note = "<</Type/Annot/Subtype/Text/Rect[100 700 120 720]/Contents(first)>>"

    /// - Parameter permission: what the certificate allows, such as `/P 2`; nil: an ordinary signature.
    private static func signed(_ permission: String?) -> [UInt8] {
        var pdf = SmallPDF()
        pdf.pages = [("/MediaBox[0 0 612 792]/Annots[6 0 R 7 0 R]", "BT /F1 20 Tf 100 602 Td (Word) Tj ET")]
        pdf.catalog = "/AcroForm<</SigFlags 3/Fields[7 0 R]>>" + (permission == nil ? "" : "/Perms<</DocMDP 8 0 R>>")
        let reference = permission.map {
            "/Reference[<</Type/SigRef/TransformMethod/DocMDP/TransformParams<</Type/TransformParams/V/1.2\($0)>>>>]"
        }
        pdf.extra = [
            note, "<</FT/Sig/T(sig)/V 8 0 R/Type/Annot/Subtype/Widget/Rect[0 0 0 0]/P 4 0 R>>",
            "<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/adbe.pkcs7.detached/ByteRange[0 10 20 30]/Contents<00>"
                + "\(reference ?? "")>>",
        ]
        return pdf.bytes
    }

    // MARK: Signatures

    @Test(arguments: ["/P 1", "/P 2", ""]) func aCertificateThatForbidsNotesIsKept(_ permission: String) throws {
        let original = try write(Self.signed(permission))
        try expectRefusal(
            of: try add("Kept"),
            because: "a signature of the PDF forbids changes to annotations; write to another path",
            keeping: original)
        #expect(bytes(home.path + "/copy.pdf").starts(with: original))
        #expect(names == ["paper.pdf"])
        let again = try run("write", path, "--to", home.path + "/copy.pdf", "--force")
        #expect(again.messages.contains("the signature is not valid in this copy"), "\(again.messages)")
        let compact = try run("write", path, "--compact")
        #expect(compact.status == 1 && bytes() == original, "\(compact.messages)")
    }

    @Test(arguments: [nil, "/P 3"]) func aSignedFileIsContinued(_ permission: String?) throws {
        let original = try write(Self.signed(permission))
        #expect(try add("Added").status == 0)
        #expect(bytes().starts(with: original) && bytes().count > original.count)
        #expect(try seen().contains("Added"))
        let compact = try run("write", path, "--compact")
        #expect(compact.status == 1, "\(compact.messages)")
        #expect(
            compact.messages.contains("--compact writes the file anew, which would break its signature"),
            "\(compact.messages)")
        #expect(!compact.messages.contains("damaged"))
        #expect(bytes().starts(with: original))
    }

    // MARK: Files that are written anew

    @Test func anEncryptedFileStaysEncrypted() throws {
        let plain = home.path + "/plain.pdf"
        _ = try write(SmallPDF(annotations: [Self.note]).bytes, to: plain)
        #expect(try qpdf("--encrypt", "", "owner", "256", "--", plain, path) == 0)
        let added = try add("Added")
        #expect(added.status == 0, "\(added.messages)")
        #expect(try qpdf("--is-encrypted", path) == 0 && qpdf("--check", path) == 0)
        #expect(bytes().range(of: Data("Added".utf8)) == nil)
        let seen = try seen()
        #expect(seen.contains("Added") && seen.contains("first"))
        #expect(names == ["paper.pdf"])
    }

    @Test func aFileWithAPasswordIsRefused() throws {
        let plain = home.path + "/plain.pdf"
        _ = try write(SmallPDF(annotations: [Self.note]).bytes, to: plain)
        #expect(try qpdf("--encrypt", "user", "owner", "256", "--", plain, path) == 0)
        let original = bytes()
        let added = try add("Never")
        #expect(added.status == 1 && added.messages.contains("encrypted"), "\(added.messages)")
        #expect(bytes() == original && names == ["paper.pdf"])
        #expect(try run("storage", "list").output.isEmpty)
    }

    @Test func aDamagedFileIsRepaired() throws {
        let text = String(decoding: SmallPDF(annotations: [Self.note]).bytes, as: UTF8.self)
        _ = try write(Array(text.replacingOccurrences(of: "startxref\n", with: "startxref\n1").utf8))
        let added = try add("Added")
        #expect(added.status == 0, "\(added.messages)")
        #expect(try qpdf("--check", path) == 0)
        let seen = try seen()
        #expect(seen.contains("Added") && seen.contains("first"))
        #expect(names == ["paper.pdf"])
    }

    @Test(arguments: ["", "no PDF at all", "%PDF-1.7\n"]) func whatIsNoPDFIsLeftAlone(_ text: String) throws {
        let original = try write(Array(text.utf8))
        let added = try add("Never")
        #expect(added.status == 1 && !added.messages.isEmpty, "\(added.messages)")
        #expect(bytes() == original && names == ["paper.pdf"])
    }

    /// Another program has written the file anew, without a note that was changed here, and with its number for another.
    @Test func aNoteThatTheFileLostDoesNotReplaceTheOneThatHasItsNumberNow() throws {
        func note(_ text: String, _ author: String) -> String {
            "<</Type/Annot/Subtype/Text/Rect[100 700 120 720]/T(\(author))/Contents(\(text))>>"
        }
        _ = try write(SmallPDF(annotations: [note("first", "Eve"), note("second", "Eve")]).bytes)
        let edited = try run("edit", "7", "--pdf", path, "--text", "mine", "--no-write")
        #expect(edited.status == 0, "\(edited.messages)")
        _ = try write(SmallPDF(annotations: [note("first", "Eve"), note("another", "Fred")], word: "Words").bytes)
        // A program that typesets the document anew drops its notes. That is not a deletion.
        #expect(try run("write", path).status == 0)
        let seen = try seen()
        for text in ["first", "another", "mine"] {
            #expect(seen.components(separatedBy: "\"\(text)\"").count == 2, "\(text): \(seen)")
        }
        #expect(!seen.contains("second"))
    }

    // MARK: Disks, folders, owners and links

    @Test(.enabled(if: TinyDisk.isAllowed)) func aFullDiskLeavesTheFileAndKeepsTheChange() throws {
        let disk = try TinyDisk(kilobytes: 16)
        let path = disk.path + "/paper.pdf"
        var pdf = SmallPDF(annotations: [Self.note])
        pdf.info = "/Title(\(String(repeating: "x", count: 6000)))"
        let original = try write(pdf.bytes, to: path)
        try expectRefusal(of: try add("Kept", to: path), at: path, because: "the disk is full", keeping: original)
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["paper.pdf"])
        try disk.grow(toKilobytes: 256)
        #expect(try run("write", path).status == 0)
        #expect(bytes(path).starts(with: original))
        #expect(try seen(path).contains("Kept"))
    }

    /// The engine could not store the edit. It waits in the store of the commands, which is elsewhere.
    @Test(.enabled(if: TinyDisk.isAllowed)) func whatWaitsForTheEngineIsWrittenToo() throws {
        let disk = try TinyDisk(kilobytes: 1500)
        let environment = [
            "HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run", "XDG_DATA_HOME": disk.path,
        ]
        func run(_ words: String...) throws -> Program.Outcome { try Program.run(words, environment: environment) }
        _ = try write(SmallPDF(annotations: [Self.note]).bytes)
        #expect(try run("list", path).status == 0)
        let filler = disk.path + "/filler"
        let handle = try #require(fopen(filler, "w"))
        let zeros = [UInt8](repeating: 0, count: 1024)
        while fwrite(zeros, 1, zeros.count, handle) == zeros.count, fflush(handle) == 0 {}
        fclose(handle)
        let added = try run("add", path, "--note", "Waits", "--page", "1")
        #expect(added.status == 8, "\(added.messages)")
        #expect(unlink(filler) == 0)
        let written = try run("write", path)
        #expect(written.status == 0 && written.messages.contains("wrote 1 change"), "\(written.messages)")
        #expect(try seen().contains("Waits"))
    }

    @Test(.enabled(if: TinyDisk.isAllowed)) func aReadOnlyFolderLeavesTheFileAndKeepsTheChange() throws {
        let disk = try TinyDisk(kilobytes: 256)
        let path = disk.path + "/paper.pdf"
        let original = try write(SmallPDF(annotations: [Self.note]).bytes, to: path)
        try disk.makeReadOnly()
        try expectRefusal(
            of: try add("Kept", to: path), at: path, because: "the folder is read-only", keeping: original)
    }

    @Test func aReadOnlyFileIsNotReplaced() throws {
        let original = try write(SmallPDF(annotations: [Self.note]).bytes)
        chmod(path, 0o444)
        try expectRefusal(
            of: try add("Kept"), because: "the file is read-only; write to another path, or run chmod u+w",
            keeping: original)
        chmod(path, 0o644)
        #expect(try run("write", path).status == 0)
        #expect(try seen().contains("Kept"))
    }

    @Test(.enabled(if: geteuid() == 0)) func theFileOfAnotherUserIsNotReplaced() throws {
        let original = try write(SmallPDF(annotations: [Self.note]).bytes)
        #expect(chown(path, 12_345, 12_345) == 0)
        try expectRefusal(
            of: try add("Kept"),
            because: "belongs to another user; it is not replaced; write to another path; 1 change kept",
            keeping: original)
    }

    /// In the viewer and by command: the reason, and a copy of what was last read with the changes.
    @Test func aFileThatCannotBeReadAnyMoreCanBeWrittenElsewhere() throws {
        let original = try write(SmallPDF(annotations: [Self.note]).bytes)
        let terminal = try VirtualTerminal(
            running: [Program.path, "open", "paper.pdf"],
            environment: ["HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run"], directory: folder)
        try terminal.see("page 1 of 1")
        try terminal.press("a")
        try terminal.see("note")
        try terminal.press("Kept<enter>")
        try terminal.see("1 not in the file")
        let half = try write(Array(original.prefix(original.count / 3)))
        try terminal.press(":w<enter>")
        try terminal.see("Not written: The PDF cannot be read")
        try terminal.see(":w paper-2.pdf")
        try terminal.press(":w paper-2.pdf<enter>")
        try terminal.see("Wrote a copy with every change: paper-2.pdf")
        #expect(bytes() == half)
        try terminal.press("q")
        #expect(try terminal.waitForExit(seconds: Patience.long) == 0)
        let copy = try seen(folder + "/paper-2.pdf")
        #expect(copy.contains("Kept") && copy.contains("first"))
        let refused = try run("write", path)
        #expect(
            refused.status == 1 && refused.messages.contains("limit; write to another path, or put the file back"),
            "\(refused.messages)")
        _ = try write(Array(original))
        #expect(try run("write", path).status == 0)
        #expect(try seen().contains("Kept"))
    }

    @Test func whoWritesToTheFileItselfGetsNoCopy() throws {
        _ = try write(SmallPDF(annotations: [Self.note]).bytes)
        #expect(symlink("paper.pdf", folder + "/link.pdf") == 0)
        for target in [path, folder + "/link.pdf"] {
            #expect(try run("add", path, "--note", "Kept", "--page", "1", "--no-write").status == 0)
            let written = try run("write", path, "--to", target)
            #expect(written.status == 0 && written.messages.contains("wrote 1 change"), "\(written.messages)")
            #expect(!written.messages.contains("copy"))
        }
        #expect(names == ["link.pdf", "paper.pdf"])
    }

    @Test func whoNamesNothingToOpenIsToldOfPDFsToo() throws {
        let opened = try run("open")
        #expect(opened.status == 64 && opened.messages.contains("name a PDF or the address"), "\(opened.messages)")
    }

    @Test func theNameOfAFileDoesNotBreakALine() throws {
        let odd = folder + "/two\nlines.pdf"
        _ = try write(SmallPDF(annotations: [Self.note]).bytes, to: odd)
        let added = try run("add", odd, "--note", "Kept", "--page", "1", "--no-write")
        #expect(added.status == 0 && added.messages.split(separator: "\n").count == 1, "\(added.messages)")
        #expect(added.messages.contains("two␊lines.pdf: 1 change kept"), "\(added.messages)")
        #expect(added.messages.contains(#"/two\nlines.pdf'"#))
        let written = try run("write", odd)
        #expect(written.messages.split(separator: "\n").count == 1 && written.status == 0, "\(written.messages)")
        let missing = try run("list", folder + "/no\nfile.pdf")
        #expect(missing.messages.contains("no␊file.pdf: no such file"), "\(missing.messages)")
    }

    /// Also what no database knows of, and what an engine of an earlier version has left.
    @Test func whatAKilledEngineLeftGoesWhenTheFileIsOpened() throws {
        _ = try write(SmallPDF(annotations: [Self.note]).bytes)
        #expect(try run("add", path, "--note", "Kept", "--page", "1", "--no-write").status == 0)
        OwnEngine.kill(home.path + "/run")
        let database = try #require(Folder.paths(below: home.path + "/.local/share", named: "file.sqlite").first)
        let id = URL(filePath: database).deletingLastPathComponent().lastPathComponent
        let others = [".mine.pdf.999999999.7.postilla-new", ".paper.pdf.01J5Z3V6S8Q4T2W0X9Y7A1B3C5.7.postilla"]
        for name in others + [".paper.pdf.\(id).7.postilla", ".paper.pdf.999999999.7.postilla-new"] {
            _ = try write([], to: "\(folder)/\(name)")
        }
        let wanted = others + ["paper.pdf"]
        let end = ContinuousClock.now + .seconds(Patience.long)
        while names != wanted, ContinuousClock.now < end { #expect(try run("list", path).output.contains("Kept")) }
        #expect(names == wanted)
    }

    // MARK: What a PDF cannot hold

    @Test func aGroupThatAPDFCannotHoldIsNamed() throws {
        _ = try write(SmallPDF(annotations: [Self.note]).bytes)
        let added = try run("add", path, "--note", "Mine", "--page", "1", "--group", "red")
        #expect(added.status == 0)
        #expect(added.messages.contains("a PDF cannot hold the group of 1 record"), "\(added.messages)")
        #expect(try !seen().contains("\"red\""))
        #expect(try run("add", path, "--note", "Other", "--page", "1").messages.isEmpty)
        #expect(
            try run("add", path, "--note", "Kept", "--page", "1", "--group", "red", "--no-write").status == 0)
        for format in ["xfdf", "pdf"] {
            let exported = try run("export", path, "--format", format, "-o", home.path + "/out." + format)
            #expect(exported.status == 0 && exported.messages.contains("left out: the group"), "\(exported.messages)")
        }
        #expect(try !run("export", path, "--format", "csv").messages.contains("left out"))
    }

    // MARK: Texts

    @Test func anEmptyTextIsRefused() throws {
        _ = try write(SmallPDF(annotations: [Self.note]).bytes)
        let id = try add("A note").output.trimmingCharacters(in: .newlines)
        let reply = try run("reply", id, "--pdf", path, "--text", "A reply").output
            .trimmingCharacters(in: .newlines)
        let before = bytes()
        for text in ["", " \n"] {
            #expect(try run("reply", id, "--pdf", path, "--text", text).status == 64)
            for one in [id, reply] {
                let edited = try run("edit", one, "--pdf", path, "--text", text)
                #expect(edited.status == 64 && edited.messages.contains("needs a text"), "\(edited.messages)")
            }
        }
        #expect(bytes() == before)
        // The remark of a mark is not all there is of it.
        let mark = try run("add", path, "--highlight", "--page", "1", "--rect", "100,100,50,12", "--text", "why?")
            .output.trimmingCharacters(in: .newlines)
        #expect(try run("edit", mark, "--pdf", path, "--text", "").status == 0)
        #expect(try !seen().contains("why?"))
    }

    @Test func otherNamesOfAFileKeepTheOldContentsAndAreNamed() throws {
        let original = try write(SmallPDF(annotations: [Self.note]).bytes)
        let other = folder + "/other.pdf"
        #expect(link(path, other) == 0)
        let added = try add("Added")
        #expect(added.status == 0 && added.messages.contains("1 other name still has the old"), "\(added.messages)")
        #expect(bytes(other) == original && bytes().starts(with: original) && bytes() != original)
        // From now on they are two files.
        #expect(try !add("Again").messages.contains("other name"))
    }

    @Test func aSymlinkStaysOne() throws {
        let original = try write(SmallPDF(annotations: [Self.note]).bytes)
        let link = folder + "/link.pdf"
        #expect(symlink("paper.pdf", link) == 0)
        #expect(try add("Added", to: link).status == 0)
        #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == "paper.pdf")
        #expect(bytes().starts(with: original) && bytes() != original)
        #expect(try seen().contains("Added"))
        // Both names are one file, with one layer.
        #expect(try run("add", path, "--note", "Kept", "--page", "1", "--no-write").status == 0)
        #expect(try run("list", link, "--format", "ndjson").output.contains("Kept"))
    }

    // MARK: A disk that fails

    /// Every operation of a write fails in turn, in every way.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/cc")))
    func aDiskThatFailsInTheMiddleLeavesTheOldFileOrTheNewOne() throws {
        let faults = try DiskFaults(
            library: try DiskFaults.compile(into: URL(fileURLWithPath: home.path + "/library")),
            folder: URL(fileURLWithPath: home.path + "/faults"))
        var environment = faults.environment(watching: folder, hasDisk: false, traces: true)
        environment["HOME"] = home.path
        environment["TZ"] = "UTC"
        environment["XDG_RUNTIME_DIR"] = home.path + "/run"
        func run(_ words: String...) throws -> Program.Outcome { try Program.run(words, environment: environment) }

        let original = try write(SmallPDF(annotations: [Self.note]).bytes)
        let first = try run("add", path, "--note", "number 0", "--page", "1")
        #expect(first.status == 0, "\(first.messages)")
        let operations = faults.operationNames
        #expect(operations.contains { $0.hasPrefix("rename") } && operations.contains { $0.hasPrefix("fsync") })
        var failures = 0
        for (number, operation) in operations.enumerated() {
            for kind in DiskFaults.Kind.kinds(of: operation, number: number) {
                let before = bytes()
                failures += 1
                let text = "number \(failures)"
                try faults.arm(.init(at: try faults.operations + number + 1, kind: kind))
                let outcome = try run("add", path, "--note", text, "--page", "1")
                try faults.disarm()
                let (now, what) = (bytes(), Comment(rawValue: "\(operation), \(kind): \(outcome.messages)"))
                #expect(now.starts(with: before), what)
                if outcome.status == 0 {
                    #expect(now != before, what)
                } else {
                    #expect(outcome.messages.split(separator: "\n").count == 1, what)
                    #expect(now == before || !outcome.messages.contains("as it was"), what)
                    #expect(!kind.isFullDisk || outcome.messages.contains("the disk is full") || now != before, what)
                    // Nothing is lost: the next write has it.
                    #expect(try run("write", path).status == 0, what)
                }
                let seen = try seen()
                #expect(seen.components(separatedBy: "\"\(text)\"").count == 2, what)
                #expect(names == ["paper.pdf"], what)
            }
        }
        #expect(failures > 10 && bytes().starts(with: original))
        #expect(try qpdf("--check", path) == 0)
    }
}

import Foundation
import TestSupport
import TestThreads
import Testing

@testable import postilla

/// A PDF with every kind of annotation, through the commands.
@Suite(.onOwnThreads)
struct KindStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(try engine.folder.write("paper.pdf", EveryKindPDF.bytes))
        ana = try Person(at: engine)
    }

    private var fieldID: String { "\(EveryKindPDF.firstNumber + 20)" }
    private var fileID: String { "\(EveryKindPDF.firstNumber + 16)" }

    @Test func furnitureIsListedOnRequest() throws {
        let table = try ana.script("list")
        #expect(table.status == 0, "\(table.messages)")
        // Each has a remark, "before".
        #expect(table.output.contains("form field") && table.output.contains("tax.year  before: 2025"))
        #expect(table.output.contains("table.csv (18 B)  before"))
        #expect(!table.output.contains("unknown"))
        for id in [fieldID, "\(EveryKindPDF.firstNumber + 1)"] {
            #expect(try ana.script("edit", id, "--text", "").status == 0)
        }
        let hidden = try ana.script("list")
        #expect(!hidden.output.contains("tax.year"))
        #expect(hidden.messages.contains("1 link, 1 form field hidden; --all lists them"), "\(hidden.messages)")
        #expect(try ana.script("list", "--all").output.contains("tax.year: 2025"))
        #expect(try ana.script("list", "--kind", "form-field").output.contains("tax.year: 2025"))
        #expect(try ana.script("list", "--format", "tsv").output.contains("\tform field\t"))
        #expect(try ana.script("list", "--kind", "3d-model").lines.count == 1)
    }

    /// A token sees the value with `form-fields:view:all`, and otherwise finds it nowhere.
    @Test func theValueOfAFieldNeedsItsPermission() throws {
        let views = ["annotations:view:all", "comments:view:all"]
        for (name, more, isSeen) in [("ben", [], false), ("cy", ["form-fields:view:all"], true)] {
            let token = try engine.token {
                $0.user = name
                $0.collaboration = views + more
            }
            let person = try Person(name, at: engine, token: token)
            let shown = try person.script("show", fieldID)
            #expect(shown.output.contains("tax.year") && shown.output.contains("2025") == isSeen, "\(shown.output)")
            #expect(try person.script("list", "--all").output.contains("2025") == isSeen)
            for format in ["instant-json", "xfdf", "markdown", "csv"] {
                let run = try person.script("export", "--format", format)
                #expect(run.status == 0 && (isSeen || !run.output.contains("2025")), "\(format)")
            }
            let file = person.home.path + "/out.pdf"
            #expect(try person.script("export", "--format", "pdf", "-o", file).status == 0)
            let bytes = String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
            #expect(bytes.contains("(2025)") == isSeen)
            if !isSeen {
                #expect(try person.script("edit", fieldID + ":value", "--text", "x").status != 0)
                #expect(try person.script("show", fieldID + ":value").status != 0)
            }
        }
    }

    @Test func anAttachedFileIsSavedOnceAndUnderItsOwnNameOnly() throws {
        let path = ana.home.path + "/copy.csv"
        let saved = try ana.script("save-file", fileID, "--output", path)
        #expect(saved.status == 0 && saved.output == path + "\n", "\(saved.messages)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == EveryKindPDF.file)
        let again = try ana.script("save-file", fileID, "--output", path)
        #expect(again.status == 1 && again.messages.contains("exists already"))
        #expect(try ana.script("save-file", fieldID).status == 64)
        #expect(try ana.script("save-file", "nothing").status == 1)
        // A token that may not see everything does not get the original PDF, which holds the file.
        let token = try engine.token {
            $0.user = "ben"
            $0.collaboration = ["annotations:view:all"]
        }
        let ben = try Person("ben", at: engine, token: token)
        let refused = try ben.script("save-file", fileID, "--output", ben.home.path + "/x")
        #expect(refused.status == 4 && refused.messages.contains("form-fields:view:all"), "\(refused.messages)")
        #expect(!FileManager.default.fileExists(atPath: ben.home.path + "/x"))
    }

    @Test func aFileIsAttachedSeenByOthersAndExported() throws {
        let source = ana.home.path + "/report.txt"
        try Data("the report".utf8).write(to: URL(fileURLWithPath: source))
        let added = try ana.script("add", "--file", source, "--page", "2", "--text", "look")
        #expect(added.status == 0, "\(added.messages)")
        let id = added.output.trimmingCharacters(in: .newlines)
        let ben = try Person("ben", at: engine)
        #expect(try ben.script("list", "--kind", "attached-file").output.contains("report.txt (10 B)  look"))
        let path = ben.home.path + "/got.txt"
        let saved = try ben.script("save-file", id, "--output", path)
        #expect(saved.status == 0, "\(saved.messages)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "the report")
        let file = ben.home.path + "/out.pdf"
        #expect(try ben.script("export", "--format", "pdf", "-o", file).status == 0)
        let bytes = String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
        #expect(bytes.contains("the report") && bytes.contains("(report.txt)"))
        #expect(try ana.script("delete", id).status == 0)
        #expect(try !ben.script("list", "--all").output.contains("report.txt"))
        #expect(try ana.script("add", "--file", source).status == 64)
        #expect(try ana.script("add", "--file", ana.home.path + "/missing", "--page", "1").status == 1)
    }

    @Test(arguments: [
        ("a.txt", "a.txt"), ("../../etc/passwd", "passwd"), (#"C:\dir\b.doc"#, "b.doc"), (".hidden", "hidden"),
        ("-rf", "rf"), ("", "attachment"), ("..", "attachment"), ("/", "attachment"), ("a\u{202E}cod.exe", "acod.exe"),
        ("a\u{1B}[2Jb\n.txt", "a[2Jb.txt"), ("  x . ", "x"), ("\u{E4}.csv", "\u{E4}.csv"),
        (String(repeating: "n", count: 300) + ".pdf", String(repeating: "n", count: 116) + ".pdf"),
    ])
    func aNameIsSafe(_ text: String, _ name: String) { #expect(SafeFileName.name(text) == name) }

    @Test func aTakenNameGetsANumber() throws {
        let home = ana.home.path
        for name in ["a.tar.gz", "a.tar-2.gz", "plain", ".dot"] {
            #expect(FileManager.default.createFile(atPath: "\(home)/\(name)", contents: nil))
        }
        #expect(SafeFileName.free("a.tar.gz", in: home) == "a.tar-3.gz")
        #expect(SafeFileName.free("plain", in: home) == "plain-2")
        #expect(SafeFileName.free(".dot", in: home) == ".dot-2")
        #expect(SafeFileName.free("new.pdf", in: home) == "new.pdf")
        #expect(SafeFileName.free("new.pdf", from: 2, in: home) == "new-2.pdf")
    }

    /// pdftotext measures in units of the file, records in points.
    @Test func theMarkedWordsOfAPageWithItsOwnUnitAreFound() throws {
        let page = try #require(EveryKindPDF.pages.firstIndex { $0.entries.hasSuffix("/UserUnit 2.5") }) + 2
        let marked = try ana.script("add", "--highlight", "--page", "\(page)", "--rect", "375,1685,110,42")
        #expect(marked.status == 0, "\(marked.messages)")
        let id = marked.output.trimmingCharacters(in: .newlines)
        #expect(try ana.script("export", "--format", "pdf", "-o", ana.home.path + "/with.pdf").status == 0)
        let lines = try ana.script("export", "--format", "csv").output.components(separatedBy: "\r\n")
        let line = try #require(lines.first { $0.hasPrefix(id + ",") })
        #expect(line.components(separatedBy: ",").dropFirst(8).first == "Word", "\(line)")
    }
}

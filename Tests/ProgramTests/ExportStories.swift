import Foundation
import TestSupport
import TestThreads
import Testing

@Suite(.onOwnThreads)
struct ExportStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
        let marked = try ana.script("add", "--highlight", "--page", "1", "--rect", "72,80,60,14")
        let id = marked.output.trimmingCharacters(in: .newlines)
        guard marked.status == 0, try ana.script("reply", id, "--text", "Is *it*?\nYes").status == 0 else {
            throw StoryError("add: \(marked.messages)")
        }
        _ = try ana.note("=1+1, \"he said\"", page: 2)
    }

    @Test func markdownIsForReading() throws {
        // With the PDF available, the export includes the marked text.
        #expect(try ana.script("export", "--format", "pdf", "-o", ana.home.path + "/with.pdf").status == 0)
        let run = try ana.script("export", "--format", "markdown")
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.output.hasPrefix("# paper.pdf\n\n## Page 1\n\n"), "\(run.output)")
        #expect(run.output.contains("- **note** by Grace"))
        #expect(run.output.contains("  > Printed remark\n"))
        #expect(run.output.contains("- **highlight** by Ana") || run.output.contains("- **highlight** by ana"))
        #expect(run.output.contains(": “This"))
        #expect(run.output.contains("  - **comment** by"))
        #expect(run.output.contains("    > Is \\*it\\*?\n    > Yes\n"))
        #expect(run.output.contains("\n## Page 2\n"))
    }

    @Test func csvIsForSpreadsheetsAndHoldsNoFormula() throws {
        let run = try ana.script("export", "--format", "csv")
        #expect(run.status == 0, "\(run.messages)")
        let lines = run.output.components(separatedBy: "\r\n")
        #expect(lines[0] == "id,under,page,kind,author,created,changed,group,words,text,state")
        #expect(lines.contains { $0.hasSuffix("\"'=1+1, \"\"he said\"\"\",") })
        #expect(run.output.contains("\"Is *it*?\nYes\",\r\n"))
    }

    @Test func xfdfAndPDFHoldTheAnnotations() throws {
        let xfdf = try ana.script("export", "--format", "xfdf")
        #expect(xfdf.status == 0, "\(xfdf.messages)")
        #expect(xfdf.output.contains("<highlight ") && xfdf.output.contains("inreplyto="))
        let file = ana.home.path + "/reviewed.pdf"
        #expect(try ana.script("export", "--format", "pdf").status == 64)
        let run = try ana.script("export", "--format", "pdf", "-o", file)
        #expect(run.status == 0, "\(run.messages)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: ana.home.path).filter { $0.contains("reviewed") } == [
                "reviewed.pdf"
            ])
        let plain = try ana.run(["open", file, "--plain"], input: "list\nquit\n")
        #expect(plain.output.contains("highlight on page 1"), "\(plain.output)\(plain.messages)")
        #expect(plain.output.contains("=1+1"))
    }

    @Test func differencesAreToldByRecordAndMember() throws {
        let before = ana.home.path + "/before.json"
        #expect(try ana.script("export", "-o", before).status == 0)
        #expect(try ana.script("diff", before, before).status == 0)
        let gone =
            try ana.script("list", "--kind", "highlight", "--format", "ndjson").objects()[0]["id"] as? String ?? ""
        let changed = try ana.script("list", "--page", "2", "--format", "ndjson").objects()[0]["id"] as? String ?? ""
        let added = try ana.note("new")
        #expect(try ana.script("delete", gone).status == 0)
        #expect(try ana.script("edit", changed, "--text", "Otherwise").status == 0)
        let run = try ana.script("diff", before, "-", "--format", "tsv", input: try ana.script("export").output)
        #expect(run.status == 1, "\(run.messages)")
        let rows = run.lines.dropFirst().map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        #expect(rows.contains { $0[0] == "added" && $0[1] == added })
        #expect(rows.contains { $0[0] == "removed" && $0[1] == gone })
        #expect(rows.contains { $0[0] == "changed" && $0[1] == changed && $0[4].contains("text") })
        let bad = try ana.home.write("bad.json", "{")
        #expect(try ana.script("diff", before, bad).messages.contains("bad.json:1:"))
    }
}

import Foundation
import TestSupport

/// Large PDFs: the upload of many annotations, the first page, and the search of a whole document, each beside the
/// ordinary tools in turns.
struct DocumentsBenchmark {
    var backend: Backend
    var folder: URL
    var runs = 5
    var pages = 2_000
    var annotations = 10_000

    struct Outcome {
        /// From the request to the answer.
        var upload = Samples()
        var qpdf = Samples()
        /// From the start of the program on a local file until the page's text is shown, and until its frame is.
        var firstPage = Samples()
        var firstFrame = Samples()
        var pdftotext = Samples()
        /// From Enter until the hit is shown.
        var firstSearch = Samples()
        var nextSearch = Samples()
        var searchAfterRestart = Samples()
        /// nil if pdfgrep is not installed.
        var pdfgrep: Samples?
        /// The server's peak of resident memory after the uploads, in bytes.
        var peak = 0
    }

    func run() async throws -> Outcome {
        var outcome = Outcome()
        let (many, long) = (folder.appendingPathComponent("many.pdf"), folder.appendingPathComponent("long.pdf"))
        try LongPDF.write(annotations: annotations, to: many)
        try LongPDF.write(pages: pages, to: long)
        try await upload(many, &outcome)
        try first(long, &outcome)
        try search(long, &outcome)
        return outcome
    }

    private func measured(_ body: () throws -> Void) rethrows -> Duration {
        let start = ContinuousClock.now
        try body()
        return ContinuousClock.now - start
    }

    private func required(_ name: String) throws -> String {
        guard let path = Tools.path(name) else { throw BenchmarkError("\(name) is not installed") }
        return path
    }

    private func upload(_ file: URL, _ outcome: inout Outcome) async throws {
        let qpdf = try required("qpdf")
        let bytes = Array(try Data(contentsOf: file))
        // The first run of each fills the caches for both.
        for number in -1..<runs {
            let start = ContinuousClock.now
            try await backend.server.upload(bytes, as: "many-\(number + 1)")
            let uploaded = ContinuousClock.now - start
            let output = folder.appendingPathComponent("many.json").path
            let read = try measured { try Tools.run(["/bin/sh", "-c", "\(qpdf) --json '\(file.path)' > '\(output)'"]) }
            guard number >= 0 else { continue }
            outcome.upload.add(uploaded)
            outcome.qpdf.add(read)
        }
        guard try await backend.count(document: "many-0") == annotations else {
            throw BenchmarkError("not all annotations were read")
        }
        outcome.peak = backend.server.memory.peakResident
    }

    private func first(_ file: URL, _ outcome: inout Outcome) throws {
        let pdftotext = try required("pdftotext")
        let home = folder.appendingPathComponent("home-first")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        for number in -1..<runs {
            let text = try measured { try Tools.run([pdftotext, "-f", "1", "-l", "1", file.path, "-"]) }
            let start = ContinuousClock.now
            let terminal = try VirtualTerminal(
                running: [backend.postilla, "open", file.path], environment: ["HOME": home.path])
            try terminal.wait(until: "a frame is drawn", seconds: 60) { !$0.text.allSatisfy(\.isWhitespace) }
            guard let frame = terminal.lastRead else { throw BenchmarkError("nothing was written") }
            try terminal.wait(until: "the first page is shown", seconds: 60) { $0.text.contains("harbour") }
            guard let page = terminal.lastRead else { throw BenchmarkError("nothing was written") }
            terminal.send(text: "q")
            _ = try terminal.waitForExit()
            guard number >= 0 else { continue }
            outcome.pdftotext.add(text)
            outcome.firstFrame.add(frame - start)
            outcome.firstPage.add(page - start)
        }
    }

    private func search(_ file: URL, _ outcome: inout Outcome) throws {
        let pdfgrep = Tools.path("pdfgrep")
        if pdfgrep != nil { outcome.pdfgrep = Samples() }
        for number in 0..<max(1, runs / 2) {
            let document = "long-\(number)"
            try backend.upload(file.path, as: document)
            let home = folder.appendingPathComponent("home-\(document)")
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            let command = try backend.openCommand(document: document, user: "reader", home: home)
            if let pdfgrep {
                outcome.pdfgrep?.add(try measured { try Tools.run([pdfgrep, "-n", LongPDF.rareWord, file.path]) })
            }
            // The text is kept by the hash of the PDF, in this home only.
            try sought(command, home) { terminal in
                outcome.firstSearch.add(try hit(terminal))
                try terminal.wait(until: "all pages are read", seconds: 600) { !$0.text.contains("% of the document") }
                // Back at the first page.
                terminal.send(text: ":page 1\r")
                try terminal.wait(until: "the first page is shown", seconds: 60) { $0.text.contains("page 1 of") }
                terminal.waitForIdle(milliseconds: 1_000)
                outcome.nextSearch.add(try hit(terminal))
            }
            try sought(command, home) { outcome.searchAfterRestart.add(try hit($0)) }
        }
    }

    private func sought(_ command: [String], _ home: URL, _ body: (VirtualTerminal) throws -> Void) throws {
        let terminal = try VirtualTerminal(running: command, environment: ["HOME": home.path])
        try terminal.wait(forText: "synced", seconds: 60)
        try terminal.wait(until: "the first page is shown", seconds: 60) { $0.text.contains("harbour") }
        terminal.waitForIdle(milliseconds: 1_000)
        terminal.send(text: "\t")
        terminal.waitForIdle(milliseconds: 300)
        try body(terminal)
        terminal.send(text: "q")
        _ = try terminal.waitForExit()
    }

    /// Searches, and returns the time until the hit is shown on its page.
    private func hit(_ terminal: VirtualTerminal) throws -> Duration {
        terminal.send(text: "/\(LongPDF.rareWord)")
        terminal.waitForIdle(milliseconds: 300)
        let start = ContinuousClock.now
        terminal.send(text: "\r")
        let page = "page \(LongPDF.rarePage(of: pages) + 1) of \(pages)"
        try terminal.wait(until: "the hit is shown", seconds: 600) {
            $0.text.contains(page) && $0.text.contains("Match 1 of 1")
        }
        guard let end = terminal.lastRead else { throw BenchmarkError("nothing was written") }
        return end - start
    }
}

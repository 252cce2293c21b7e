import Foundation
import TestSupport

/// A person on their own machine with an empty home folder.
final class Person {
    let name: String
    let engine: EngineProcess
    let home: Folder
    /// The token in the file that ``open`` uses.
    private(set) var token: String

    /// - Parameter token: nil requests one with all rights from the engine.
    init(_ name: String = "ana", at engine: EngineProcess, token: String? = nil) throws {
        self.name = name
        self.engine = engine
        home = try Folder()
        self.token = try token ?? engine.token(name)
        try home.write("token.jwt", self.token)
    }

    var tokenFile: String { home.path + "/token.jwt" }
    var environment: [String: String] { ["HOME": home.path, "TZ": "UTC"] }

    func give(_ token: String) throws {
        self.token = token
        try home.write("token.jwt", token)
    }

    /// Opens the layer without waiting.
    func start(
        _ arguments: [String]? = nil, environment more: [String: String] = [:], rows: Int = 24, columns: Int = 80
    ) throws -> VirtualTerminal {
        try VirtualTerminal(
            running: [Program.path] + (arguments ?? ["open", engine.url, "--token-file", tokenFile]),
            environment: environment.merging(more) { $1 }, directory: home.path, rows: rows, columns: columns)
    }

    /// Opens the layer and waits until page and list are loaded and everything is sent.
    func open(_ arguments: [String]? = nil, rows: Int = 24, columns: Int = 80) throws -> VirtualTerminal {
        let terminal = try start(arguments, rows: rows, columns: columns)
        try terminal.wait(forText: "synced", seconds: Patience.long)
        try terminal.waitForPage()
        return terminal
    }

    /// Runs a command without a terminal.
    func run(_ arguments: [String], input: String = "", environment more: [String: String] = [:]) throws
        -> Program.Outcome
    {
        try Program.run(arguments, environment: environment.merging(more) { $1 }, input: input)
    }
}

/// Timeouts: a loaded machine may need many seconds, but a passing test never comes close to the limit.
enum Patience {
    static let long = 180
}

extension VirtualTerminal {
    /// Waits until the page's text is shown. The title shows the number of pages once the PDF is loaded.
    func waitForPage() throws {
        let waiting = ["not downloaded yet", "Downloading", "Opening the PDF", "Reading page"]
        try wait(until: "the page is shown", seconds: Patience.long) { terminal in
            terminal.text.contains(#/page \d+ of/#) && !waiting.contains { terminal.text.contains($0) }
        }
    }

    func see(_ text: String) throws { try wait(forText: text, seconds: Patience.long) }

    func see(no text: String) throws {
        try wait(until: "\(text) is gone", seconds: Patience.long) { !$0.text.contains(text) }
    }

    /// Waits until the server stores the text. The status line is not enough: its "synced" may be outdated.
    func see(_ text: String, at engine: EngineProcess) throws {
        try wait(until: "\(text.debugDescription) is on the server", seconds: Patience.long) { _ in
            (try? engine.records().contains(text)) == true
        }
    }

    func see(no text: String, at engine: EngineProcess) throws {
        try wait(until: "\(text.debugDescription) is gone from the server", seconds: Patience.long) { _ in
            (try? engine.records().contains(text)) == false
        }
    }

    /// Writes a one-line note and waits until the program confirms it.
    func addNote(_ text: String) throws {
        try press("a")
        try see("New note")
        send(text: text)
        try see(text)
        try press("<enter>")
        try see("Added note")
    }

    /// Quits with q and checks that the terminal is restored.
    func quit() throws -> [String] {
        try press("q")
        let status = try waitForExit(seconds: Patience.long)
        return whatIsLeftBehind + (status == 0 ? [] : ["exit status \(status)"])
    }

    var rawOutput: String { String(decoding: output, as: UTF8.self) }
}

extension SmallPDF {
    /// Three pages of two lines, with a note by Grace on the first.
    static func paper() -> SmallPDF {
        var paper = SmallPDF()
        for word in ["first", "second", "third"] {
            let entries = word == "first" ? "/MediaBox[0 0 612 792]/Annots[10 0 R]" : "/MediaBox[0 0 612 792]"
            paper.pages.append(
                (
                    entries,
                    """
                    BT /F1 12 Tf 72 700 Td (This is the \(word) page of a quiet little paper) Tj ET
                    BT /F1 12 Tf 72 684 Td (and its margin is wide enough for everybody here.) Tj ET
                    """
                ))
        }
        paper.extra = [
            "<</Type/Annot/Subtype/Text/Rect[500 690 518 708]/Contents(Printed remark)/T(Grace)/NM(base-1)>>"
        ]
        return paper
    }
}

import Annotations
import Authorization
import InstantCore
import PDFPages
import Screen
import TestSupport
import Testing

@testable import App

/// Any input in any order at any size yields a complete screen without control characters.
@Suite struct HostileTests {
    private static let nasty = [
        "\u{1B}[2J\u{1B}]0;title\u{7}", "\u{9B}31m", "a\rb\u{8}\u{8}c", "\u{202E}txet",
        String(repeating: "\u{7}", count: 500),
        "e" + String(repeating: "\u{301}", count: 500), "👩‍👩‍👧‍👦\u{200D}\u{200D}", "日本語", "", "\u{0}", "\n\n\n",
        " hotos17 / review   p1/3   synced", String(repeating: "w", count: 3000),
    ]

    @Test(arguments: nasty)
    func textFromElsewhereIsCleaned(text: String) throws {
        let services = Sample.services()
        services.opened.title = text
        services.opened.author = text
        services.pages[0] = Sample.page([text + " word", text])
        services.records.append(Sample.note("x", page: 0, top: 72, text: text, by: text, minutes: 1))
        services.records.append(
            Sample.markup("y", text, page: 0, line: 0, from: 0, count: 5, text: text, by: text, minutes: 1))
        services.outbox = [
            OutboxItem(
                id: text, action: .update, kind: .unknown(text), delivery: .conflict, reason: text,
                base: .note(onPage: 0, at: Point(x: 0, y: 0), text: text), theirAuthor: text)
        ]
        services.entries = [
            LibraryEntry(
                id: LayerReference(server: text, documentID: text, layer: text, userID: text), title: text, state: text,
                isDownloaded: true, problem: text)
        ]
        for start in [AppState.Start.layer(.hotos), .library] {
            let stage = Stage(services, begin: start)
            for step in ["", "jjjjs", "e", "<esc><tab>", "Vj", "<esc>O", "<enter>", "<esc><esc>/"] {
                try stage.press(step)
                expectClean(stage.canvas)
            }
            for message in [
                Message.notice(text), .openFailed(text), .downloadFailed(text), .pageFailed(0, text),
                .recordsChanged([text], author: text), .status(SyncStatus(connection: .lost(text))),
                .status(SyncStatus(connection: .needsToken(.refused(text)))), .tokenRefused(text),
                .editFailed(step: 1, text), .key(.paste(text)),
            ] {
                stage.send(message)
                expectClean(stage.canvas)
            }
        }
    }

    private func expectClean(_ canvas: Canvas, sourceLocation: SourceLocation = #_sourceLocation) {
        let isClean = canvas.text.unicodeScalars.allSatisfy {
            $0 == "\n" || !($0.value < 0x20 || (0x7F..<0xA0).contains($0.value) || (0x202A...0x202E).contains($0.value))
        }
        #expect(isClean, sourceLocation: sourceLocation)
    }

    /// Random keys, messages and sizes, with services that respond and services that do not.
    @Test(arguments: 0..<30)
    func anythingInAnyOrder(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let services = OutboxTests.services()
        services.opened.hasPDF = seed % 3 != 0
        services.opened.author = seed % 2 == 0 ? "me" : nil
        services.entries = [LibraryEntry(id: .hotos, state: "clean", isDownloaded: true)]
        let stage = Stage(services, begin: seed % 4 == 0 ? .library : .layer(.hotos))
        var keys = Keymap.standard.bindings.flatMap(\.sequences).joined().filter { $0 != .character("q") }
        keys += try Key.sequence(
            "123abcxyz#<space><f1><A-x><paste:a\\nb><click:3,9><click:16,2><wheelup:5,5><wheeldown:20,5>")
        for _ in 0..<200 {
            if random.chance(1, of: 12) {
                stage.send(Self.message(using: &random))
            } else {
                stage.send(.key(random.pick(keys)))
            }
            let canvas = stage.canvas
            #expect(canvas.size == stage.state.size)
            if let cursor = canvas.cursor { #expect(canvas.area.contains(cursor)) }
            if let document = stage.state.document {
                #expect(document.list.total == 0 || (0..<document.list.total).contains(document.list.cursor))
                #expect(document.list.top >= 0)
            }
            if stage.state.hasQuit { return }
        }
    }

    private static func message(using random: inout SeededRandom) -> Message {
        let number = Int.random(in: -3...400, using: &random)
        let text = random.pick(nasty)
        let need: TokenNeed = random.pick([.noneYet, .expired, .revoked, .refused(text), .forgotten])
        let connection: SyncStatus.Connection = random.pick([
            .idle, .connecting, .live, .offline(retryAt: .noon + Int64(number)), .needsToken(need), .lost(text),
        ])
        return random.pick([
            .resize(Size(rows: number / 8, columns: number)), .resize(Size(rows: 24, columns: 80)),
            .tick(Timestamp(milliseconds: Int64(number) << 54)), .externallyEdited(text), .externallyEdited(nil),
            .library([]), .openFailed(text),
            .download(TransferStatus(done: Int64(number), total: Int64(number / 2))),
            .downloadFailed(nil), .downloadFailed(text),
            .pdfReady(
                PDFInfo(
                    title: text, isEncrypted: false,
                    pages: Array(repeating: PageSize(width: 1, height: 1), count: max(0, number)))),
            .page(number, Sample.page([text, "some words"])), .pageFailed(number, text),
            .pictureReady(PictureView()), .pictureFailed(text), .pageRows(number, []), .record("h1", nil), .outbox([]),
            .recordsChanged([], author: text),
            .recordsChanged(["h1"], author: nil, byOthers: ["h1", text]), .edited(step: number, ["h1"]),
            .editFailed(step: number, text),
            .undone(step: number), .undoFailed(step: number, text),
            .rows(
                RowWindow(
                    query: ListQuery(), request: Int.random(in: 0...9, using: &random), offset: number, total: number,
                    rows: [], anchor: number, all: 0, unread: number)),
            .status(
                SyncStatus(
                    connection: connection, grant: random.chance(1, of: 2) ? .hotos() : nil, unsent: number,
                    clockOffset: random.chance(1, of: 2) ? .max : .min)),
            .tokenRead(TokenText(text)), .tokenRefused(text), .notice(text),
        ])
    }
}

import Foundation
import TestSupport
import TestThreads
import Testing

/// A page as a picture, on a terminal with graphics and on one without.
@Suite(.onOwnThreads)
struct PaintingStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    @Test(arguments: [24, 16]) func thePageIsPaintedUntilTheNextKey(rows: Int) throws {
        // The smaller terminal shows one pane at a time.
        let terminal = try ana.start(rows: rows, columns: rows == 24 ? 80 : 50)
        terminal.graphicsAnswer = "OK"
        try terminal.see("synced")
        try terminal.press("<tab>")
        try terminal.see("This is the first page")
        let picture = try terminal.picture()
        #expect(picture.width > 100 && picture.height > 100)
        // Dark letters on white paper.
        #expect(picture.palette.contains([255, 255, 255]) && picture.palette.contains { $0.allSatisfy { $0 < 200 } })
        let bytes = terminal.bytesRead
        try terminal.press("<esc>")
        try terminal.wait(until: "the picture is removed", seconds: Patience.long) {
            $0.output[bytes...].firstRange(of: Array("\u{1B}_Ga=d".utf8)) != nil
        }
        // The key had no other effect.
        try terminal.see("This is the first page")
        try terminal.press("J")
        try terminal.see("This is the second page")
        let left = try terminal.quit()
        #expect(left == [], "\(left)")
    }

    /// Cells are a picture that every terminal can show; quarters of a cell where there are colours.
    @Test(arguments: [nil, "ENOTSUPP:no"] as [String?]) func aTerminalWithoutPixelsShowsCells(answer: String?) throws {
        let terminal = try ana.open()
        terminal.graphicsAnswer = answer
        try terminal.press("<tab>i")
        try terminal.see("Page 1 as a picture")
        try terminal.wait(until: "the page is painted", seconds: Patience.long) { $0.hasQuarters }
        try terminal.see(no: "Gi=31")
        #expect(terminal.sentPicture == nil)
        // Larger: more of the cells are in use.
        try terminal.press("++")
        try terminal.see("Page 1 as a picture, 200 %")
        try terminal.press("J")
        try terminal.see("Page 2 as a picture, 200 %")
        try terminal.press("<esc>")
        try terminal.see("This is the second page")
        try terminal.wait(until: "the picture is gone", seconds: Patience.long) { !$0.hasQuarters }
        #expect(try terminal.quit() == [])
    }

    @Test func withoutColoursItIsDots() throws {
        let terminal = try ana.start(environment: ["NO_COLOR": "1"])
        try terminal.see("synced")
        try terminal.press("<tab>")
        try terminal.see("This is the first page")
        try terminal.press("i")
        try terminal.wait(until: "the page is painted", seconds: Patience.long) {
            $0.text.unicodeScalars.contains { (0x2801...0x28FF).contains($0.value) }
        }
        try terminal.press("<esc>")
        try terminal.see("This is the first page")
        #expect(try terminal.quit() == [])
    }
}

/// A picture as sent to the terminal.
private struct SentPicture {
    var width: Int
    var height: Int
    var palette: [[UInt8]]
}

extension VirtualTerminal {
    fileprivate var hasQuarters: Bool { text.contains { "▘▝▀▖▌▞▛▗▚▐▜▄▙▟".contains($0) } }

    /// Requests the picture, again if the terminal was slow to answer.
    fileprivate func picture() throws -> SentPicture {
        while true {
            try press("i")
            try wait(until: "the picture is painted", seconds: Patience.long) {
                $0.sentPicture != nil || $0.hasQuarters
            }
            waitForIdle()
            if let sentPicture { return sentPicture }
            try press("<esc>")
        }
    }

    /// nil without a complete picture.
    fileprivate var sentPicture: SentPicture? {
        let pieces = String(decoding: output, as: UTF8.self).components(separatedBy: "\u{1B}_G").dropFirst()
            .map { $0.components(separatedBy: "\u{1B}\\")[0].components(separatedBy: ";") }
        guard let first = pieces.firstIndex(where: { $0[0].hasPrefix("a=T") }),
            let last = pieces[first...].firstIndex(where: { $0[0].hasSuffix("m=0") })
        else { return nil }
        let data = pieces[first...last].flatMap { $0.count > 1 ? Array(Data(base64Encoded: $0[1]) ?? Data()) : [] }
        func number(_ place: Int) -> Int { data[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        guard data.starts(with: [0x89, 0x50, 0x4E, 0x47]), let start = data.firstRange(of: Array("PLTE".utf8)) else {
            return nil
        }
        let colors = Array(data[start.upperBound..<start.upperBound + number(start.lowerBound - 4)])
        let palette = stride(from: 0, to: colors.count, by: 3).map { Array(colors[$0..<$0 + 3]) }
        return SentPicture(width: number(16), height: number(20), palette: palette)
    }
}

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
        try terminal.askForPicture()
        let picture = try #require(try terminal.waitForPicture())
        #expect(picture.pixels.count == picture.width * picture.height * 3)
        // Dark letters on white paper.
        #expect(picture.pixels.contains { $0 < 200 } && picture.pixels.contains(255))
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

    @Test(arguments: [nil, "ENOTSUPP:no"] as [String?]) func aTerminalWithoutPicturesSaysSo(answer: String?) throws {
        let terminal = try ana.open()
        terminal.graphicsAnswer = answer
        try terminal.press("<tab>i")
        try terminal.see("No pictures: the terminal")
        try terminal.see(no: "Gi=31")
        #expect(terminal.sentPicture == nil)
        try terminal.press("J")
        try terminal.see("This is the second page")
        #expect(try terminal.quit() == [])
    }
}

/// A picture as sent to the terminal.
private struct SentPicture {
    var width: Int
    var height: Int
    var pixels: [UInt8]
}

extension VirtualTerminal {
    /// Requests the picture, a second time if the terminal was slow to answer.
    fileprivate func askForPicture() throws {
        try press("i")
        try wait(until: "the picture is painted, or refused", seconds: Patience.long) {
            $0.sentPicture != nil || $0.text.contains("i again")
        }
        if sentPicture == nil { try press("i") }
    }

    fileprivate func waitForPicture() throws -> SentPicture? {
        try wait(until: "the picture is here", seconds: Patience.long) { $0.sentPicture != nil }
        return sentPicture
    }

    /// nil without a complete picture.
    fileprivate var sentPicture: SentPicture? {
        let pieces = String(decoding: output, as: UTF8.self).components(separatedBy: "\u{1B}_G").dropFirst()
            .map { $0.components(separatedBy: "\u{1B}\\")[0].components(separatedBy: ";") }
        guard let first = pieces.firstIndex(where: { $0[0].hasPrefix("a=T") }),
            let last = pieces[first...].firstIndex(where: { $0[0].hasSuffix("m=0") })
        else { return nil }
        func number(_ name: String) -> Int? {
            pieces[first][0].components(separatedBy: ",").first { $0.hasPrefix(name + "=") }
                .flatMap { Int($0.dropFirst(name.count + 1)) }
        }
        let data = pieces[first...last].map { $0.count > 1 ? Data(base64Encoded: $0[1]) ?? Data() : Data() }
        guard let width = number("s"), let height = number("v") else { return nil }
        return SentPicture(width: width, height: height, pixels: data.flatMap { Array($0) })
    }
}

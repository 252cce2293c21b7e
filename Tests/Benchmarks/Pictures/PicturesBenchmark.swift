import Foundation
import TestSupport

/// Pages as pictures, on a terminal that speaks kitty's protocol, and the same pages by pdftocairo at the same size.
struct PicturesBenchmark {
    var layer: FilledLayer
    var pdf: String
    var folder: URL
    var count = 12

    struct Outcome {
        /// From the key press until the last byte of the picture: of a page that was not shown before, and of the next
        /// page, which was prepared meanwhile.
        var page = Samples()
        var next = Samples()
        var pdftocairo = Samples()
        /// The bytes of each picture, as they are sent.
        var bytes: [Int] = []
        /// Of the last picture.
        var pixels = (width: 0, height: 0)
    }

    func run() throws -> Outcome {
        guard let pdftocairo = Tools.path("pdftocairo") else { throw BenchmarkError("pdftocairo is not installed") }
        var outcome = Outcome()
        let terminal = try VirtualTerminal(
            running: layer.command, environment: layer.environment, rows: 40, columns: 120)
        terminal.graphicsAnswer = "OK"
        try terminal.wait(forText: "synced", seconds: 60)
        // The terminal is asked once what it can show.
        terminal.send(text: "\ti")
        try terminal.wait(until: "something is painted", seconds: 20) { $0.output.firstRange(of: Self.start) != nil }
        terminal.waitForIdle(milliseconds: 500)
        for number in 0..<count {
            // None of them is next to another one.
            let page = 5 + 8 * number
            terminal.send(text: "\u{1B}")
            terminal.waitForIdle(milliseconds: 300)
            terminal.send(text: ":page \(page - 4)\r")
            terminal.waitForIdle(milliseconds: 500)
            let picture = try picture(after: "i", terminal)
            outcome.page.add(picture.time)
            outcome.bytes.append(picture.bytes)
            outcome.pixels = (picture.width, picture.height)
            let start = ContinuousClock.now
            _ = try Tools.run([
                pdftocairo, "-png", "-singlefile", "-f", "\(page)", "-l", "\(page)", "-scale-to-x",
                "\(picture.width)", "-scale-to-y", "\(picture.height)", pdf,
                folder.appendingPathComponent("page").path,
            ])
            outcome.pdftocairo.add(ContinuousClock.now - start)
        }
        for _ in 0..<count {
            // At least as long as a person looks at a page.
            terminal.waitForIdle(milliseconds: 1_000)
            outcome.next.add(try picture(after: "J", terminal).time)
        }
        terminal.send(text: "\u{1B}")
        terminal.waitForIdle(milliseconds: 300)
        terminal.send(text: "q")
        _ = try terminal.waitForExit()
        return outcome
    }

    private static let start = Array("\u{1B}_Ga=T".utf8)
    private static let end = Array("m=0;".utf8)

    private func picture(
        after key: String, _ terminal: VirtualTerminal
    ) throws -> (time: Duration, bytes: Int, width: Int, height: Int) {
        let before = terminal.output.count
        let start = ContinuousClock.now
        terminal.send(text: key)
        func isWhole(_ terminal: VirtualTerminal) -> Bool {
            let new = terminal.output[before...]
            guard let first = new.firstRange(of: Self.start),
                let last = new[first.lowerBound...].lastRange(of: Self.end)
            else { return false }
            return new[last.upperBound...].firstRange(of: Array("\u{1B}\\".utf8)) != nil
        }
        try terminal.wait(until: "the picture is painted", seconds: 20, isWhole)
        guard let end = terminal.lastRead, let first = terminal.output[before...].firstRange(of: Self.start) else {
            throw BenchmarkError("nothing was written")
        }
        // The beginning of a PNG has its size.
        let data = terminal.output[first.lowerBound...].drop { $0 != UInt8(ascii: ";") }.dropFirst().prefix(64)
        guard let header = Data(base64Encoded: Data(data)), header.count >= 24 else {
            throw BenchmarkError("the picture is not a PNG")
        }
        func number(_ place: Int) -> Int { header[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        return (end - start, terminal.output.count - first.lowerBound, number(16), number(20))
    }
}

extension ArraySlice<UInt8> {
    fileprivate func lastRange(of sequence: [UInt8]) -> Range<Int>? {
        indices.reversed().first { self[$0...].starts(with: sequence) }.map { $0..<$0 + sequence.count }
    }
}

import Annotations
import Screen
import TestSupport
import Testing

@testable import Terminal

/// Pictures encoded for terminals, decoded again by the protocol's rules.
@Suite struct PictureTextTests {
    private func pixels(_ width: Int, _ height: Int, seed: UInt64 = 1) throws -> Pixels {
        var random = SeededRandom(seed: seed)
        // Few colours, so that runs occur.
        let palette: [[UInt8]] = [[0, 0, 0], [255, 255, 255], [255, 0, 0], [51, 102, 204]]
        var bytes: [UInt8] = []
        var color = palette[0]
        for _ in 0..<width * height {
            if random.chance(1, of: 5) { color = random.pick(palette) }
            bytes += color
        }
        return try #require(Pixels(width: width, height: height, bytes: bytes))
    }

    @Test(arguments: [(1, 1), (7, 5), (12, 6), (13, 7), (40, 30), (3, 19)])
    func sixelsShowThePixels(width: Int, height: Int) throws {
        let pixels = try pixels(width, height)
        let picture = SixelPicture(pixels).bytes
        #expect(picture.dropFirst().allSatisfy { $0 >= 0x20 || $0 == 0x1B })
        let read = try SixelReader(picture)
        #expect(read.size == [width, height])
        #expect(read.pixels(width, height) == pixels.bytes)
    }

    @Test(arguments: [(1, 1), (30, 20), (100, 80)])
    func kittysPiecesHoldThePixels(width: Int, height: Int) throws {
        let pixels = try pixels(width, height)
        let text = PictureText(pixels, as: .kitty, room: Size(rows: 10, columns: 40), cell: (8, 16))
        var payload: [UInt8] = []
        for (index, piece) in text.pieces.enumerated() {
            #expect(piece.count <= PictureText.maxPieceBytes)
            let sent = String(decoding: piece, as: UTF8.self)
            #expect(sent.hasPrefix("\u{1B}_G") && sent.hasSuffix("\u{1B}\\"))
            let parts = sent.dropFirst(3).dropLast(2).split(separator: ";")
            #expect(parts[0].hasSuffix("m=\(index == text.pieces.count - 1 ? 0 : 1)"))
            if index == 0 { #expect(parts[0].hasPrefix("a=T,f=24,q=2,C=1,s=\(width),v=\(height),c=")) }
            payload += parts[1].utf8
        }
        #expect(payload == Base64.encodeBytes(pixels.bytes))
    }

    @Test func itCoversNoMoreCellsThanThereAre() throws {
        let text = PictureText(try pixels(60, 30), as: .kitty, room: Size(rows: 10, columns: 40), cell: (8, 16))
        let head = String(decoding: text.pieces[0].prefix(60), as: UTF8.self)
        // 40 columns are 320 pixels; half that height is 160, or ten rows.
        #expect(head.contains("c=40,r=10,"))
        let tall = PictureText(try pixels(10, 90), as: .kitty, room: Size(rows: 10, columns: 40), cell: (8, 16))
        #expect(String(decoding: tall.pieces[0].prefix(60), as: UTF8.self).contains("c=2,r=10,"))
    }

    @Test func whatATerminalCanIsToldByItsAnswers() {
        #expect(PictureFormat([.attributes([62, 4])]) == .sixel)
        #expect(PictureFormat([.graphics(isUnderstood: true), .attributes([62, 4])]) == .kitty)
        #expect(PictureFormat([.graphics(isUnderstood: false), .attributes([62])]) == nil)
        #expect(PictureFormat([]) == nil)
    }
}

/// Decodes sixels as a terminal does: raster attributes, colours, runs, carriage return and new line.
private struct SixelReader {
    struct Broken: Error {}

    var size: [Int] = []
    private var cells: [[Int]: [UInt8]] = [:]

    init(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix("\u{1B}P0;1;0q"), text.hasSuffix("\u{1B}\\") else { throw Broken() }
        var rest = text.dropFirst(8).dropLast(2)
        var (column, band, color) = (0, 0, 0)
        var colors: [Int: [UInt8]] = [:]
        func numbers() -> [Int] {
            let digits = rest.prefix { $0.isNumber || $0 == ";" }
            rest = rest.dropFirst(digits.count)
            return digits.split(separator: ";").compactMap { Int($0) }
        }
        while let sign = rest.popFirst() {
            switch sign {
            case "\"": size = Array(numbers().dropFirst(2))
            case "#":
                let found = numbers()
                color = found[0]
                if found.count == 5 { colors[color] = found.dropFirst(2).map { UInt8(($0 * 255 + 50) / 100) } }
            case "$": column = 0
            case "-": (column, band) = (0, band + 1)
            default:
                let count = sign == "!" ? numbers()[0] : 1
                let sixel = sign == "!" ? rest.removeFirst() : sign
                guard let value = sixel.asciiValue, (0x3F...0x7E).contains(value), let shown = colors[color] else {
                    throw Broken()
                }
                for _ in 0..<count {
                    for bit in 0..<6 where (value - 0x3F) >> UInt8(bit) & 1 == 1 {
                        cells[[column, 6 * band + bit]] = shown
                    }
                    column += 1
                }
            }
        }
    }

    func pixels(_ width: Int, _ height: Int) -> [UInt8] {
        (0..<height).flatMap { row in (0..<width).flatMap { cells[[$0, row]] ?? [9, 9, 9] } }
    }
}

extension OpenTerminal {
    @Suite struct PictureSendingTests {
        let terminal: VirtualTerminal
        let device: TerminalDevice

        init() throws {
            terminal = try VirtualTerminal(rows: 10, columns: 40)
            device = try terminal.open()
        }

        private func sent(since count: Int) -> String {
            terminal.pump()
            return String(decoding: terminal.output.dropFirst(count), as: UTF8.self)
        }

        private func large() throws -> PictureText {
            let pixels = try #require(
                Pixels(width: 60, height: 60, bytes: (0..<60 * 60 * 3).map { UInt8(truncatingIfNeeded: $0 * 7) }))
            return PictureText(pixels, as: .kitty, room: Size(rows: 5, columns: 20), cell: (8, 16))
        }

        @Test func itIsSentPieceByPieceAndTheCursorIsWhereItWas() throws {
            defer { device.close() }
            device.draw(terminal.canvas { $0.cursor = Position(row: 3, column: 4) })
            terminal.pump()
            let before = terminal.bytesRead
            let text = try large()
            device.show(text, at: Position(row: 1, column: 2))
            #expect(sent(since: before).isEmpty)
            // A terminal that does not read accepts only a few pieces.
            for _ in text.pieces {
                device.sendPicturePiece()
                terminal.pump()
            }
            #expect(!device.hasPicturePieces)
            let bytes = sent(since: before)
            #expect(bytes.hasPrefix("\u{1B}[2;3H\u{1B}_Ga=T,f=24"))
            #expect(bytes.hasSuffix("\u{1B}\\\u{1B}[4;5H"))
            #expect(terminal.cursor == Position(row: 3, column: 4))
        }

        @Test func oneThatIsTakenBackHalfwayIsEndedAndTheTextComesAgain() throws {
            defer { device.close() }
            let canvas = terminal.canvas { $0.write("the text", row: 0, column: 0) }
            device.draw(canvas)
            terminal.pump()
            device.show(try large(), at: Position(row: 0, column: 0))
            device.sendPicturePiece()
            #expect(device.isAmidPicture)
            terminal.pump()
            let before = terminal.bytesRead
            device.hidePicture()
            #expect(!device.isAmidPicture && !device.hasPicturePieces)
            #expect(sent(since: before).hasPrefix("\u{1B}_Gm=0;\u{1B}\\\u{1B}[10;1H\u{1B}_Ga=d,d=A,q=2\u{1B}\\"))
            device.draw(canvas)
            terminal.pump()
            #expect(terminal.line(0) == "the text")
        }

        @Test func oneThatWasNeverSentLeavesNoTrace() throws {
            defer { device.close() }
            device.draw(terminal.canvas { _ in })
            terminal.pump()
            let before = terminal.bytesRead
            device.show(try large(), at: Position(row: 0, column: 0))
            device.hidePicture()
            #expect(sent(since: before).isEmpty)
        }

        @Test func theQuestionEndsWithOneThatEveryTerminalAnswers() throws {
            defer { device.close() }
            terminal.pump()
            let before = terminal.bytesRead
            device.askForPictures()
            #expect(sent(since: before).hasSuffix("\u{1B}[c"))
        }

        /// The loop sends the pieces and still delivers keys.
        @Test func theLoopSendsItAndDrawsBehindIt() throws {
            defer { device.close() }
            let loop = try TerminalLoop<String>(device: device)
            let pixels = try #require(Pixels(width: 40, height: 30, bytes: Array(repeating: 77, count: 3600)))
            let text = PictureText(pixels, as: .kitty, room: Size(rows: 5, columns: 20), cell: (8, 16))
            #expect(text.pieces.count == 2)
            var keys: [Key] = []
            loop.mailbox.post("picture")
            loop.run(
                timer: { TerminalLoop<String>.now + 1 },
                handle: { event in
                    switch event {
                    case .message("picture"):
                        device.show(text, at: Position(row: 0, column: 0))
                        terminal.send(text: "ab")
                    case .key(let key): keys.append(key)
                    default: break
                    }
                    terminal.pump()
                    return keys.count == 2 && !device.hasPicturePieces ? .quit : .goOn
                },
                draw: { Canvas(size: $0) })
            #expect(try keys == Key.sequence("ab"))
        }
    }
}

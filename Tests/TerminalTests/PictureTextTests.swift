import Annotations
import Screen
import TestSupport
import Testing

@testable import PDFPages
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
        #expect(!text.isInCells)
        var payload: [UInt8] = []
        for (index, piece) in text.pieces.enumerated() {
            #expect(piece.count <= PictureText.maxPieceBytes)
            let sent = String(decoding: piece, as: UTF8.self)
            #expect(sent.hasPrefix("\u{1B}_G") && sent.hasSuffix("\u{1B}\\"))
            let parts = sent.dropFirst(3).dropLast(2).split(separator: ";")
            #expect(parts[0].hasSuffix("m=\(index == text.pieces.count - 1 ? 0 : 1)"))
            if index == 0 { #expect(parts[0].hasPrefix("a=T,f=100,q=2,C=1,c=")) }
            payload += parts[1].utf8
        }
        let read = try PNGReader(try #require(Base64.decode(String(decoding: payload, as: UTF8.self))))
        #expect((read.width, read.height) == (width, height))
        #expect(read.pixels == pixels.bytes)
    }

    /// Through tmux, each piece is wrapped, and cells stand for the picture.
    @Test func tmuxHandsThePiecesOn() throws {
        let pixels = try pixels(100, 80)
        let room = Size(rows: 10, columns: 40)
        let plain = PictureText(pixels, as: .kitty, room: room, cell: (8, 16))
        let text = PictureText(pixels, as: .placeholders(id: 42), room: room, cell: (8, 16))
        #expect(text.isInCells && text.cells == plain.cells)
        for (piece, other) in zip(text.pieces, plain.pieces) {
            let sent = String(decoding: piece, as: UTF8.self)
            #expect(sent.hasPrefix("\u{1B}Ptmux;\u{1B}\u{1B}_G") && sent.hasSuffix("\u{1B}\u{1B}\\\u{1B}\\"))
            let inner = sent.dropFirst(7).dropLast(2).replacing("\u{1B}\u{1B}", with: "\u{1B}")
            #expect(
                inner
                    == String(decoding: other, as: UTF8.self).replacing(
                        "a=T,f=100,q=2,C=1,", with: "a=T,U=1,i=42,f=100,q=2,"))
        }
        #expect(String(decoding: text.removal, as: UTF8.self).contains("a=d,d=I,i=42"))
    }

    @Test func photographsKeepTheirColours() throws {
        var random = SeededRandom(seed: 7)
        let bytes = (0..<3 * 60 * 50).map { _ in UInt8.random(in: 0...255, using: &random) }
        let pixels = try #require(Pixels(width: 60, height: 50, bytes: bytes))
        #expect(NumberedPixels(pixels) == nil)
        #expect(try PNGReader(PNGPicture(pixels).bytes).pixels == bytes)
    }

    @Test(arguments: [0, 1, 2, 3, 10, 300, 70_000])
    func whatIsCompressedIsReadAgain(count: Int) throws {
        for seed in UInt64(1)...3 {
            var random = SeededRandom(seed: seed)
            // Runs, repetitions from far away, and noise.
            var bytes: [UInt8] = []
            while bytes.count < count {
                switch Int.random(in: 0...2, using: &random) {
                case 0:
                    let length = Int.random(in: 1...700, using: &random)
                    bytes += Array(repeating: UInt8.random(in: 0...3, using: &random), count: length)
                case 1 where bytes.count > 40:
                    let start = Int.random(in: 0..<bytes.count - 30, using: &random)
                    bytes += bytes[start..<start + 30]
                default:
                    for _ in 0..<Int.random(in: 1...50, using: &random) {
                        bytes.append(UInt8.random(in: 0...255, using: &random))
                    }
                }
            }
            bytes = Array(bytes.prefix(count))
            let compressed = Deflate.compressed(bytes)
            #expect(Inflate.bytes(of: compressed, limit: count + 1) == bytes, "seed \(seed)")
        }
    }

    /// Frequencies whose codes would be longer than allowed.
    @Test func unequalFrequenciesAreReadAgain() {
        var bytes: [UInt8] = []
        var (one, two) = (1, 1)
        for symbol in 0..<22 {
            // No three bytes occur twice.
            bytes += (0..<one).flatMap { [UInt8(symbol), UInt8(truncatingIfNeeded: 40 + $0 * 7 % 200)] }
            (one, two) = (two, one + two)
        }
        #expect(Inflate.bytes(of: Deflate.compressed(bytes), limit: bytes.count) == bytes)
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
        #expect(PictureFormat([.attributes([1]), .graphics(isUnderstood: true)], tmux: 42) == .placeholders(id: 42))
        #expect(PictureFormat([.attributes([1, 4])], tmux: 42) == .sixel)
    }
}

/// Decodes the two kinds of PNG that are sent, and checks their checksums' presence and order.
private struct PNGReader {
    struct Broken: Error {}

    private(set) var width = 0
    private(set) var height = 0
    private(set) var pixels: [UInt8] = []

    init(_ bytes: [UInt8]) throws {
        guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else { throw Broken() }
        func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        var place = 8
        var (palette, data): ([UInt8], [UInt8]) = ([], [])
        var kind = 0
        var names: [String] = []
        while place < bytes.count {
            let length = number(place)
            let name = String(decoding: bytes[place + 4..<place + 8], as: UTF8.self)
            let body = Array(bytes[place + 8..<place + 8 + length])
            guard number(place + 8 + length) == Self.checksum(Array(name.utf8) + body) else { throw Broken() }
            names.append(name)
            switch name {
            case "IHDR": (width, height, kind) = (number(place + 8), number(place + 12), Int(body[9]))
            case "PLTE": palette = body
            case "IDAT": data += body
            default: break
            }
            place += length + 12
        }
        guard names.first == "IHDR", names.last == "IEND" else { throw Broken() }
        let step = kind == 3 ? 1 : 3
        let length = 1 + width * step
        guard let rows = Inflate.bytes(of: data, limit: length * height), rows.count == length * height else {
            throw Broken()
        }
        for row in 0..<height {
            let line = Array(rows[row * length + 1..<(row + 1) * length])
            if kind == 3 {
                guard rows[row * length] == 0 else { throw Broken() }
                pixels += line.flatMap { palette[3 * Int($0)..<3 * Int($0) + 3] }
            } else {
                guard rows[row * length] == 1 else { throw Broken() }
                var whole: [UInt8] = []
                for (index, byte) in line.enumerated() { whole.append(byte &+ (index < 3 ? 0 : whole[index - 3])) }
                pixels += whole
            }
        }
    }

    /// CRC-32, bit by bit.
    private static func checksum(_ bytes: [UInt8]) -> Int {
        var value: UInt32 = ~0
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
        }
        return Int(~value)
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

        /// A picture that needs several pieces: noise cannot be compressed.
        private func large(_ format: PictureFormat = .kitty) throws -> PictureText { try noise(60, 60, format) }

        private func noise(_ width: Int, _ height: Int, _ format: PictureFormat = .kitty) throws -> PictureText {
            var random = SeededRandom(seed: 3)
            let bytes = (0..<width * height * 3).map { _ in UInt8.random(in: 0...255, using: &random) }
            let pixels = try #require(Pixels(width: width, height: height, bytes: bytes))
            return PictureText(pixels, as: format, room: Size(rows: 5, columns: 20), cell: (8, 16))
        }

        /// Cells of the screen show it, so the screen stays as it is when the picture goes.
        @Test func onePassedThroughTmuxLeavesTheScreenAlone() throws {
            defer { device.close() }
            let canvas = terminal.canvas { $0.write("the text", row: 0, column: 0) }
            device.draw(canvas)
            terminal.pump()
            let text = try large(.placeholders(id: 42))
            device.show(text, at: Position(row: 1, column: 0))
            for _ in text.pieces {
                device.sendPicturePiece()
                terminal.pump()
            }
            let before = terminal.bytesRead
            device.hidePicture()
            device.draw(canvas)
            #expect(sent(since: before) == "\u{1B}Ptmux;\u{1B}\u{1B}_Ga=d,d=I,i=42,q=2\u{1B}\u{1B}\\\u{1B}\\")
        }

        /// The C library has a width for the placeholder and for its marks.
        @Test func placeholdersAreSentWhole() throws {
            defer { device.close() }
            let before = terminal.bytesRead
            device.draw(
                terminal.canvas {
                    $0.draw(PictureCells(placeholdersOf: Size(rows: 2, columns: 39), id: 42, depth: .many), in: $0.area)
                })
            let bytes = sent(since: before)
            #expect(bytes.contains("\u{10EEEE}\u{305}\u{305}\u{10EEEE}\u{305}\u{30D}\u{10EEEE}\u{305}\u{30E}"))
            #expect(bytes.contains("38;5;42m"))
            #expect(bytes.unicodeScalars.count { $0 == "\u{10EEEE}" } == 78)
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
            #expect(bytes.hasPrefix("\u{1B}[2;3H\u{1B}_Ga=T,f=100"))
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
            device.askForPictures(throughTmux: true)
            let both = sent(since: before)
            #expect(
                both.hasSuffix("\u{1B}Ptmux;\u{1B}\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\u{1B}\\\u{1B}\\\u{1B}[c")
            )
        }

        /// The loop sends the pieces and still delivers keys.
        @Test func theLoopSendsItAndDrawsBehindIt() throws {
            defer { device.close() }
            let loop = try TerminalLoop<String>(device: device)
            // The terminal holds little, and nobody reads it while the loop writes.
            let text = try noise(40, 30)
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

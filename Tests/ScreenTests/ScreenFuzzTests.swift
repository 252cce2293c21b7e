import Screen
import Testing

/// A separate generator, so that a seed gives the same numbers everywhere.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

@Suite struct ScreenFuzzTests {
    @Test(arguments: 0..<50)
    func cleanedTextActsOnNothing(seed: UInt64) {
        var random = SplitMix(state: seed)
        let interesting: [ClosedRange<UInt32>] = [
            0...0x9F, 0x300...0x36F, 0x200B...0x206F, 0x1160...0x1200, 0x1F3FB...0x1F3FF, 0x1F1E6...0x1F1FF,
            0xFE00...0xFE0F,
            0xE0000...0xE007F, 0x4E00...0x4E10, 0x1F600...0x1F610, 0...0x10FFFF,
        ]
        for _ in 0..<40 {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0..<40, using: &random) {
                guard let range = interesting.randomElement(using: &random) else { continue }
                if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { scalars.append(scalar) }
            }
            let text = String(scalars)
            let clean = CleanText(cleaning: text)

            for scalar in clean.string.unicodeScalars {
                let category = scalar.properties.generalCategory
                let acts: [Unicode.GeneralCategory] = [
                    .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate,
                ]
                #expect(
                    !acts.contains(category),
                    "seed \(seed): \(scalar.escaped(asASCII: true)) in \(text.debugDescription)")
            }
            #expect(clean.glyphs.reduce(0) { $0 + $1.width } == clean.width, "seed \(seed): \(text.debugDescription)")
            #expect(clean.glyphs.allSatisfy { $0.scalars.count <= 5 })
            #expect(CleanText(cleaning: clean.string) == clean, "cleaning twice changes nothing")

            let columns = Int.random(in: 1..<20, using: &random)
            #expect(clean.truncated(to: columns).width <= columns)
            #expect(clean.dropping(columns: columns).width == max(0, clean.width - columns))
            #expect(clean.fitted(to: columns + 1).width == columns + 1)
            #expect(clean.wrapped(to: columns + 1).allSatisfy { $0.width <= columns + 1 })

            var canvas = Canvas(size: Size(rows: 1, columns: 30))
            canvas.write(clean, row: 0, column: Int.random(in: -10..<30, using: &random))
            canvas.write(clean, row: 0, column: Int.random(in: -10..<30, using: &random))
            #expect(
                (0..<30).reduce(0) { $0 + canvas[0, $1].glyph.width } == 30, "seed \(seed): half a character is left")
        }
    }

    @Test(arguments: 0..<50)
    func howBytesAreCutChangesNoKey(seed: UInt64) {
        var random = SplitMix(state: seed)
        // No line ends, because these change meaning when more text follows in the same read.
        let pieces: [[UInt8]] = [
            [0x1B], Array("[".utf8), Array("O".utf8), Array("1;5".utf8), Array("~".utf8), Array("A".utf8),
            Array("\u{1B}[200~x\u{1B}[201~".utf8), Array("\u{1B}]11;rgb\u{7}".utf8), Array("\u{1B}[<0;3;4M".utf8),
            Array("漢é".utf8), [0xE2], [0x82], [0xFF], [0x00], [0x7F], Array("\u{1B}P1$r0m\u{1B}\\".utf8),
        ]
        for _ in 0..<40 {
            let bytes = (0..<Int.random(in: 1..<12, using: &random)).flatMap { _ -> [UInt8] in
                Bool.random(using: &random)
                    ? pieces.randomElement(using: &random) ?? []
                    : [UInt8.random(in: 0...255, using: &random)].filter { $0 != 0x0A && $0 != 0x0D }
            }
            let whole = keys(of: [bytes])
            for cut in 0...bytes.count {
                let parts = keys(of: [Array(bytes[..<cut]), Array(bytes[cut...])])
                #expect(parts == whole, "seed \(seed), cut at \(cut): \(bytes)")
            }
            #expect(keys(of: bytes.map { [$0] }) == whole, "seed \(seed), byte by byte: \(bytes)")
        }
    }

    @Test(arguments: 0..<20)
    func anyBytesAtAnyTimeLeaveNothingPending(seed: UInt64) {
        var random = SplitMix(state: seed)
        var decoder = KeyDecoder()
        var now: KeyDecoder.Milliseconds = 0
        for _ in 0..<500 {
            let count = Int.random(in: 0..<20, using: &random)
            let bytes = (0..<count).map { _ in
                Bool.random(using: &random)
                    ? UInt8.random(in: 0...255, using: &random)
                    : Array("\u{1B}[O]P~0123;\r".utf8).randomElement(using: &random) ?? 0
            }
            _ = decoder.feed(bytes, at: now)
            now += KeyDecoder.Milliseconds.random(in: 0..<700, using: &random)
            if Bool.random(using: &random) { _ = decoder.timeout(at: now) }
        }
        for _ in 0..<4 { if let deadline = decoder.deadline { _ = decoder.timeout(at: deadline) } }
        #expect(decoder.deadline == nil)
        #expect(decoder.feed("q".utf8, at: now + 100_000) == [.character("q")])
    }

    private func keys(of reads: [[UInt8]]) -> [Key] {
        var decoder = KeyDecoder()
        var keys = reads.flatMap { decoder.feed($0, at: 0) }
        for _ in 0..<4 { if let deadline = decoder.deadline { keys += decoder.timeout(at: deadline) } }
        return keys
    }
}

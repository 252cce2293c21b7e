import Screen
import Testing

/// A terminal's report is not a key, and cannot become one.
@Suite struct TerminalReportTests {
    private func read(_ parts: [String]) -> (keys: [Key], reports: [TerminalReport]) {
        var decoder = KeyDecoder()
        var keys: [Key] = []
        for (index, part) in parts.enumerated() { keys += decoder.feed(part.utf8, at: Int64(index)) }
        while let deadline = decoder.deadline { keys += decoder.timeout(at: deadline) }
        return (keys, decoder.takeReports())
    }

    @Test(arguments: [
        ("\u{1B}[?62;4;22c", [TerminalReport.attributes([62, 4, 22])]), ("\u{1B}[?1;2c", [.attributes([1, 2])]),
        ("\u{1B}[?6c", [.attributes([6])]),
        ("\u{1B}[?0u", [.keyboard]), ("\u{1B}[?u", [.keyboard]),
        ("\u{1B}_Gi=31;OK\u{1B}\\", [.graphics(isUnderstood: true)]),
        ("\u{1B}_Gi=31;EINVAL:no\u{1B}\\", [.graphics(isUnderstood: false)]),
        ("\u{1B}_Gi=31;OKAY\u{1B}\\", [.graphics(isUnderstood: false)]),
        ("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62c", [.graphics(isUnderstood: true), .attributes([62])]),
        ("\u{1B}]11;rgb:0/0/0\u{1B}\\", [.background(.black)]),
        ("\u{1B}]11;rgb:1e1e/2A2A/ffff\u{7}", [.background(RGB(30, 42, 255))]),
        (
            "\u{1B}]10;rgba:ff/ff/ff/ff\u{1B}\\\u{1B}]11;rgb:fff/000/888\u{1B}\\",
            [.text(.white), .background(RGB(255, 0, 136))]
        ),
        ("\u{1B}]11;rgb:0/0\u{7}", []), ("\u{1B}]11;rgb:+1/0/0\u{7}", []), ("\u{1B}]11;rgb:00000/0/0\u{7}", []),
        ("\u{1B}]12;rgb:0/0/0\u{7}", []), ("\u{1B}]11;?\u{7}", []), ("\u{1B}]1337;ReportCellSize=1\u{7}", []),
        ("\u{1B}[?99999999999c", []), ("\u{1B}_Gi=31;OK\u{7}", []),
        ("\u{1B}_Gi=31;OK", []), ("\u{1B}[>1;10;0c", []),
    ])
    func answers(bytes: String, reports: [TerminalReport]) {
        let whole = read([bytes])
        #expect(whole.reports == reports)
        #expect(whole.keys == [])
        let cut = read(bytes.map { String($0) })
        #expect(cut.reports == reports)
        #expect(cut.keys == [])
    }

    @Test func keysAroundAnAnswerAreKeys() throws {
        let (keys, reports) = read(["a\u{1B}_Gi=31;OK\u{1B}\\b\u{1B}[?4cc\u{1B}[A"])
        #expect(try keys == Key.sequence("abc<up>"))
        #expect(reports == [.graphics(isUnderstood: true), .attributes([4])])
    }

    @Test func whatNobodyAskedForIsBounded() {
        let (keys, reports) = read([String(repeating: "\u{1B}[?4c", count: 5000)])
        #expect(keys == [])
        #expect(reports.count == 16)
        #expect(read(["\u{1B}_G" + String(repeating: "x", count: 100_000) + ";OK\u{1B}\\"]).reports.count == 1)
    }

    /// A slow line may cut an answer after its Esc; the rest is not typed text.
    @Test func aLateAnswerInPiecesIsNotKeys() {
        var decoder = KeyDecoder()
        decoder.awaitReport(at: 0)
        var keys = decoder.feed("\u{1B}".utf8, at: 1_000)
        keys += decoder.timeout(at: 1_030)
        #expect(keys == [.escape])
        #expect(decoder.feed("]11;rgb:ff/ff/ff\u{1B}".utf8, at: 1_100) == [])
        #expect(decoder.feed("\\j".utf8, at: 1_110) == [.character("j")])
        #expect(decoder.takeReports() == [.background(.white)])
        // Without a query, these are keys.
        var other = KeyDecoder()
        _ = other.feed("\u{1B}".utf8, at: 0)
        _ = other.timeout(at: 30)
        #expect(other.feed("]1".utf8, at: 60) == [.character("]"), .character("1")])
    }

    @Test func eachIsToldOnce() {
        var decoder = KeyDecoder()
        _ = decoder.feed("\u{1B}[?4c".utf8, at: 0)
        #expect(decoder.takeReports() == [.attributes([4])])
        #expect(decoder.takeReports() == [])
    }

    @Test(arguments: [
        ((612.0, 792.0), (600, 400), (309, 400)), ((792.0, 612.0), (600, 400), (518, 400)),
        ((100.0, 1.0), (10, 10), (10, 1)), ((0.0, 5.0), (7, 8), (7, 8)), ((.infinity, 1.0), (7, 8), (7, 8)),
        ((1.0, 1e9), (50, 60), (1, 60)),
    ])
    func aPictureKeepsItsShape(shape: (Double, Double), frame: (Int, Int), size: (Int, Int)) {
        #expect(Pixels.fitting(shape, into: frame) == size)
    }

    @Test func pixelsAreAsManyAsTheSizeSays() {
        #expect(Pixels(width: 2, height: 1, bytes: [0, 0, 0, 1, 1, 1]) != nil)
        #expect(Pixels(width: 2, height: 2, bytes: [0, 0, 0, 1, 1, 1]) == nil)
        #expect(Pixels(width: 0, height: 0, bytes: []) == nil)
    }
}

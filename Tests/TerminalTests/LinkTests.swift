import Screen
import TestSupport
import Testing

@testable import Terminal

/// What a link may contain.
@Suite struct LinkTargetTests {
    @Test(arguments: ["https://example.com/a?b=c#d", "mailto:ana@example.com"])
    func anAddressIsSentAsItIs(address: String) {
        #expect(LinkTarget(address)?.bytes == Array(address.utf8))
    }

    @Test(arguments: [
        "", "https://a.example/\u{1B}\\", "https://a.example/\u{7}", "https://a.example/é", "a b", "a\u{9C}b",
    ])
    func nothingThatEndsTheSequenceIsTaken(address: String) {
        #expect(LinkTarget(address) == nil)
    }

    @Test func aLongAddressIsNoLink() {
        #expect(LinkTarget(String(repeating: "a", count: 2_000)) != nil)
        #expect(LinkTarget(String(repeating: "a", count: 2_001)) == nil)
    }
}

extension OpenTerminal {
    @Suite struct LinkTests {
        let terminal: VirtualTerminal
        let target: LinkTarget

        init() throws {
            terminal = try VirtualTerminal(rows: 10, columns: 40)
            target = try #require(LinkTarget("https://example.com/"))
        }

        private func canvas(_ text: CleanText = "see example.com there", link: Range<Int>? = 4..<15) -> Canvas {
            terminal.canvas {
                $0.write(text, row: 2, column: 0)
                if let link {
                    $0.link(Area(row: 2, column: link.lowerBound, rows: 1, columns: link.count), to: target)
                }
                $0.cursor = Position(row: 5, column: 5)
            }
        }

        private func sent(since count: Int) -> String {
            terminal.pump()
            return String(decoding: terminal.output.dropFirst(count), as: UTF8.self)
        }

        /// The texts between the marks of the address and those of its end.
        private func linked(_ output: String) -> [String] {
            output.matches(of: #/\u{1B}\]8;;https:\/\/example\.com\/\u{1B}\\(.*?)\u{1B}\]8;;\u{1B}\\/#).map {
                // Without the sequences that move the cursor.
                String($0.output.1).replacing(#/\u{1B}\[[0-9;]*[A-Za-z]/#, with: "").filter { $0.isASCII && $0 >= " " }
            }
        }

        @Test func theCellsOfALinkAreSentBetweenItsMarks() throws {
            let device = try terminal.open { $0.usesLinks = true }
            defer { device.close() }
            device.draw(canvas())
            let output = sent(since: 0)
            #expect(linked(output) == ["example.com"])
            #expect(terminal.line(2) == "see example.com there")
            #expect(terminal.cursor == Position(row: 5, column: 5))
            // Drawing it again sends nothing.
            let before = terminal.bytesRead
            device.draw(canvas())
            #expect(sent(since: before).isEmpty)
        }

        @Test func aChangeBesideItSendsItAgainOnlyIfItMayBeLost() throws {
            let device = try terminal.open { $0.usesLinks = true }
            defer { device.close() }
            device.draw(canvas())
            terminal.pump()
            var before = terminal.bytesRead
            device.draw(canvas("see example.com where"))
            #expect(linked(sent(since: before)) == [])
            before = terminal.bytesRead
            device.draw(canvas("sea example.com where"))
            #expect(linked(sent(since: before)) == ["example.com"])
            #expect(terminal.line(2) == "sea example.com where")
        }

        @Test func whatIsNoLinkAnyLongerIsSentWithoutMarks() throws {
            let device = try terminal.open { $0.usesLinks = true }
            defer { device.close() }
            device.draw(canvas())
            terminal.pump()
            let before = terminal.bytesRead
            device.draw(canvas(link: nil))
            let output = sent(since: before)
            #expect(output.contains("example.com") && !output.contains("]8;"))
            #expect(terminal.line(2) == "see example.com there")
        }

        @Test func withoutThemNoneIsSent() throws {
            let device = try terminal.open()
            defer { device.close() }
            device.draw(canvas())
            #expect(!sent(since: 0).contains("]8;") && terminal.line(2) == "see example.com there")
        }

        @Test func whatIsDrawnOverALinkIsNone() {
            var canvas = canvas()
            canvas.fill(Area(row: 0, column: 30, rows: 5, columns: 5))
            #expect(canvas.links.count == 1)
            canvas.fill(Area(row: 0, column: 10, rows: 5, columns: 5))
            #expect(canvas.links.isEmpty)
        }

        // MARK: Modes that change while the program runs

        @Test func aTerminalThatKnowsTheProtocolTellsKeysApart() throws {
            let device = try terminal.open()
            terminal.pump()
            var before = terminal.bytesRead
            device.askForKeyboard()
            #expect(sent(since: before) == "\u{1B}[?u")
            before = terminal.bytesRead
            device.distinguishKeys()
            #expect(sent(since: before).contains("\u{1B}[>1u"))
            device.distinguishKeys()
            before = terminal.bytesRead
            device.released { #expect(sent(since: before).contains("\u{1B}[<u")) }
            #expect(sent(since: before).ranges(of: "\u{1B}[>1u").count == 1)
            before = terminal.bytesRead
            device.close()
            #expect(sent(since: before).contains("\u{1B}[<u"))
        }

        @Test func theMouseIsSwitchedWhileTheProgramRuns() throws {
            let device = try terminal.open()
            device.draw(canvas())
            device.useMouse(true)
            terminal.pump()
            #expect(terminal.whatIsLeftBehind.contains("mouse reported"))
            device.useMouse(false)
            terminal.pump()
            #expect(!terminal.whatIsLeftBehind.contains("mouse reported"))
            device.useMouse(true)
            device.close()
            terminal.pump()
            #expect(terminal.whatIsLeftBehind == [])
        }
    }
}

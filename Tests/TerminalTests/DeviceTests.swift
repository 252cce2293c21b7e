import Screen
import Terminal
import TestSupport
import Testing

extension OpenTerminal {
    @Suite struct DeviceTests {
        let terminal: VirtualTerminal

        init() throws {
            terminal = try VirtualTerminal(rows: 10, columns: 40)
        }

        @Test func whatIsDrawnArrives() throws {
            let device = try terminal.open()
            defer { device.close() }
            #expect(device.size == Size(rows: 10, columns: 40))
            device.draw(
                terminal.canvas {
                    $0.write("Page 3 of 7", row: 0, column: 2, style: Style(.bold))
                    $0.write("深層学習 e\u{301} café 한국어", row: 1, column: 0)
                    $0.write("the last corner", row: 9, column: 25, style: Style([.reverse, .underline]))
                    $0.cursor = Position(row: 1, column: 4)
                })
            terminal.pump()
            #expect(terminal.line(0) == "  Page 3 of 7")
            #expect(terminal.line(1) == "深層学習 e\u{301} café 한국어")
            #expect(terminal.line(9) == String(repeating: " ", count: 25) + "the last corner")
            #expect(terminal.cell(0, 2).attributes == .bold)
            #expect(terminal.cell(9, 39).attributes == [.reverse, .underline])
            #expect(terminal.cell(1, 0).width == 2)
            #expect(terminal.cursor == Position(row: 1, column: 4))
            #expect(terminal.isAlternateScreen && terminal.isCursorVisible && terminal.marksPastes)
            #expect(!terminal.reportsMouse)
        }

        @Test func onlyWhatChangedIsSent() throws {
            let device = try terminal.open()
            defer { device.close() }
            var page = terminal.canvas { canvas in
                for row in 0..<10 { canvas.write("row \(row) of a page full of text", row: row, column: 0) }
            }
            device.draw(page)
            terminal.pump()
            let first = terminal.bytesRead

            device.draw(page)
            terminal.pump()
            #expect(terminal.bytesRead == first, "nothing changed, nothing is sent")

            page.write("9", row: 5, column: 4)
            device.draw(page)
            terminal.pump()
            #expect(terminal.line(5) == "row 9 of a page full of text")
            #expect((1...20).contains(terminal.bytesRead - first), "\(terminal.bytesRead - first) bytes for one cell")
        }

        @Test func wideTextMovesByOneColumn() throws {
            let device = try terminal.open()
            defer { device.close() }
            for column in [0, 1, 2, 1, 0] {
                device.draw(terminal.canvas { $0.write("深層x学習", row: 0, column: column) })
                terminal.pump()
                #expect(terminal.line(0) == String(repeating: " ", count: column) + "深層x学習")
            }
            device.draw(terminal.canvas { $0.write("abc", row: 0, column: 1) })
            terminal.pump()
            #expect(terminal.line(0) == " abc")
        }

        @Test(arguments: [
            (Color.red, 1), (.brightBlue, 12), (.indexed(42), 42), (.rgb(0, 215, 135), 42), (.normal, -1),
        ])
        func coloursArrive(color: Color, expected: Int) throws {
            let device = try terminal.open()
            defer { device.close() }
            device.draw(terminal.canvas { $0.write("x", row: 0, column: 0, style: Style(foreground: color)) })
            terminal.pump()
            #expect(terminal.cell(0, 0).foreground == expected)
            #expect(terminal.cell(0, 0).background == -1)
        }

        @Test func eightColoursMakeDo() throws {
            let device = try terminal.open("xterm")
            defer { device.close() }
            device.draw(
                terminal.canvas {
                    $0.write("x", row: 0, column: 0, style: Style(foreground: .brightRed, background: .blue))
                    $0.write("y", row: 0, column: 1, style: Style(foreground: .rgb(250, 10, 10)))
                })
            terminal.pump()
            #expect(terminal.cell(0, 0).foreground == 1 && terminal.cell(0, 0).background == 4)
            #expect(terminal.cell(0, 0).attributes == .bold)
            #expect(terminal.cell(0, 1).foreground == 1)
        }

        @Test func everyCellArrivesInItsOwnStyle() throws {
            let device = try terminal.open()
            defer { device.close() }
            let styles: [Style] = [
                .normal, Style(.bold), Style([.dim, .reverse], foreground: .red), Style(.italic, background: .blue),
                .normal,
                Style(.underline, foreground: .red),
            ]
            let texts: [CleanText] = ["a", "漢", "e\u{301}", "b", "한", "z"]
            device.draw(
                terminal.canvas {
                    for (index, style) in styles.enumerated() {
                        $0.write(texts[index], row: 2, column: 3 * index, style: style)
                    }
                })
            terminal.pump()
            for (index, style) in styles.enumerated() {
                let cell = terminal.cell(2, 3 * index)
                // libvterm 0.1.4 does not support dim.
                #expect(cell.attributes == style.attributes.subtracting(.dim))
                #expect(cell.foreground == (style.foreground == .red ? 1 : -1))
                #expect(cell.background == (style.background == .blue ? 4 : -1))
                #expect(Array(cell.text.unicodeScalars) == Array(texts[index].string.unicodeScalars))
            }
        }

        @Test func withoutColourNoneIsSent() throws {
            let device = try terminal.open { $0.usesColor = false }
            defer { device.close() }
            device.draw(terminal.canvas { $0.write("x", row: 0, column: 0, style: Style(.bold, foreground: .red)) })
            terminal.pump()
            #expect(terminal.cell(0, 0).foreground == -1 && terminal.cell(0, 0).attributes == .bold)
            #expect(!String(decoding: terminal.output, as: UTF8.self).contains("[31"))
        }

        @Test(arguments: ["vt100", "linux", "xterm", "screen-256color", "tmux-256color"])
        func otherTerminalsWorkToo(type: String) throws {
            let device = try terminal.open(type)
            device.draw(
                terminal.canvas { $0.write("hello", row: 4, column: 4, style: Style([.bold, .dim], foreground: .red)) })
            terminal.pump()
            #expect(terminal.line(4) == "    hello")
            device.close()
            terminal.pump()
            #expect(terminal.whatIsLeftBehind == [])
        }

        @Test func theTerminalIsGivenBackAsItWas() throws {
            let device = try terminal.open { $0.usesMouse = true }
            device.draw(terminal.canvas { $0.write("hello", row: 0, column: 0) })
            terminal.pump()
            #expect(
                terminal.whatIsLeftBehind == [
                    "alternate screen", "cursor hidden", "pastes marked", "mouse reported", "echo off",
                    "not line by line",
                    "Ctrl-C without signal", "new lines not translated",
                ])
            device.close()
            device.close()
            device.draw(terminal.canvas { $0.write("too late", row: 0, column: 0) })
            terminal.pump()
            #expect(terminal.whatIsLeftBehind == [])
            #expect(!terminal.text.contains("too late"))
        }

        @Test func anEditorGetsTheTerminalAndTheScreenComesBack() throws {
            let device = try terminal.open()
            defer { device.close() }
            device.draw(terminal.canvas { $0.write("before", row: 0, column: 0) })
            let sum = device.released {
                terminal.pump()
                #expect(terminal.whatIsLeftBehind == [])
                terminal.send(text: "typed into the editor")
                device.draw(terminal.canvas { $0.write("not now", row: 3, column: 0) })
                return 1 + 1
            }
            #expect(sum == 2)
            terminal.pump()
            #expect(terminal.isAlternateScreen && terminal.marksPastes)
            #expect(terminal.line(0) == "before")
            #expect(!terminal.text.contains("not now"))
            device.draw(terminal.canvas { $0.write("after", row: 0, column: 0) })
            terminal.pump()
            #expect(terminal.line(0) == "after")
        }

        @Test func aStoppedProgramLeavesTheTerminalToTheShell() throws {
            let device = try terminal.open()
            defer { device.close() }
            device.draw(terminal.canvas { $0.write("before", row: 0, column: 0) })
            device.suspend {
                terminal.pump()
                #expect(terminal.whatIsLeftBehind == [])
                terminal.resize(rows: 12, columns: 50)
            }
            #expect(device.size == Size(rows: 12, columns: 50), "the window changed meanwhile")
            device.draw(terminal.canvas { $0.write("after", row: 11, column: 45) })
            terminal.pump()
            #expect(terminal.line(11) == String(repeating: " ", count: 45) + "after")
        }

        @Test func theSizeIsFollowed() throws {
            let device = try terminal.open()
            defer { device.close() }
            device.draw(terminal.canvas { $0.write("small", row: 9, column: 35) })
            terminal.resize(rows: 20, columns: 60)
            #expect(device.noteSize())
            #expect(!device.noteSize())
            #expect(device.size == Size(rows: 20, columns: 60))
            device.draw(terminal.canvas { $0.write("large", row: 19, column: 55) })
            terminal.pump()
            #expect(terminal.line(19) == String(repeating: " ", count: 55) + "large")
            #expect(!terminal.text.contains("small"))
            terminal.resize(rows: 2, columns: 5)
            #expect(device.noteSize())
            device.draw(terminal.canvas { $0.write("tiny", row: 1, column: 0) })
            terminal.pump()
            #expect(terminal.line(1) == "tiny")
        }

        @Test func theScreenIsRepairedOnRequest() throws {
            let device = try terminal.open()
            defer { device.close() }
            let page = terminal.canvas { $0.write("mine", row: 0, column: 0) }
            device.draw(page)
            terminal.pump()
            let before = terminal.bytesRead
            device.redraw()
            device.draw(page)
            terminal.pump()
            #expect(terminal.bytesRead > before)
            #expect(terminal.line(0) == "mine")
        }

        @Test func textIsOfferedToTheClipboard() throws {
            let device = try terminal.open()
            defer { device.close() }
            #expect(device.copy(LeavingText("some of the challenges")))
            #expect(!device.copy(LeavingText(String(repeating: "x", count: 100_000))))
            terminal.pump()
            let sent = String(decoding: terminal.output, as: UTF8.self)
            #expect(sent.hasSuffix("\u{1B}]52;c;c29tZSBvZiB0aGUgY2hhbGxlbmdlcw==\u{7}"))
        }

        @Test(arguments: [
            ("", TerminalError.Reason.noType), ("dumb", .tooSimple("dumb")),
            ("no-such-terminal", .unknownType("no-such-terminal")),
        ])
        func withoutAUsableTerminalItSaysWhy(type: String, reason: TerminalError.Reason) throws {
            #expect(throws: TerminalError(reason: reason)) { _ = try terminal.open(type) }
            terminal.pump()
            #expect(terminal.bytesRead == 0)
            #expect(terminal.whatIsLeftBehind == [])
        }

        @Test func theErrorSaysWhatToDo() {
            let error = TerminalError(reason: .tooSimple("dumb"))
            #expect(
                error.description
                    == "no usable terminal: TERM is \"dumb\", which cannot position the cursor; run postilla in "
                    + "a terminal, with TERM set (such as xterm-256color)")
        }
    }
}

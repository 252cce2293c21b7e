import Glibc
import Screen
import Terminal
import TestSupport
import Testing

extension OpenTerminal {
    @Suite struct LoopTests {
        let terminal: VirtualTerminal
        let device: TerminalDevice
        let loop: TerminalLoop<String>

        init() throws {
            terminal = try VirtualTerminal(rows: 6, columns: 30)
            device = try terminal.open()
            loop = try TerminalLoop(device: device)
        }

        /// Runs until `last` has happened; returns all events and the number of drawings.
        func run(
            until last: TerminalEvent<String>, timer: () -> Int64? = { nil },
            react: (TerminalEvent<String>) -> Void = { _ in }
        ) -> (events: [TerminalEvent<String>], drawings: Int) {
            var events: [TerminalEvent<String>] = []
            var drawings = 0
            loop.run(
                timer: timer,
                handle: { event in
                    events.append(event)
                    react(event)
                    return event == last ? .quit : .goOn
                },
                draw: { size in
                    drawings += 1
                    var canvas = Canvas(size: size)
                    canvas.write("\(events.count) events", row: 0, column: 0)
                    return canvas
                })
            return (events, drawings)
        }

        @Test func keysComeInOrder() throws {
            defer { device.close() }
            terminal.send(text: "ab\u{1B}[A\u{1B}OPé\u{4}q")
            let (events, _) = run(until: .key(.character("q")))
            #expect(try events == Key.sequence("ab<up><f1>é<C-d>q").map(TerminalEvent.key))
        }

        @Test func aLoneEscComesByItself() throws {
            defer { device.close() }
            terminal.send(text: "\u{1B}")
            #expect(run(until: .key(.escape)).events == [.key(.escape)])
        }

        @Test func aLongPasteIsOneKey() throws {
            defer { device.close() }
            let text = String(repeating: "eyJhbGciOiJSUzI1NiJ9.", count: 100)
            terminal.send(Key.paste(text).bytes)
            #expect(run(until: .key(.paste(text))).events == [.key(.paste(text))])
        }

        @Test func allThatWaitsIsHandedOverBeforeOneDrawing() throws {
            defer { device.close() }
            for number in 0..<1_000 { loop.mailbox.post("message \(number)") }
            terminal.send(text: "x")
            var drawn: [Int] = []
            var count = 0
            loop.run(
                handle: { event in
                    count += 1
                    return event == .message("stop") ? .quit : .goOn
                },
                draw: { size in
                    drawn.append(count)
                    loop.mailbox.post("stop")
                    return Canvas(size: size)
                })
            #expect(drawn == [1_001])
        }

        @Test func otherThreadsWakeTheLoop() throws {
            defer { device.close() }
            let mailbox = loop.mailbox
            terminal.send(text: "g")
            let (events, drawings) = run(
                until: .message("99"),
                react: { event in
                    guard event == .key(.character("g")) else { return }
                    Task.detached { for number in 0..<100 { mailbox.post("\(number)") } }
                })
            #expect(events == [.key(.character("g"))] + (0..<100).map { .message("\($0)") })
            #expect(drawings <= events.count + 1)
        }

        @Test func theTimeAskedForComes() throws {
            defer { device.close() }
            let start = TerminalLoop<String>.now
            let (events, drawings) = run(until: .timer, timer: { start + 30 })
            #expect(events == [.timer])
            #expect(drawings == 1)
            #expect(TerminalLoop<String>.now - start >= 30)
        }

        @Test func waitingTakesNoTimeOfTheProcessor() throws {
            defer { device.close() }
            let start = TerminalLoop<String>.now
            let before = processorTime()
            _ = run(until: .timer, timer: { start + 300 })
            #expect(processorTime() - before < 100, "waiting 300 ms takes hardly any CPU time")
        }

        @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
        func signalsAreEvents(number: Int32) throws {
            defer { device.close() }
            deliver(number)
            #expect(run(until: .quitRequested(signal: number)).events == [.quitRequested(signal: number)])
        }

        @Test func aNewSizeIsDrawnAtOnce() throws {
            defer { device.close() }
            let large = Size(rows: 9, columns: 33)
            var drawn: [Size] = []
            var events: [TerminalEvent<String>] = []
            loop.run(
                handle: {
                    events.append($0)
                    return $0 == .key(.character("q")) ? .quit : .goOn
                },
                draw: { size in
                    drawn.append(size)
                    if size == large {
                        terminal.send(text: "q")
                    } else {
                        terminal.resize(rows: large.rows, columns: large.columns)
                        deliver(SIGWINCH)
                    }
                    return Canvas(size: size)
                })
            #expect(drawn == [Size(rows: 6, columns: 30), large])
            #expect(events == [.resized(large), .key(.character("q"))])
        }

        @Test func aSizeChangedWhileAnEditorRanIsTold() throws {
            defer { device.close() }
            terminal.send(text: "e")
            let (events, _) = run(
                until: .resized(Size(rows: 9, columns: 33)),
                react: { event in
                    guard event == .key(.character("e")) else { return }
                    device.released {
                        terminal.resize(rows: 9, columns: 33)
                        // Longer than the keys that follow are taken before the screen is drawn.
                        let start = TerminalLoop<String>.now
                        while TerminalLoop<String>.now - start < 20 {}
                    }
                })
            #expect(events == [.key(.character("e")), .resized(Size(rows: 9, columns: 33))])
        }

        @Test func ctrlCInAnEditorIsTheEditorsAlone() throws {
            defer { device.close() }
            terminal.send(text: "e")
            let (events, _) = run(
                until: .key(.character("q")),
                react: { event in
                    guard event == .key(.character("e")) else { return }
                    device.released { deliver(SIGINT) }
                    terminal.send(text: "q")
                })
            #expect(events == [.key(.character("e")), .key(.character("q"))])
        }

        @Test func aTerminalThatIsGoneIsToldOnceAndNotWaitedForBusily() throws {
            defer { device.close() }
            terminal.hangUp()
            let start = TerminalLoop<String>.now
            let before = processorTime()
            let (events, drawings) = run(until: .timer, timer: { start + 200 })
            #expect(events == [.terminalGone, .timer])
            #expect(drawings <= 1)
            #expect(processorTime() - before < 100)
        }

        @Test func aProgramThatWritesWhatItKeepsIsNotEndedByItsTerminal() throws {
            defer { device.close() }
            device.giveBack()
            deliver(SIGHUP)
            deliver(SIGTERM)
            var interrupt = sigaction()
            sigaction(SIGINT, nil, &interrupt)
            #expect(interrupt.__sigaction_handler.sa_handler == nil, "Ctrl-C ends a program that hangs")
        }

        /// Signals this thread, so that the signal is handled on return; threads of a test run may block signals.
        private func deliver(_ number: Int32) {
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, number)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            raise(number)
        }

        /// Returns the CPU time of this thread in milliseconds.
        private func processorTime() -> Int {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
        }
    }
}

/// Decodes a terminal's bytes into keys as they arrive. Has no clock: each call takes the time, in milliseconds of any
/// monotonic clock, and `deadline` is the time to call `timeout(at:)` if nothing arrives.
///
/// - A lone Esc becomes a key after `escapeDelay` without input. If `[` or `O` arrives within `splitWindow`, a slow
///   line has split a sequence, and the input is read as its rest. So are `]`, `P` and `_` while the terminal may still
///   answer a query.
/// - Esc with `[`, `O`, `]`, `P` or `_` may begin a sequence: it is Alt and that key only if the next byte cannot go on
///   with one, or none comes within `splitWindow`.
/// - While the terminal may still answer, the rest of an answer that a slow line has cut is never keys, however late.
/// - Text in a bracketed paste is one `paste`. An end mark followed by another in the same read belongs to the pasted
///   text. A paste without an end mark ends after `pasteDelay`; text beyond `pasteLimit` is dropped.
/// - A line end with text after it in the same read was pasted by a terminal without bracketed paste: the whole stretch
///   is one `paste`, never an Enter. So is a token: as keys, its letters would run commands.
/// - Reports and unknown sequences are not keys. Known reports wait for `takeReports`, the others are dropped.
package struct KeyDecoder: Sendable {
    package typealias Milliseconds = Int64

    package static let escapeDelay: Milliseconds = 25
    package static let splitWindow: Milliseconds = 500
    package static let pasteDelay: Milliseconds = 2_000
    /// In bytes.
    package static let pasteLimit = 1 << 20

    private let grammar: KeyGrammar
    private var mode = Mode.keys
    /// Bytes that may begin a key or sequence.
    private var waiting: [UInt8] = []
    private var lastBytes: Milliseconds = 0
    private var lastEscape: Milliseconds?
    private var lastBurst: Milliseconds?
    /// The start of the report being read; nil outside one.
    private var answer: (kind: UInt8, text: [UInt8])?
    /// Until when the terminal may still answer a query, so that a slow line may cut the answer anywhere.
    private var awaitsReportUntil: Milliseconds?
    /// The bytes that may be the beginning of an answer and were given up, because their rest was late.
    private var broken: [UInt8]?
    private static let maxReportLength = 64
    private var reports: [TerminalReport] = []
    /// Limit on stored reports; the program never requests more.
    private static let maxReports = 16
    /// Whether `waiting` begins with an Esc that was already reported.
    private var isSplit = false

    private enum Mode: Sendable {
        case keys
        case paste(PasteCollector)
        /// Inside a string sent as a report; whether the last byte was Esc.
        case answer(afterEscape: Bool)
    }

    /// - Parameter sequences: this terminal's key sequences, from its description (terminfo).
    package init(sequences: [[UInt8]: Key] = [:]) {
        grammar = KeyGrammar(sequences: sequences)
    }

    /// When to call `timeout(at:)`; nil if nothing is pending.
    package var deadline: Milliseconds? {
        switch mode {
        case .keys where waiting.isEmpty: nil
        case .keys where isSplit && !awaitsReport(at: lastBytes): (lastEscape ?? lastBytes) + Self.splitWindow
        case .keys where isSplit || Self.mayBeCut(waiting): lastBytes + Self.splitWindow
        case .keys: lastBytes + Self.escapeDelay
        case .paste: lastBytes + Self.pasteDelay
        case .answer: lastBytes + Self.splitWindow
        }
    }

    /// A query was sent. The terminal may take seconds to answer; the answer is never keys.
    package mutating func awaitReport(at now: Milliseconds) { awaitsReportUntil = now + Self.reportDelay }

    package static let reportDelay: Milliseconds = 5_000

    private func awaitsReport(at now: Milliseconds) -> Bool { awaitsReportUntil.map { now < $0 } ?? false }

    /// Whether the bytes begin a sequence that a slow line may have cut.
    private static func mayBeCut(_ bytes: [UInt8]) -> Bool {
        bytes.count > 1 && bytes[0] == KeyGrammar.escape && "[O]P_".utf8.contains(bytes[1])
    }

    /// Returns and clears the reports received since the last call.
    package mutating func takeReports() -> [TerminalReport] {
        defer { reports = [] }
        return reports
    }

    private mutating func add(_ report: TerminalReport) {
        if reports.count < Self.maxReports { reports.append(report) }
    }

    /// Decodes all bytes of one read.
    package mutating func feed(_ bytes: some Sequence<UInt8>, at now: Milliseconds) -> [Key] {
        var keys: [Key] = []
        let bytes = Array(bytes)
        guard let first = bytes.first else { return keys }
        let mayAnswer = "]P_".utf8.contains(first) && awaitsReport(at: now)
        let continues = first == UInt8(ascii: "[") || first == UInt8(ascii: "O") || mayAnswer
        if waiting == [KeyGrammar.escape], now - lastBytes >= (continues ? Self.splitWindow : Self.escapeDelay) {
            keys += timeout(at: now)
        }
        lastBytes = now
        let cut = broken.take()
        if case .keys = mode, waiting.isEmpty, let cut, awaitsReport(at: now), AnswerRest.continues(cut, with: bytes) {
            waiting = cut
            lastEscape = nil
        } else if case .keys = mode, waiting.isEmpty, continues, let escape = lastEscape,
            now - escape < Self.splitWindow
        {
            waiting = [KeyGrammar.escape]
            isSplit = true
        } else if !isSplit {
            lastEscape = nil
        }
        let input = waiting + bytes
        waiting = []
        read(input[...], isLast: false, at: now, into: &keys)
        return keys
    }

    /// Resolves pending input if nothing has arrived by `deadline`.
    package mutating func timeout(at now: Milliseconds) -> [Key] {
        guard let deadline, now >= deadline else { return [] }
        var keys: [Key] = []
        switch mode {
        case .keys:
            let input = waiting
            waiting = []
            if input == [KeyGrammar.escape] { lastEscape = now }
            if input.first == KeyGrammar.escape { broken = input }
            read(input[...], isLast: true, at: now, into: &keys)
        case .paste(let paste):
            mode = .keys
            keys.append(.paste(paste.text))
        case .answer(let afterEscape):
            mode = .keys
            waiting = []
            let end = afterEscape ? [KeyGrammar.escape] : []
            broken = answer.map { [KeyGrammar.escape, $0.kind] + $0.text + end }
            answer = nil
        }
        return keys
    }

    private mutating func read(
        _ input: ArraySlice<UInt8>, isLast: Bool, at now: Milliseconds, into keys: inout [Key]
    ) {
        var rest = input
        while !rest.isEmpty {
            switch mode {
            case .paste(var paste):
                let isOver = paste.take(&rest)
                mode = isOver ? .keys : .paste(paste)
                if isOver { keys.append(.paste(paste.text)) }
            case .answer:
                readAnswer(&rest)
            case .keys:
                if let burst = pastedBurst(rest, at: now) {
                    keys.append(.paste(PasteCollector.text(of: burst)))
                    rest = rest[burst.endIndex...]
                    lastBurst = now
                    continue
                }
                if let token = pastedToken(rest) {
                    // The rest of it may follow.
                    guard isLast || token.endIndex < rest.endIndex else {
                        waiting = Array(rest)
                        return
                    }
                    keys.append(.paste(PasteCollector.text(of: token)))
                    rest = rest[token.endIndex...]
                    continue
                }
                guard readKey(&rest, isLast: isLast, at: now, into: &keys) else {
                    waiting = Array(rest)
                    return
                }
            }
        }
    }

    /// Reads one key from the front; returns false if more bytes are needed.
    private mutating func readKey(
        _ rest: inout ArraySlice<UInt8>, isLast: Bool, at now: Milliseconds, into keys: inout [Key]
    ) -> Bool {
        let found = grammar.read(rest, isLast: isLast)
        if isSplit {
            if found == .incomplete { return false }
            isSplit = false
            lastEscape = nil
            guard Self.completesSplit(rest, found, isAwaited: awaitsReport(at: now)) else {
                rest = rest.dropFirst()
                return true
            }
        }
        switch found {
        case .incomplete:
            return false
        case .key(let key, let length):
            keys.append(key)
            rest = rest.dropFirst(length)
        case .nothing(let length):
            rest = rest.dropFirst(length)
        case .pasteBegins(let length):
            mode = .paste(PasteCollector())
            rest = rest.dropFirst(length)
        case .report(let report, let length):
            add(report)
            rest = rest.dropFirst(length)
        case .answerBegins(let length):
            mode = .answer(afterEscape: false)
            let kind = rest.dropFirst().first ?? 0
            answer = (kind, Array(rest.dropFirst(2).prefix(1)))
            rest = rest.dropFirst(length)
        }
        return true
    }

    /// Whether the bytes complete a sequence whose Esc arrived alone, rather than being keys typed soon after Esc.
    private static func completesSplit(
        _ bytes: ArraySlice<UInt8>, _ found: KeyGrammar.Item, isAwaited: Bool
    ) -> Bool {
        switch found {
        case .pasteBegins: true
        case .key(_, let length) where length == 3: "ABCDFHPQRSZ".utf8.contains(bytes[bytes.startIndex + 2])
        case .key(_, let length): length > 3
        case .answerBegins: isAwaited
        case .report(_, let length): isAwaited && length > 3
        // A release of the mouse has no meaning, but it is not typed either.
        case .nothing(let length):
            length > 2 && isAwaited && (0x30...0x3F).contains(bytes[bytes.startIndex + 2])
                || length > 3 && bytes[bytes.startIndex + 2] == UInt8(ascii: "<")
                    && (0x40...0x7E).contains(bytes[bytes.startIndex + length - 1])
        case .incomplete: false
        }
    }

    /// Skips bytes up to the end of a report: Esc `\` or BEL. Any other control character ends it early.
    private mutating func readAnswer(_ rest: inout ArraySlice<UInt8>) {
        if case .answer(afterEscape: true) = mode {
            mode = .keys
            if rest.first == UInt8(ascii: "\\") {
                rest = rest.dropFirst()
                answered()
            } else {
                rest = ([KeyGrammar.escape] + rest)[...]
            }
            return
        }
        let text = rest.prefix { $0 >= 0x20 }
        if let begun = answer { answer?.text += text.prefix(max(0, Self.maxReportLength - begun.text.count)) }
        rest = rest.dropFirst(text.count)
        guard let end = rest.popFirst() else { return }
        mode = end == KeyGrammar.escape ? .answer(afterEscape: true) : .keys
        // xterm ends its own strings with BEL if the query did.
        if end == 0x07, answer?.kind == UInt8(ascii: "]") { answered() }
    }

    private mutating func answered() {
        defer { answer = nil }
        guard let answer else { return }
        if answer.kind == UInt8(ascii: "_") {
            add(.graphics(isUnderstood: answer.text.drop { $0 != UInt8(ascii: ";") }.elementsEqual(";OK".utf8)))
        } else if answer.kind == UInt8(ascii: "]"),
            let report = TerminalReport(color: String(decoding: answer.text, as: UTF8.self))
        {
            add(report)
        }
    }

    /// Returns the token that `rest` begins with, and the line ends after it. A read never holds this much typing.
    private func pastedToken(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard !isSplit, rest.starts(with: Self.tokenStart) || rest.starts(with: Self.tokenStart.dropFirst()) else {
            return nil
        }
        let token = rest.prefix(while: Self.isInToken)
        guard token.count >= Self.leastToken else { return nil }
        let lineEnds = rest[token.endIndex...].prefix { $0 == 0x0D || $0 == 0x0A }
        return rest[rest.startIndex..<lineEnds.endIndex]
    }

    /// The beginning of a JSON object in base64url, as a token's header is. Its first letter may have come alone.
    private static let tokenStart = Array("eyJ".utf8)
    private static let leastToken = 20

    private static func isInToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// Returns the text at the front of `rest` if it was pasted, not typed.
    private func pastedBurst(_ rest: ArraySlice<UInt8>, at now: Milliseconds) -> ArraySlice<UInt8>? {
        guard !isSplit, let first = rest.first, KeyGrammar.isText(first) else { return nil }
        let run = rest.prefix(while: KeyGrammar.isText)
        let isNewLine: (UInt8) -> Bool = { $0 == 0x0D || $0 == 0x0A }
        guard let newLine = run.firstIndex(where: isNewLine) else { return nil }
        let goesOn = lastBurst.map { now - $0 <= Self.escapeDelay } ?? false
        guard goesOn || run[newLine...].contains(where: { !isNewLine($0) }) else { return nil }
        let isCut = run.endIndex == rest.endIndex
        return isCut ? run.dropLast(KeyGrammar.unfinishedTail(of: run)) : run
    }
}

/// A terminal's answer to a query. Other answers are dropped.
package enum TerminalReport: Hashable, Sendable {
    /// Primary device attributes (ECMA-48, DA). Every terminal answers this, so it ends the wait for other reports.
    case attributes([Int])
    /// The answer to a query in kitty's graphics protocol.
    case graphics(isUnderstood: Bool)
    /// The terminal knows kitty's keyboard protocol.
    case keyboard
    /// The terminal's text colour, and its background (xterm's OSC 10 and 11).
    case text(RGB)
    case background(RGB)

    /// Parses `11;rgb:1e1e/1e1e/1e1e`, `10;rgb:ff/ff/ff`, `11;rgba:0000/0000/0000/ffff`.
    fileprivate init?(color answer: String) {
        let parts = answer.split(separator: ";", maxSplits: 1)
        guard parts.count == 2, let color = RGB(xParts: parts[1]) else { return nil }
        switch parts[0] {
        case "10": self = .text(color)
        case "11": self = .background(color)
        default: return nil
        }
    }
}

extension RGB {
    /// Parses a colour as X11 writes it: `rgb:` and three numbers of one to four hexadecimal digits.
    fileprivate init?(xParts text: Substring) {
        guard let colon = text.firstIndex(of: ":"), ["rgb", "rgba"].contains(text[..<colon]) else { return nil }
        let parts = text[text.index(after: colon)...].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == (text[..<colon] == "rgb" ? 3 : 4) else { return nil }
        var values: [UInt8] = []
        for part in parts.prefix(3) {
            guard (1...4).contains(part.utf8.count), part.utf8.first != UInt8(ascii: "+"),
                let number = Int(part, radix: 16), number >= 0
            else { return nil }
            let highest = (1 << (4 * part.utf8.count)) - 1
            values.append(UInt8(number * 255 / highest))
        }
        self.init(values[0], values[1], values[2])
    }
}

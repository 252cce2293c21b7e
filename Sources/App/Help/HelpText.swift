import Annotations
import Screen

/// One line of the help: parts with a style of their own.
struct HelpLine: Equatable, Sendable {
    enum Role: Equatable, Sendable {
        case heading, key, text, denied
        case person(String)
    }

    struct Part: Equatable, Sendable {
        var text: CleanText
        var role: Role
    }

    var parts: [Part] = []
    var isHeading: Bool { parts.first?.role == .heading }
    var width: Int { parts.reduce(0) { $0 + $1.text.width } }

    init(_ parts: [Part] = []) { self.parts = parts }
    init(_ text: CleanText, _ role: Role) { parts = [Part(text: text, role: role)] }
}

/// An entry of the help under a heading.
private struct HelpEntry {
    var name: String
    var meaning: String
    var role = HelpLine.Role.key
    /// Why the command is unavailable.
    var denial: String?

    func contains(_ words: [String]) -> Bool {
        let all = "\(name) \(meaning)".lowercased()
        return words.allSatisfy { all.contains($0) }
    }
}

extension AppState {
    private typealias Section = (title: String, entries: [HelpEntry])

    /// All lines of the help in one column.
    func helpLines(columns: Int) -> [HelpLine] {
        switch help?.subject {
        case nil: return []
        case .messages: return messageLines(columns: columns)
        case .refusal(.command(let command)): return refusalLines(command, columns: columns)
        case .refusal(.file(let refusal)): return refusalLines(refusal, columns: columns)
        case .keys(let contexts):
            let words = (help?.filter?.text ?? "").lowercased().split(scalar: " ").map(String.init)
            var lines: [HelpLine] = []
            for section in sections(contexts) {
                let isNamed = words.allSatisfy { section.title.lowercased().contains($0) }
                let entries = isNamed ? section.entries : section.entries.filter { $0.contains(words) }
                guard !entries.isEmpty else { continue }
                if !lines.isEmpty { lines.append(HelpLine()) }
                lines.append(HelpLine(CleanText(cleaning: section.title), .heading))
                for entry in entries { lines += self.lines(of: entry, columns: columns) }
            }
            return lines.isEmpty ? [HelpLine("No matches.", .denied)] : lines
        }
    }

    /// The rows of the help: in two columns where it is wide.
    var helpRows: [(left: HelpLine, right: HelpLine?)] {
        let columns = OverlayBox.columns(size)
        guard case .keys = help?.subject, columns >= Self.columnsForTwo else {
            return helpLines(columns: columns).map { ($0, nil) }
        }
        let lines = helpLines(columns: helpColumn)
        let cut = Self.cut(lines)
        let (left, right) = (lines[..<cut], lines[cut...].drop { $0.parts.isEmpty })
        return (0..<max(left.count, right.count)).map { row in
            (
                row < left.count ? left[row] : HelpLine(),
                row < right.count ? right[right.startIndex + row] : nil
            )
        }
    }

    private static let columnsForTwo = 90
    /// The width of one of two columns, and the gap between them.
    var helpColumn: Int { (OverlayBox.columns(size) - Self.helpGap) / 2 }
    static let helpGap = 3

    /// Where the second column begins: never between a heading and what is below it.
    private static func cut(_ lines: [HelpLine]) -> Int {
        let middle = (lines.count + 1) / 2
        let blank = lines.indices.filter { lines[$0].parts.isEmpty }.min { abs($0 - middle) < abs($1 - middle) }
        if let blank, abs(blank - middle) <= 4 { return blank }
        return middle > 0 && lines.indices.contains(middle) && lines[middle - 1].isHeading ? middle - 1 : middle
    }

    private func lines(of entry: HelpEntry, columns: Int) -> [HelpLine] {
        let column = columns < 60 ? 13 : 23
        let name: CleanText = "  " + CleanText(cleaning: entry.name)
        let denial = entry.denial.map { " (\($0))" } ?? ""
        let role: HelpLine.Role = entry.denial == nil ? .text : .denied
        let nameRole = entry.denial == nil ? entry.role : .denied
        let wrapped = CleanText(cleaning: entry.meaning + denial).wrapped(to: max(8, columns - column))
        var lines: [HelpLine] = []
        if wrapped.isEmpty { return [HelpLine(name.truncated(to: columns), nameRole)] }
        for (index, line) in wrapped.enumerated() {
            // A name wider than its column gets its own row.
            if index == 0, name.width >= column { lines.append(HelpLine(name.truncated(to: columns), nameRole)) }
            let isBeside = index == 0 && name.width < column
            let start = isBeside ? name.padded(to: column) : .blanks(column)
            lines.append(HelpLine([.init(text: start, role: nameRole), .init(text: line, role: role)]))
        }
        return lines
    }

    private func sections(_ contexts: [KeyContext]) -> [Section] {
        let state = beneathHelp
        var sections: [Section] = []
        var taken: Set<[Key]> = []
        for context in contexts {
            var entries: [HelpEntry] = []
            for binding in keymap.bindings(in: [context]) {
                // A key of an inner context hides the same key of the outer ones.
                let keys = binding.sequences.filter { !taken.contains($0) }
                guard !keys.isEmpty else { continue }
                entries.append(
                    HelpEntry(
                        name: keys.map { $0.map(\.name).joined() }.joined(separator: " or "), meaning: binding.help,
                        denial: state.denial(of: binding.command)))
            }
            taken.formUnion(keymap.bindings(in: [context]).flatMap(\.sequences))
            sections.append((context.title, entries))
        }
        sections.append(("Commands after :", typedCommands.map { HelpEntry(name: $0.rawValue, meaning: $0.help) }))
        if let file = document?.file { sections.append(("Your own PDF", fileLegend(file))) }
        if document != nil { sections += legend }
        return sections
    }

    /// What the status line says about the layer's file.
    private func fileLegend(_ file: FileStatus) -> [HelpEntry] {
        let kept =
            file.isPrivate
            ? "Changes kept in memory, as long as the tab is open; :w writes them into the PDF"
            : "Changes kept on this machine, also after q; :w writes them into the PDF"
        return [
            HelpEntry(name: "3 not in the file", meaning: kept),
            HelpEntry(name: "FILE MISSING", meaning: "The PDF is missing; :w! writes it again"),
            HelpEntry(
                name: "1 in conflict",
                meaning: "You and another program changed a note; \(keyName(of: .outbox)) to compare"),
            HelpEntry(name: "1 mark without words", meaning: "The PDF's text changed; :lost-marks lists these marks"),
        ]
    }

    /// What the letters, signs and colours of rows and pages mean.
    private var legend: [Section] {
        let letters = AnnotationKind.lettersWithNames
        let signs = [
            ("*", "New: changed by others and not seen yet"), ("^", "Not sent yet, or held until a token allows it"),
            ("!", "In conflict, or refused by the server"), ("+", "Marked for an action on several"),
            ("+2", "Two replies"),
        ]
        var sections: [Section] = [
            (
                "Kinds of annotations",
                letters.map { HelpEntry(name: String($0.letter), meaning: $0.names) }
            ),
            ("Signs in rows and beside pages", signs.map { HelpEntry(name: $0.0, meaning: $0.1) }),
        ]
        var seen: Set<String> = []
        let rows = document?.list.window?.rows ?? []
        let people = rows.compactMap { document?.author(of: $0) }.filter { seen.insert($0).inserted }.prefix(12)
        let entries = people.map { name in
            HelpEntry(name: name, meaning: name == "me" ? "you" : "", role: .person(name))
        }
        if !entries.isEmpty { sections.append(("Colours of people", entries)) }
        return sections
    }

    // MARK: A refusal

    private func refusalLines(_ command: Command, columns: Int) -> [HelpLine] {
        let state = beneathHelp
        let binding = keymap.bindings.first { $0.command == command }
        let what = binding.map { "\($0.keyNames): \($0.help)" } ?? command.rawValue
        let why = (state.denial(of: command) ?? "").asSentence
        var lines = CleanText(cleaning: what).wrapped(to: columns).map { HelpLine($0, .key) }
        lines.append(HelpLine())
        lines += CleanText(cleaning: "Unavailable: \(why).").wrapped(to: columns).map { HelpLine($0, .text) }
        lines.append(HelpLine())
        let remedy = state.document?.remedy(for: command, key: keyName(of: .token)) ?? ""
        lines += CleanText(cleaning: remedy).wrapped(to: columns).map { HelpLine($0, .text) }
        return lines
    }

    private func refusalLines(_ refusal: FileRefusal, columns: Int) -> [HelpLine] {
        var lines = CleanText(cleaning: "Not written: \(refusal.path)").wrapped(to: columns).map { HelpLine($0, .key) }
        lines.append(HelpLine())
        lines += CleanText(cleaning: refusal.reason.asSentence).wrapped(to: columns).map { HelpLine($0, .text) }
        lines.append(HelpLine())
        if let file = document?.file, file.unwritten > 0 {
            let kept =
                file.isPrivate
                ? "\(file.unwrittenChanges) kept in memory, as long as the tab is open."
                : "\(file.unwrittenChanges) kept on this machine; nothing is lost."
            lines += CleanText(cleaning: kept).wrapped(to: columns).map { HelpLine($0, .text) }
            lines.append(HelpLine())
        }
        for (name, meaning) in refusal.ways {
            lines += self.lines(of: HelpEntry(name: name, meaning: meaning), columns: columns)
        }
        return lines
    }

    // MARK: Messages

    /// The latest notices in full, the newest first.
    private func messageLines(columns: Int) -> [HelpLine] {
        let words = (help?.filter?.text ?? "").lowercased().split(scalar: " ").map(String.init)
        let entries = messages.entries.filter { entry in words.allSatisfy { entry.text.lowercased().contains($0) } }
        guard !entries.isEmpty else {
            return [HelpLine(words.isEmpty ? "No messages yet." : "No matches.", .denied)]
        }
        return entries.reversed().flatMap { entry in
            let time = CleanText(cleaning: RelativeTime.clock(entry.moment, utcOffset: utcOffset)) + "  "
            let lines = CleanText(cleaning: entry.text).wrapped(to: columns - time.width)
            return lines.enumerated().map {
                HelpLine([
                    .init(text: $0.offset == 0 ? time : .blanks(time.width), role: .denied),
                    .init(text: $0.element, role: .text),
                ])
            }
        }
    }
}

import Annotations
import App
import FoundationEssentials
import PageLayout
import Screen

/// The viewer's settings: from `config.toml`, else from the environment, else the defaults; `NO_COLOR` overrides the
/// theme of the file.
struct Preferences {
    private(set) var themeChoice = ThemeChoice(.auto)
    private(set) var keymap = Keymap.standard
    /// The problems, each with its place. The viewer does not start if there are any.
    private(set) var problems: [String] = []
    /// The values that are set, with their origins.
    private(set) var values: [Preference: Settings.Value] = [:]
    private(set) var colors: [String: Settings.Value] = [:]
    /// The servers and token sources for commands, by name.
    private(set) var profiles: [String: Profile] = [:]
    /// The file that was read, and its text; nil if there is none.
    private(set) var file: (path: String, text: String)?
    /// Where a command's keys are set, by context and command.
    private(set) var keys: [KeyPlace: Settings.Origin] = [:]

    struct KeyPlace: Hashable {
        var context: KeyContext
        var command: Command
    }

    /// - Parameter file: nil when there is no file.
    init(environment: [String: String] = [:], file: (path: String, text: String)? = nil) {
        self.file = file
        if let file { read(file.path, file.text) }
        if let editor = ["VISUAL", "EDITOR"].first(where: { !(environment[$0] ?? "").isEmpty }), values[.editor] == nil
        {
            values[.editor] = Settings.Value(words: [environment[editor] ?? ""], origin: .variable(editor))
        }
        if !(environment["NO_COLOR"] ?? "").isEmpty {
            values[.theme] = Settings.Value(words: ["mono"], origin: .variable("NO_COLOR"))
        }
        let changes = colors.compactMapValues { try? Style(notation: $0.words.joined(separator: " ")) }
        themeChoice = ThemeChoice(ThemeChoice.Base(rawValue: text(.theme)) ?? .auto, changes: changes)
    }

    func text(_ preference: Preference) -> String { values[preference]?.words.first ?? preference.standard }
    func isOn(_ preference: Preference) -> Bool { text(preference) == "true" }

    var pageView: TypesetPage.View? {
        switch text(.view) {
        case "reading": .reading
        case "layout": .layout
        default: nil
        }
    }

    /// The commands for events.
    var hooks: Hooks.Commands {
        Hooks.Commands(
            new: values[.onNew]?.words ?? [], mention: values[.onMention]?.words ?? [],
            tokenNeeded: values[.onTokenNeeded]?.words ?? [], run: values[.onRun]?.words ?? [])
    }

    var delay: Duration { .seconds(DurationArgument(argument: text(.delay))?.seconds ?? 1) }
    var usesColor: Bool { themeChoice.base != .mono }
    /// The theme of a terminal of which nothing is known.
    var theme: Theme { themeChoice.theme(.many, nil) }
    var markStyle: MarkStyle {
        MarkStyle(hasBrackets: text(.marks) == "brackets", combinesStrike: text(.strike) == "combining")
    }

    // MARK: The file

    private mutating func read(_ path: String, _ text: String) {
        let entries: [TOMLEntry]
        do { entries = try TOMLReader.entries(of: text) } catch {
            problems.append("\(Settings.Origin.file(path, line: error.line)): \(error.reason)")
            return
        }
        var changes: [(change: KeyRebinding, origin: Settings.Origin)] = []
        for entry in entries {
            let origin = Settings.Origin.file(path, line: entry.line)
            do {
                let parts = entry.key.split(scalar: ".", omittingEmptySubsequences: false).map(String.init)
                if parts.count == 3, parts[0] == "keys" {
                    let change = try Self.change(parts[1], parts[2], entry.words)
                    changes.append((change, origin))
                    keys[KeyPlace(context: change.context, command: change.command)] = origin
                } else if parts.count == 3, parts[0] == "profiles" {
                    try setProfile(parts[1], parts[2], entry.words, path)
                } else if parts.count == 2, parts[0] == "colors" {
                    try Self.check(color: parts[1], entry.words)
                    colors[parts[1]] = Settings.Value(words: entry.words, origin: origin)
                } else {
                    values[try Self.preference(entry)] = Settings.Value(words: entry.words, origin: origin)
                }
            } catch { problems.append("\(origin): \(error.reason)") }
        }
        let (keymap, wrong) = Keymap.standard.changed(by: changes.map(\.change))
        self.keymap = keymap
        problems += wrong.map { "\(changes[$0.change].origin): \($0.reason)" }
    }

    private mutating func setProfile(
        _ name: String, _ member: String, _ words: [String], _ path: String
    ) throws(InvalidEntry) {
        guard let known = Profile.Member(rawValue: member) else {
            let near = CommandNames.nearest(to: member, among: Profile.Member.allCases.map(\.rawValue))
            throw InvalidEntry(
                reason: "unknown setting of a profile: \(member)"
                    + (near.map { "; did you mean \($0)?" }
                        ?? "; there are \(Profile.Member.allCases.map(\.rawValue).joined(separator: ", "))"))
        }
        let folder = path.unicodeScalars.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        do { try profiles[name, default: Profile(name)].set(known, words, folder: folder) } catch {
            throw InvalidEntry(reason: "profile \(name): \(error.reason)")
        }
    }

    /// Why an entry cannot be used.
    private struct InvalidEntry: Error {
        var reason: String
    }

    private static func preference(_ entry: TOMLEntry) throws(InvalidEntry) -> Preference {
        guard let preference = Preference(rawValue: entry.key) else {
            let near = CommandNames.nearest(to: entry.key, among: Preference.allCases.map(\.rawValue))
            let hint = near.map { "; did you mean \($0)?" } ?? "; postilla config lists all settings"
            throw InvalidEntry(reason: "unknown setting: \(entry.key)\(hint)")
        }
        let value = entry.words.count == 1 ? entry.words[0] : ""
        let wanted: String? =
            switch preference {
            case .theme where ThemeChoice.Base(rawValue: value) == nil:
                "one of " + ThemeChoice.Base.allCases.map(\.rawValue).joined(separator: ", ")
            case .notify where !["off", "osc9", "osc777"].contains(value): "off, osc9 or osc777"
            case .marks where !["colors", "brackets"].contains(value): "colors or brackets"
            case .strike where !["dim", "combining"].contains(value): "dim or combining"
            case .view where !["auto", "reading", "layout"].contains(value): "one of auto, reading, layout"
            case .delay where DurationArgument(argument: value).map { $0.seconds <= 60 } != true:
                "a time from 0s to 60s, in quotes"
            case _ where preference.isSwitch && !["true", "false"].contains(value): "true or false"
            case _ where entry.words.count != 1 && !preference.isCommand: "one string in quotes"
            default: nil
            }
        if let wanted { throw InvalidEntry(reason: "\(preference.rawValue) must be \(wanted)") }
        return preference
    }

    private static func change(_ context: String, _ command: String, _ words: [String]) throws(InvalidEntry)
        -> KeyRebinding
    {
        guard let found = KeyContext.allCases.first(where: { $0.name == context }) else {
            let near = CommandNames.nearest(to: context, among: KeyContext.allCases.map(\.name))
            throw InvalidEntry(
                reason: "unknown context: keys.\(context)"
                    + (near.map { "; did you mean keys.\($0)?" }
                        ?? "; the contexts are \(KeyContext.allCases.map(\.name).joined(separator: ", "))"))
        }
        guard let known = Command(rawValue: command) else {
            let near = CommandNames.nearest(to: command, among: Command.allCases.map(\.rawValue))
            throw InvalidEntry(
                reason: "unknown command: \(command)"
                    + (near.map { "; did you mean \($0)?" } ?? "; postilla config lists all commands"))
        }
        var sequences: [[Key]] = []
        for word in words.flatMap({ $0.split(scalar: " ") }) {
            do throws(NotationError) { sequences.append(try Key.sequence(String(word))) } catch {
                throw InvalidEntry(reason: "\(error)")
            }
        }
        return KeyRebinding(found, known, sequences)
    }

    private static func check(color name: String, _ words: [String]) throws(InvalidEntry) {
        guard Theme.roles.contains(where: { $0.name == name }) else {
            let near = CommandNames.nearest(to: name, among: Theme.roles.map(\.name))
            throw InvalidEntry(
                reason: "unknown colour name: \(name)" + (near.map { "; did you mean \($0)?" } ?? ""))
        }
        do throws(NotationError) { _ = try Style(notation: words.joined(separator: " ")) } catch {
            throw InvalidEntry(reason: "\(error)")
        }
    }

    /// All effective settings as a valid configuration file.
    ///
    /// - Parameter namingOrigins: Whether a value that is not the default is followed by its origin.
    func lines(namingOrigins: Bool = true) -> [String] {
        func from(_ origin: Settings.Origin?) -> String { namingOrigins ? Self.comment(origin) : "" }
        let settings = Preference.allCases.flatMap { (preference: Preference) -> [String] in
            let line =
                preference.isCommand
                ? preference.line(command: values[preference]?.words ?? []) : preference.line(text(preference))
            return ["# \(preference.meaning)", line + from(values[preference]?.origin), ""]
        }
        let keys = KeyContext.allCases.flatMap { context in ["[keys.\(context.name)]"] + keyLines(context, from) + [""]
        }
        // The others depend on the terminal.
        let styles = Theme.roles.map { role in
            let line = "\(role.name) = \(theme[keyPath: role.style].notation.tomlText)"
            return colors[role.name].map { line + from($0.origin) } ?? "# " + line
        }
        return settings + profileLines
            + ["# Keys: <C-d> is Ctrl-D, <A-x> Alt-X, <S-tab> Shift-Tab, <space>, <lt> the character <; [] for no key"]
            + keys
            + ["# bold dim underline reverse italic, a colour (red, bright-red, 208, #d7875f), a background after 'on'"]
            + ["[colors]"] + styles
    }

    private var profileLines: [String] {
        let heading = "# Servers and token sources for commands with --profile NAME, such as"
        guard !profiles.isEmpty else {
            return [
                heading, "# [profiles.work]", #"# server = "https://docs.example""#,
                ##"# token-file = "~/work.jwt"        # or token-command, or token-url (and token-url-header-file)"##,
                ##"# api-token-file = "~/api-token"   # for upload, documents and token revoke"##, "",
            ]
        }
        return [heading.replacing(scalars: ", such as", with: "")]
            + profiles.values.sorted { $0.name < $1.name }.flatMap { profile in
                ["[profiles.\(profile.name.tomlText)]"]
                    + Profile.Member.allCases.compactMap { member in
                        profile[member].map { "\(member.rawValue) = \($0.tomlText)" }
                    } + [""]
            }
    }

    private func keyLines(_ context: KeyContext, _ from: (Settings.Origin?) -> String) -> [String] {
        let bound = keymap.bindings(in: [context]).map { binding in
            let sequences = binding.sequences.map { $0.map(\.notation).joined().tomlText }
            let text = sequences.count == 1 ? sequences[0] : "[" + sequences.joined(separator: ", ") + "]"
            let origin = from(keys[KeyPlace(context: context, command: binding.command)])
            return "\(binding.command.rawValue) = \(text)" + (origin.isEmpty ? "  # \(binding.help)" : origin)
        }
        let unbound = keys.filter { place, _ in
            place.context == context
                && !keymap.bindings.contains { $0.context == context && $0.command == place.command }
        }
        return bound + unbound.map { "\($0.command.rawValue) = []" + from($1) }.sorted()
    }

    private static func comment(_ origin: Settings.Origin?) -> String { origin.map { "  # \($0)" } ?? "" }
}

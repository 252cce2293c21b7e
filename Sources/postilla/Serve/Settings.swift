import Annotations

/// The settings of a server: an option overrides a variable, which overrides the file.
struct Settings {
    /// The origin of a value, as messages name it.
    enum Origin: Hashable, CustomStringConvertible {
        case option(String)
        case variable(String)
        case file(String, line: Int)

        var description: String {
            switch self {
            case .option(let name): "--\(name)"
            case .variable(let name): name
            case .file(let path, let line): "\(path), line \(line)"
            }
        }
    }

    struct Value: Hashable {
        var words: [String]
        var origin: Origin
    }

    private var values: [Setting: Value] = [:]

    /// - Throws: ``CommandFailure`` for an unknown name, with its place.
    init(
        options: [Setting: [String]], environment: [String: String], file: (path: String, text: String)?
    ) throws {
        if let file { try take(file.path, file.text) }
        try take(environment)
        for (setting, words) in options {
            let name = setting.name.begins(with: "limits.") ? "limit" : setting.name
            values[setting] = Value(words: words, origin: .option(name))
        }
    }

    private mutating func take(_ path: String, _ text: String) throws {
        let entries: [TOMLEntry]
        do { entries = try TOMLReader.entries(of: text) } catch {
            throw CommandFailure("\(path), line \(error.line): \(error.reason)", .usage)
        }
        for entry in entries {
            let origin = Origin.file(path, line: entry.line)
            guard let setting = Setting.all.first(where: { $0.name == entry.key }) else {
                throw CommandFailure("\(origin): \(Self.unknown(entry.key))", .usage)
            }
            values[setting] = Value(words: entry.words, origin: origin)
        }
    }

    private mutating func take(_ environment: [String: String]) throws {
        for (name, text) in environment where name.begins(with: "POSTILLA_SERVE_") && !text.isEmpty {
            guard let setting = Setting.all.first(where: { $0.variable == name }) else {
                throw CommandFailure("\(name): unknown setting", .usage)
            }
            let words = setting.isList ? text.split(scalar: ",").map(String.init) : [text]
            values[setting] = Value(words: words, origin: .variable(name))
        }
    }

    private static func unknown(_ key: String) -> String {
        if ["api-token", "secret", "password"].contains(key) {
            return "secrets are not allowed here; put the secret in a file and use api-token-file"
        }
        return "unknown setting: \(key)"
    }

    // MARK: What was set

    subscript(setting: Setting) -> Value? { values[setting] }

    func list(_ setting: Setting) -> [String] { values[setting]?.words ?? [] }

    /// The settings whose values differ.
    func differences(from other: Settings) -> [Setting] { Setting.all.filter { list($0) != other.list($0) } }

    func text(_ setting: Setting) throws -> String? {
        guard let value = values[setting] else { return nil }
        guard value.words.count == 1, !value.words[0].isEmpty else {
            throw wrong(setting, "must be one string")
        }
        return value.words[0]
    }

    /// Returns a list of names, none of which is empty.
    func names(_ setting: Setting) throws -> [String] {
        let names = list(setting)
        guard !names.contains("") else { throw wrong(setting, "must not be empty") }
        return names
    }

    func number(_ setting: Setting, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = try text(setting) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw wrong(setting, "must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func isOn(_ setting: Setting) throws -> Bool {
        switch try text(setting) {
        case nil, "false": false
        case "true": true
        default: throw wrong(setting, "must be true or false")
        }
    }

    func choice<Choice: RawRepresentable & CaseIterable>(
        _ setting: Setting, of _: Choice.Type = Choice.self
    ) throws -> Choice? where Choice.RawValue == String {
        guard let text = try text(setting) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            throw wrong(setting, "must be one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    /// Returns a failure for an invalid value.
    func wrong(_ setting: Setting, _ what: String) -> CommandFailure {
        let place = values[setting].map { "\($0.origin): " } ?? ""
        return CommandFailure("\(place)\(setting.name) \(what)", .usage)
    }
}

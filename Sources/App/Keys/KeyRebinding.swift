package import Screen

/// The user's keys for a command. They replace the command's keys in that context; an empty list removes them.
package struct KeyRebinding: Hashable, Sendable {
    package var context: KeyContext
    package var command: Command
    package var sequences: [[Key]]

    package init(_ context: KeyContext, _ command: Command, _ sequences: [[Key]]) {
        (self.context, self.command, self.sequences) = (context, command, sequences)
    }
}

/// Why a change is invalid, as a sentence, and its index in the list of changes.
package struct KeyBindingProblem: Hashable, Sendable {
    package var change: Int
    package var reason: String
}

extension Keymap {
    /// Returns the keymap with all changes applied, and every problem found, not only the first.
    package func changed(by changes: [KeyRebinding]) -> (keymap: Keymap, problems: [KeyBindingProblem]) {
        var keymap = self
        var problems: [KeyBindingProblem] = []
        for (index, change) in changes.enumerated() {
            if let reason = keymap.make(change) { problems.append(KeyBindingProblem(change: index, reason: reason)) }
        }
        for (index, change) in changes.enumerated() where !problems.contains(where: { $0.change == index }) {
            if let reason = keymap.clash(of: change) {
                problems.append(KeyBindingProblem(change: index, reason: reason))
            }
        }
        return (keymap, problems.sorted { $0.change < $1.change })
    }

    private mutating func make(_ change: KeyRebinding) -> String? {
        let name = change.command.rawValue
        guard let model = model(of: change.command, for: change.context) else {
            let places = KeyContext.allCases.filter { context in
                bindings.contains { $0.context == context && $0.command == change.command }
            }
            let names = places.map { "keys." + $0.name }.joined(separator: ", ")
            return "\(name) has no effect in keys.\(change.context.name); it belongs in \(names)"
        }
        if change.sequences.isEmpty, Self.needed.contains(change.command) {
            return "\(name) needs at least one key"
        }
        for keys in change.sequences {
            guard let first = keys.first else { return "\(name) has an empty key" }
            guard case .character(let character) = first else { continue }
            let shown = keys.map(\.notation).joined()
            if change.context.isWriting { return "\(shown) is text in this context and cannot be a command" }
            if character.isNumber, character != "0", change.context != .question {
                return "\(shown) begins with a digit, which is a count"
            }
        }
        let kept = bindings.firstIndex { $0.context == change.context && $0.command == change.command }
        bindings.removeAll { $0.context == change.context && $0.command == change.command }
        guard !change.sequences.isEmpty else { return nil }
        var binding = model
        (binding.context, binding.sequences) = (change.context, change.sequences)
        bindings.insert(binding, at: kept ?? bindings.endIndex)
        return nil
    }

    /// Returns the binding that supplies the help texts: from this context or a wider active one, else from the
    /// standard keymap.
    private func model(of command: Command, for context: KeyContext) -> Binding? {
        for context in [context] + context.wider {
            if let found = bindings.first(where: { $0.context == context && $0.command == command }) { return found }
        }
        return Keymap.standard.bindings.first { $0.context == context && $0.command == command }
    }

    /// Returns why a key cannot be used: it has another meaning in this context, or one sequence is a prefix of
    /// another.
    private func clash(of change: KeyRebinding) -> String? {
        let others = bindings.filter { $0.context == change.context && $0.command != change.command }
        for keys in change.sequences {
            let shown = keys.map(\.notation).joined()
            for other in others {
                for taken in other.sequences where taken.starts(with: keys) || keys.starts(with: taken) {
                    let way = "give \(other.command.rawValue) another key, or none (\(other.command.rawValue) = [])"
                    guard taken != keys else { return "\(shown) is already \(other.command.rawValue); \(way)" }
                    let name = taken.map(\.notation).joined()
                    return "\(shown) clashes with \(name) (\(other.command.rawValue)); \(way)"
                }
            }
        }
        return nil
    }

    private static let needed: Set<Command> = [.escape, .accept, .leave, .commandLine]
}

extension KeyContext {
    /// The name in configuration files: `token-card`.
    package var name: String {
        rawValue.reduce(into: "") { name, character in
            name += character.isUppercase ? "-" + character.lowercased() : String(character)
        }
    }

    /// The contexts that are active together with this one and are searched after it.
    fileprivate var wider: [KeyContext] {
        switch self {
        case .selection: [.page, .document, .moving, .everywhere]
        case .list, .thread, .page: [.document, .moving, .everywhere]
        case .document, .library, .outbox, .help, .look, .reader, .conflict: [.moving, .everywhere]
        case .review: [.reader, .moving, .everywhere]
        case .moving: [.everywhere]
        case .editor: [.text]
        default: []
        }
    }

    /// Whether characters are text here.
    fileprivate var isWriting: Bool { self == .text || self == .editor }
}

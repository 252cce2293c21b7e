import Annotations

/// A line of input, or a question, at the bottom of the screen.
struct Prompt: Equatable, Sendable {
    enum Purpose: Equatable, Sendable {
        case command
        /// Filters the list while typing; Esc restores the previous filter.
        case filter(before: String)
        case search
        /// The author name for new records, and the edits that wait for it.
        case author(then: [Edit], editor: Editor?)
        /// The address of a server, to add a layer.
        case server
        /// A PDF on disk.
        case file
        case confirm(Confirmed)
    }

    /// The action that `yes` confirms.
    enum Confirmed: Equatable, Sendable {
        /// Performs these edits, which delete records.
        case delete([Edit])
        case removeLayer(LayerReference, unsent: Int)
        /// Drops the changes that are not in the layer's file.
        case revertFile
        /// Leaves although changes are lost, because they are kept in memory only.
        case loseChanges(Departure)
        /// Drops a draft whose annotation is gone.
        case dropDraft(DraftKey)
        /// Sends the edits made under this address here.
        case takeCopy(String)
    }

    var purpose: Purpose
    var label: String
    var input: TextInput
    /// The completions for Tab; nil until Tab is pressed.
    var completion: Completion?

    init(_ purpose: Purpose, label: String, text: String = "") {
        self.purpose = purpose
        self.label = label
        input = TextInput(text)
    }

    /// The path being typed; nil where none is.
    var path: String? {
        switch purpose {
        case .file: return input.text
        case .command:
            if let path = pathToWrite ?? pathToMerge { return path }
            guard let path = input.text.dropping(prefix: "open "), !path.contains(scalars: "://") else { return nil }
            return String(path)
        default: return nil
        }
    }

    /// The path of a copy being typed after `w`, `w!` and their long forms; nil for other commands, and for an option.
    var pathToWrite: String? {
        guard purpose == .command, let (word, words) = input.text.parted(atFirst: " "),
            TypedCommand(typed: String(word.dropping(suffix: "!") ?? word)) == .write
        else { return nil }
        let rest = words.dropping(prefix: FileWrite.compactOption + " ") ?? words
        return rest.begins(with: "-") ? nil : String(rest)
    }

    /// The path of a copy being typed after `merge`; nil for other commands.
    var pathToMerge: String? {
        let start = TypedCommand.merge.rawValue + " "
        return purpose == .command ? input.text.dropping(prefix: start).map(String.init) : nil
    }

    var isQuestion: Bool {
        if case .confirm = purpose { true } else { false }
    }
}

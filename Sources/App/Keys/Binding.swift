package import Screen

/// Where a key means something. Several hold at once; the first that knows the key wins.
package enum KeyContext: String, Hashable, Sendable, CaseIterable {
    case everywhere, moving, library, document, list, thread, page, selection, outbox, requests, conflict, help, lost,
        tokenCard,
        tokenEntry
    case question
    case text, commandLine, picker, editor

    /// The heading in help and documentation.
    package var title: String {
        switch self {
        case .everywhere: "Everywhere"
        case .moving: "Moving"
        case .library: "Library"
        case .document: "Document"
        case .list: "List"
        case .thread: "Thread"
        case .page: "Page"
        case .selection: "Selected words"
        case .outbox: "Outbox"
        case .requests: "Requests"
        case .conflict: "Conflict"
        case .help: "Help"
        case .lost: "Lost access"
        case .tokenCard: "Token card"
        case .tokenEntry: "Token card, with input"
        case .question: "Question"
        case .text: "Text input"
        case .commandLine: "Command line"
        case .picker: "Picker"
        case .editor: "Note editor"
        }
    }
}

/// A command, the keys that give it in a context, and what to say of it.
package struct Binding: Hashable, Sendable {
    package var context: KeyContext
    /// One or more keys each, all with the same meaning.
    package var sequences: [[Key]]
    package var command: Command
    /// A few words for the help.
    package var help: String
    /// One or two words for the footer; nil keeps it out.
    package var footer: String?

    /// - Parameter keys: in the notation of `Key.sequence`, alternatives divided by blanks.
    init(_ context: KeyContext, _ keys: String, _ command: Command, _ help: String, footer: String? = nil) {
        self.context = context
        sequences = keys.split(separator: " ").compactMap { try? Key.sequence(String($0)) }
        self.command = command
        self.help = help
        self.footer = footer
    }

    /// As a person reads it: `gg`, `Ctrl-D or PgDn`.
    package var keyNames: String {
        sequences.map { $0.map(\.name).joined() }.joined(separator: " or ")
    }

    /// The first of its key sequences, for the footer.
    var shortName: String { sequences.first.map { $0.map(\.name).joined() } ?? "" }
}

import Annotations
package import Screen

/// A context in which keys have a meaning. Several are active at once; the first that binds the key wins.
package enum KeyContext: String, Hashable, Sendable, CaseIterable {
    case everywhere, moving, library, document, list, thread, page, picture, selection, look, reader, review, outbox,
        requests,
        conflict, help,
        lost,
        tokenCard
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
        case .picture: "Page as a picture"
        case .selection: "Selected words"
        case .look: "A look elsewhere"
        case .reader: "Reader"
        case .review: "Review of open remarks"
        case .outbox: "Outbox"
        case .requests: "Requests"
        case .conflict: "Conflict"
        case .help: "Help"
        case .lost: "Lost access"
        case .tokenCard: "Token card"
        case .question: "Question"
        case .text: "Text input"
        case .commandLine: "Command line"
        case .picker: "Picker"
        case .editor: "Note editor"
        }
    }
}

/// A command, its keys in a context, and its help texts.
package struct Binding: Hashable, Sendable {
    package var context: KeyContext
    /// One or more key sequences with the same meaning.
    package var sequences: [[Key]]
    package var command: Command
    /// A few words for the help.
    package var help: String
    /// One or two words for the footer; nil omits it there.
    package var footer: String?

    /// - Parameter keys: In the notation of `Key.sequence`; alternatives are separated by spaces.
    init(_ context: KeyContext, _ keys: String, _ command: Command, _ help: String, footer: String? = nil) {
        self.context = context
        sequences = keys.split(scalar: " ").compactMap { try? Key.sequence(String($0)) }
        self.command = command
        self.help = help
        self.footer = footer
    }

    /// The keys as shown to the user: `gg`, `Ctrl-D or PgDn`.
    package var keyNames: String {
        sequences.map { $0.map(\.name).joined() }.joined(separator: " or ")
    }

    /// The first key sequence, for the footer.
    var shortName: String { sequences.first.map { $0.map(\.name).joined() } ?? "" }
}

import Annotations
import InstantCore
import PageLayout

/// The commands of the command line.
package enum TypedCommand: String, Hashable, Sendable, CaseIterable {
    case quit, help, page, filter, color, sync, offline, online, token, outbox, undo, redo, reading, layout, author,
        download, who, open, state, attach, library, storage, requests, messages, prune, mentions, mouse, run, write,
        wq, revert, merge
    case lostMarks = "lost-marks"
    case defaultGroup = "default-group"
    case forgetToken = "forget-token"

    /// A few words for the help.
    package var help: String {
        switch self {
        case .quit: "Quit; unsent edits stay on this machine"
        case .help: "List the keys available here"
        case .page: "page N: go to page N"
        case .filter: "filter WORDS: words, kind:highlight, by:ana, group:x, page:3, is:unread, is:mention, ~ltrs"
        case .state: "state NAME: accepted, rejected, cancelled, completed, none, marked or unmarked"
        case .attach: "attach FILE: attach a file to this page"
        case .color: "color NAME: recolour marked annotations (yellow, red ..., #rrggbb)"
        case .sync: "Sync now"
        case .offline: "Disconnect from the server"
        case .online: "Reconnect to the server"
        case .token: "Enter a new token"
        case .forgetToken: "Forget the token"
        case .outbox: "Show unsent edits and conflicts"
        case .undo: "Undo your last edit"
        case .redo: "Redo"
        case .reading: "Show the page in reading view"
        case .layout: "Show the page in layout view"
        case .author: "author NAME: set the author of your new annotations"
        case .download: "Download the PDF"
        case .open: "open FILE.pdf or open SERVER: open it in a new tab"
        case .library: "List the layers on this machine"
        case .storage: "List the layers on this machine, with sizes and unsent edits"
        case .requests: "Show the last requests to the server and their results"
        case .messages: "Show the latest messages in full"
        case .defaultGroup: "default-group NAME: set the group of new records; without NAME: the token's"
        case .prune: "Remove PDFs that no layer on this machine needs"
        case .mouse: "mouse on or mouse off: whether clicks and the wheel come here; off selects text"
        case .run: "run WORDS: run your own command (on-run in the settings) on the current annotation"
        case .mentions: "List what mentions you, or everything again"
        case .who: "Show who else has this layer open"
        case .write: "w [--compact] [FILE.pdf]: write all changes into the PDF, or a copy; w! also replaces a file"
        case .wq: "Write all changes into the PDF, then close the tab"
        case .revert: "Discard all changes that are not in the PDF"
        case .merge: "merge FILE: merge an annotated copy of the PDF (PDF, XFDF, FDF, JSON)"
        case .lostMarks: "List the marks whose words the PDF no longer has"
        }
    }

    /// Whether the command needs an argument.
    var takesWords: Bool {
        [.page, .filter, .state, .attach, .color, .author, .open, .defaultGroup, .mouse, .merge].contains(self)
    }

    /// Whether the command is for a PDF of one's own, not for a layer on a server.
    var isForFile: Bool { [.write, .wq, .revert, .lostMarks].contains(self) }

    /// Whether the command is for a layer on a server only.
    var isForServer: Bool { [.sync, .offline, .online, .token, .forgetToken, .who].contains(self) }

    /// Other ways to type a command.
    private static let aliases: [String: TypedCommand] = ["q": .quit, "w": .write]

    init?(typed: String) {
        let word = typed.lowercased()
        guard let command = TypedCommand(rawValue: word) ?? Self.aliases[word] else { return nil }
        self = command
    }

    /// Whether `!` may follow the command.
    var canBeForced: Bool { self == .write || self == .wq }

    /// Whether the command is available in the library.
    var isForLibrary: Bool { [.quit, .help, .open, .library, .storage, .messages, .prune, .mouse].contains(self) }
}

extension AppState {
    mutating func runTyped(_ line: String) -> [Effect] {
        let words = line.split(scalar: " ", maxSplits: 1).map(String.init)
        guard var word = words.first else { return [] }
        let rest = words.count > 1 ? words[1].trimmed : ""
        let isForced = word.ends(with: "!") && word.utf8.count > 1
        if isForced { word.unicodeScalars.removeLast() }
        func matches(of commands: [TypedCommand]) -> [TypedCommand] {
            commands.filter { $0.rawValue.begins(with: word.lowercased()) && (!isForced || $0.canBeForced) }
        }
        // A command that is not for here still says why.
        let here = matches(of: typedCommands)
        let matches = here.isEmpty ? matches(of: TypedCommand.allCases) : here
        let exact = TypedCommand(typed: word)
        if exact == nil, let command = Command(rawValue: word.lowercased()), commandsHere.contains(command) {
            let most = KeyReader.highestCount
            return run(command, count: Int(rest).map { max(-most, min($0, most)) })
        }
        guard !isForced || exact?.canBeForced != false else { return only(.warning("Unknown command: \(words[0])")) }
        guard let command = exact ?? (matches.count == 1 ? matches.first : nil) else {
            notice = .warning(
                matches.isEmpty
                    ? wording(ofUnknown: word)
                    : "Ambiguous command: " + matches.map(\.rawValue).joined(separator: ", "))
            return []
        }
        guard let document else {
            return command.isForLibrary ? run(command, rest) : only(.warning("Open a layer first"))
        }
        if command.isForFile, !document.isLocal { return only(.warning(FileDenial.onServer.asSentence)) }
        if command.isForServer, document.isLocal { return only(.warning(FileDenial.ownFile.asSentence)) }
        switch command {
        case .write: return write(rest, isForced: isForced)
        case .wq:
            guard rest.isEmpty else { return only(.warning("Usage: wq; :w FILE.pdf writes a copy")) }
            return write("", isForced: isForced, leaves: true)
        default: return run(command, rest)
        }
    }

    /// The commands that can be typed here.
    var typedCommands: [TypedCommand] {
        TypedCommand.allCases.filter { command in
            guard let document else { return command.isForLibrary }
            return document.isLocal ? !command.isForServer : !command.isForFile
        }
    }

    /// Returns the warning for an unknown command, or for one that exists only in other contexts.
    private func wording(ofUnknown word: String) -> String {
        let places = keymap.bindings.filter { $0.command.rawValue == word.lowercased() }.map(\.context.title)
        guard !places.isEmpty else { return "Unknown command: \(word)" }
        return "\(word) is not available here, only in: " + Set(places).sorted().joined(separator: ", ")
    }

    private mutating func run(_ command: TypedCommand, _ rest: String) -> [Effect] {
        switch command {
        case .quit: return keepDraft() + depart(.program)
        case .help: return run(.help, count: nil)
        case .page:
            guard let index = pageIndex(named: rest) else {
                return only(.warning("Usage: page N (1 to \(document?.pageCount ?? 1))"))
            }
            goTo(page: index, .start)
        case .filter:
            setFilter(rest)
            warnOfFilter()
        case .state: return setState(named: rest)
        case .attach: return attach(rest)
        case .color: return recolor(rest)
        case .sync: return run(.sync, count: nil)
        case .offline: return [.setOnline(false)]
        case .online: return [.setOnline(true)]
        case .token: return run(.token, count: nil)
        case .forgetToken: return [.forgetToken]
        case .outbox: return run(.outbox, count: nil)
        case .undo: return run(.undo, count: nil)
        case .redo: return run(.redo, count: nil)
        case .reading: document?.page.chosenView = .reading
        case .layout: document?.page.chosenView = .layout
        case .author:
            guard !rest.isEmpty else { return only(.warning("Usage: author NAME")) }
            document?.author = rest
            notice = .done("Author of new records: \(rest)")
            return [.rememberAuthor(rest)]
        case .download: return download()
        case .open: return open(rest)
        case .library, .storage: return showLibrary()
        case .requests: openRequests()
        case .messages: help = HelpState(.messages)
        case .defaultGroup: return setDefaultGroup(rest)
        case .prune: return [.pruneStorage]
        case .mentions: return run(.mentions, count: nil)
        case .mouse:
            guard ["on", "off"].contains(rest) else { return only(.warning("Usage: mouse on or mouse off")) }
            notice = .done(rest == "on" ? "Clicks and the wheel come here" : "The terminal has the mouse")
            return [.useMouse(rest == "on")]
        case .run:
            guard let document else { return [] }
            return [.runHook(.run(words: rest, record: document.currentRow?.id, page: document.page.index))]
        case .who: document?.presence.isShown = true
        case .write: return write(rest, isForced: false)
        case .wq: return write("", isForced: false, leaves: true)
        case .revert: askToRevert()
        case .lostMarks: showLostMarks()
        case .merge: return merge(rest)
        }
        return []
    }
}

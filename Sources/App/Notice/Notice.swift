import Annotations
import Screen

/// A sentence for the user.
struct Notice: Equatable, Sendable {
    enum Kind: Equatable, Sendable { case hint, done, warning, error }

    /// A suggested next command, shown with the user's key for it: `u to take it back`.
    struct Hint: Equatable, Sendable {
        var command: Command
        /// What the command does, as `to revert`.
        var effect: String
    }

    var text: String
    var kind: Kind
    var hint: Hint?

    static func done(_ text: String, hint: Hint? = nil) -> Notice { Notice(text: text, kind: .done, hint: hint) }
    static func warning(_ text: String, hint: Hint? = nil) -> Notice { Notice(text: text, kind: .warning, hint: hint) }
    static func error(_ text: String) -> Notice { Notice(text: text, kind: .error) }
}

/// The notice on the screen. It stays until the user has had time to read it and has pressed a key.
struct ShownNotice: Equatable, Sendable {
    var notice: Notice
    var since: Timestamp
    /// Whether a key has been pressed since.
    var isSeen = false

    static let readingTime: Int64 = 4000

    func isOver(at now: Timestamp) -> Bool { isSeen && now - since >= Self.readingTime }
}

/// The latest notices, for `:messages`.
struct MessageLog: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        var text: String
        var moment: Timestamp
    }

    private(set) var entries: [Entry] = []
    private static let maxCount = 200

    mutating func add(_ text: String, at moment: Timestamp) {
        entries.append(Entry(text: text, moment: moment))
        if entries.count > Self.maxCount { entries.removeFirst() }
    }
}

extension AppState {
    var notice: Notice? {
        get { shownNotice?.notice }
        set {
            // The same sentence again is news only if the user has done something since.
            if let newValue, newValue == shownNotice?.notice, shownNotice?.isSeen == false { return }
            shownNotice = newValue.map { ShownNotice(notice: $0, since: now) }
            if let newValue { messages.add(wording(of: newValue), at: now) }
        }
    }

    /// A key was pressed.
    mutating func noteSeen() {
        shownNotice?.isSeen = true
        dropNotice()
    }

    mutating func dropNotice() { if shownNotice?.isOver(at: now) == true { shownNotice = nil } }

    /// Milliseconds until the notice goes by itself.
    var noticeWait: Int64? {
        guard let shownNotice, shownNotice.isSeen else { return nil }
        return max(1, shownNotice.since + ShownNotice.readingTime - now)
    }

    /// Reports, once for each key, that it has no meaning here.
    mutating func reportUnbound(_ key: Key) {
        guard case .character = key, notice == nil, unboundKeys.insert(key).inserted else { return }
        shownNotice = ShownNotice(
            notice: Notice(text: "\(key.name) is not bound here; \(keyName(of: .help)) lists the keys", kind: .hint),
            since: now)
    }
}

import Annotations
import Authorization
import InstantCore
import PageLayout
import Screen

/// The line above the footer: modes and counts at the left, the state of sync at the right. If space is short, parts are
/// dropped in a fixed order; warnings and the sync state never are.
struct StatusLine {
    struct Part {
        /// From the longest wording to the shortest.
        var forms: [CleanText]
        /// The lowest rank is dropped first; nil is never dropped.
        var rank: Int?
        /// Whether it must not be overlooked.
        var isLoud = false
        var isRight = false
    }

    private(set) var parts: [Part] = []

    init(_ state: AppState, _ document: DocumentState, art: LineArt, hasTitle: Bool) {
        if !hasTitle { add(Array(document.pageForms.suffix(1)), rank: nil) }
        if let why = document.readOnlyText {
            add(["READ-ONLY", "RO"], rank: nil, isLoud: true)
            add([why], rank: 0)
        }
        if let file = document.file { add(file) }
        if let selection = document.selectionText { add(selection, rank: nil) }
        if let presenting = document.presentingText { add(presenting, rank: nil, isLoud: true) }
        if document.pending.savingCount > 0 { add(["\(document.pending.savingCount) saving"], rank: nil) }
        if document.conflicts > 0 { add(["\(document.conflicts) in conflict"], rank: nil, isLoud: true) }
        if document.status.refused > 0 { add(["\(document.status.refused) refused"], rank: nil, isLoud: true) }
        let aside = document.status.aside
        let held = document.status.parked - aside
        if held > 0 { add(["\(held) edit\(held == 1 ? "" : "s") held: no permission", "\(held) held"], rank: nil) }
        if aside > 0 {
            let edits: CleanText = "\(aside) edit\(aside == 1 ? "" : "s") put aside"
            add([edits + ": refused on the way (:sync tries again)", edits, "\(aside) put aside"], rank: nil)
        }
        if let unread = document.list.window?.unread, unread > 0, state.layout.listTitle.isEmpty {
            add(["\(unread) new"], rank: 4)
        }
        if state.openCount > 1, state.tabRows == 0 {
            add(["tab \((state.tabIndex ?? 0) + 1)/\(state.openCount)"], rank: 4)
        }
        if !state.keys.isEmpty { add([CleanText(cleaning: state.keys.shown)], rank: nil) }

        let isNeeded = document.need != nil || document.accessLost != nil
        let sync =
            document.file?.writingForms ?? document.syncForms(at: state.now, utcOffset: state.utcOffset, art: art)
        add(sync, rank: nil, isLoud: isNeeded, isRight: true)
        if !document.isLocal, let life = state.tokenLife, case .live = document.status.connection {
            let isShort = life < 15 * 60_000
            add(["token \(RelativeTime.life(milliseconds: life))"], rank: isShort ? nil : 3, isRight: true)
        }
    }

    private mutating func add(_ file: FileStatus) {
        if file.condition == .missing { add(["FILE MISSING"], rank: nil, isLoud: true) }
        if file.condition == .silent { add(["DISK DOES NOT ANSWER"], rank: nil, isLoud: true) }
        if case .unwritable = file.condition { add(["file cannot be written", "not writable"], rank: 2) }
        if file.isPrivate { add(["private: kept in memory only", "private"], rank: 2) }
        let lost = file.lostMarks.count
        if lost > 0 {
            let marks: CleanText = "\(lost) mark\(lost == 1 ? "" : "s") without words"
            add([marks + " (:lost-marks)", marks, "\(lost) lost"], rank: nil)
        }
    }

    private mutating func add(_ forms: [CleanText], rank: Int?, isLoud: Bool = false, isRight: Bool = false) {
        let forms = forms.filter { !$0.isEmpty }
        if !forms.isEmpty { parts.append(Part(forms: forms, rank: rank, isLoud: isLoud, isRight: isRight)) }
    }

    /// Shortens the parts to a width.
    mutating func fit(columns: Int) {
        var width: Int { parts.reduce(2 - Self.gap) { $0 + Self.gap + $1.forms[0].width } }
        for rank in 0...4 where width > columns {
            for index in parts.indices.reversed() where parts[index].rank == rank {
                while parts[index].forms.count > 1, width > columns { parts[index].forms.removeFirst() }
                if width > columns { parts.remove(at: index) }
            }
        }
        for index in parts.indices.reversed() {
            while parts[index].forms.count > 1, width > columns { parts[index].forms.removeFirst() }
        }
    }

    static let gap = 3

    /// Columns of the parts at the left.
    var leftWidth: Int { parts.filter { !$0.isRight }.reduce(1) { $0 + $1.forms[0].width + Self.gap } }

    /// Columns of the parts at the right.
    var rightWidth: Int { parts.filter(\.isRight).reduce(1 - Self.gap) { $0 + $1.forms[0].width + Self.gap } }
}

extension Canvas {
    mutating func drawStatus(_ state: AppState, _ document: DocumentState, in area: Area) {
        guard !area.isEmpty else { return }
        let theme = state.theme
        fill(area, style: theme.statusLine)
        let hasTitle = !state.layout.title.isEmpty
        var line = StatusLine(state, document, art: art, hasTitle: hasTitle)
        line.fit(columns: area.columns)
        let right = line.parts.filter(\.isRight)
        var column = 1
        for part in line.parts.filter({ !$0.isRight }) {
            let style = part.isLoud ? theme.loud : theme.statusLine
            column += write(part.forms[0], in: area, column: column, style: style) + StatusLine.gap
        }
        let width = right.reduce(-StatusLine.gap) { $0 + $1.forms[0].width + StatusLine.gap }
        column = max(column, area.columns - width - 1)
        for part in right {
            let style = part.isLoud ? theme.loud : theme.statusLine
            column += write(part.forms[0], in: area, column: column, style: style) + StatusLine.gap
        }
    }
}

extension FileStatus {
    /// Whether the file has every change, at the right: `3 not in the file (:w)`.
    fileprivate var writingForms: [CleanText] {
        switch condition {
        case .opening: return ["opening for editing", "opening"]
        case .writing: return ["writing"]
        case .merging: return ["changed on disk, reading it", "reading the file", "reading"]
        case .readOnly: return []
        case .ready, .silent, .missing, .unwritable: break
        }
        guard unwritten > 0 else { return [] }
        let short: CleanText = "\(unwritten) not in file"
        if condition != .ready { return ["\(unwritten) not in the file (:w FILE.pdf)", short] }
        return ["\(unwritten) not in the file (:w)", short + " (:w)", short]
    }
}

extension DocumentState {
    /// Why nothing can be written here; nil if something can, or if that is not known yet.
    fileprivate var readOnlyText: CleanText? {
        if isReadOnly { return "opened with --read-only" }
        if case .readOnly(let why)? = file?.condition { return CleanText(cleaning: why) }
        return status.grant?.mayWrite == false ? "no write permission" : nil
    }

    /// `SELECT 14 words "some of ... change"`
    fileprivate var selectionText: [CleanText]? {
        guard let range = page.selected, let glyphs = page.glyphs else { return nil }
        let count = page.carried.reduce(glyphs.wordCount(in: range)) { $0 + $1.words }
        // Parts of a word are counted in characters.
        let characters = range.count
        let isPart = count <= 1 && page.carried.isEmpty && glyphs.cutsWords(range)
        let words: CleanText =
            isPart
            ? "SELECT \(characters) character\(characters == 1 ? "" : "s")"
            : "SELECT \(count) word\(count == 1 ? "" : "s")"
        if !page.carried.isEmpty { return [words + " on \(page.carried.count + 1) pages", words] }
        return [words + " \"\(glyphs.excerpt(of: range))\"", words]
    }

    /// `PRESENTING to 3 · P to stop`, `FOLLOWING ana`, `NOT FOLLOWING · F to follow ana`
    fileprivate var presentingText: [CleanText]? {
        switch presence.presenting {
        // Without a connection the audience is unknown and receives nothing.
        case .yes where status.connection != .live: return ["PRESENTING, offline", "PRESENTING"]
        case .yes:
            return ["PRESENTING to \(presence.people.count) · P to stop", "PRESENTING to \(presence.people.count)"]
        case .asked: return ["PRESENTING?"]
        case .no: break
        }
        guard let leader = presence.leader else { return nil }
        let name = CleanText(cleaning: leader.shownName).truncated(to: 20)
        guard presence.isFollowing else { return ["NOT FOLLOWING · F to follow \(name)", "NOT FOLLOWING", "FREE"] }
        return ["FOLLOWING \(name)", "FOLLOWING \(name.truncated(to: 6))"]
    }

    /// The state of sync; while another process syncs, also which one.
    fileprivate func syncForms(at now: Timestamp, utcOffset: Int, art: LineArt) -> [CleanText] {
        let own = syncText(at: now, utcOffset: utcOffset, art: art)
        guard !isLocal, let process = status.syncedBy else {
            return uploadForms + unsentForms + [own] + shortSyncForms
        }
        let other = CleanText(cleaning: "\(process)").truncated(to: 40)
        switch status.connection {
        case .elsewhere:
            let waiting: CleanText = status.unsent > 0 ? ", unsent: \(status.unsent)" : ""
            return ["synced by \(other)\(waiting)", "by \(other)\(waiting)"]
        case .needsToken: return ["\(own), synced by \(other)", "\(own), by \(other)"]
        default: return [own]
        }
    }

    /// `Sending a file: 43%  2.1 MB of 5 MB  98 kB/s  30s left`
    private var uploadForms: [CleanText] {
        guard let upload, status.unsent > 0, case .live = status.connection else { return [] }
        let forms = [upload.transfer.sentence, upload.transfer.brief].map {
            CleanText(cleaning: "Sending a file: \($0)")
        }
        return forms + [CleanText(cleaning: "Sending \(upload.transfer.percent ?? "")")]
    }

    /// `Unsent: 1, something between here and example.com answers 403`
    private var unsentForms: [CleanText] {
        guard let why = status.unsentBecause, status.unsent > 0, !status.isSyncing, case .live = status.connection
        else { return [] }
        return [CleanText(cleaning: "Unsent: \(status.unsent), \(why)")]
    }

    /// The state of sync without the time and the reason, for narrow terminals.
    private var shortSyncForms: [CleanText] {
        let word: CleanText
        switch status.connection {
        case .offline, .idle: word = "offline"
        case .connecting: word = "connecting"
        default: return []
        }
        return status.unsent > 0 ? ["\(word), unsent: \(status.unsent)", "unsent: \(status.unsent)"] : [word]
    }

    /// `synced`, `3 unsent`, `syncing`, `offline, retry in 8 s`, `TOKEN? T`
    fileprivate func syncText(at now: Timestamp, utcOffset: Int, art: LineArt) -> CleanText {
        let unsent = status.unsent
        let waiting: CleanText = unsent > 0 ? ", unsent: \(unsent)" : ""
        switch status.connection {
        case .live where unsent > 0: return "Unsent: \(unsent)\(status.isSyncing ? ", sending" : "")"
        case .live where status.isSyncing: return "syncing"
        // An edit that was refused or is in conflict is only here.
        case .live: return conflicts + status.refused + status.parked > 0 ? "connected" : art.done + "synced"
        case .idle: return "offline\(waiting)"
        case .connecting:
            guard let last = status.lastSync else { return "connecting\(waiting)" }
            let copy = RelativeTime.near(last, at: now, utcOffset: utcOffset)
            return "local copy from \(copy), connecting\(waiting)"
        case .offline(let retryAt):
            let seconds = max(0, (retryAt - now + 999) / 1000)
            return "offline, retry in \(seconds) s\(waiting)"
        case .needsToken: return "TOKEN? T\(waiting)"
        case .elsewhere: return "synced by another process\(waiting)"
        case .lost: return "NO ACCESS\(waiting)"
        }
    }
}

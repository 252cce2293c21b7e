import Annotations
import Authorization
import InstantCore
import PageLayout
import Screen

/// The line above the footer: the user's position and the state of sync. If space is short, parts are dropped in a
/// fixed order; warnings, the page and the sync state are never dropped.
struct StatusLine {
    private struct Part {
        /// From the longest wording to the shortest.
        var forms: [CleanText]
        /// The lowest rank is dropped first; nil is never dropped.
        var rank: Int?
    }

    private var parts: [Part] = []

    init(_ state: AppState, _ document: DocumentState) {
        let title = CleanText(cleaning: document.title)
        add([title.truncated(to: 30), title.truncated(to: 14)], rank: 1)
        if !document.isLocal { add([CleanText(cleaning: document.layerName).truncated(to: 20)], rank: 2) }
        if let selection = document.selectionText { add(selection, rank: nil) }
        if document.isReadOnly || document.status.grant?.mayWrite == false { add(["READ-ONLY", "RO"], rank: nil) }
        if let presenting = document.presentingText { add(presenting, rank: nil) }
        let total = document.pageCount.map { "/\($0)" } ?? ""
        add(["p\(document.page.index + 1)\(total)", "p\(document.page.index + 1)"], rank: nil)
        add(document.syncForms(at: state.now, utcOffset: state.utcOffset), rank: nil)
        if document.pending.savingCount > 0 { add(["\(document.pending.savingCount) saving"], rank: nil) }
        if document.status.conflicts > 0 { add(["\(document.status.conflicts) in conflict"], rank: nil) }
        if document.status.refused > 0 { add(["\(document.status.refused) refused"], rank: nil) }
        let held = document.status.parked
        if held > 0 { add(["\(held) edit\(held == 1 ? "" : "s") held: no permission", "\(held) held"], rank: nil) }
        if let life = state.tokenLife, case .live = document.status.connection {
            let isShort = life < 15 * 60_000
            add(["token \(RelativeTime.life(milliseconds: life))"], rank: isShort ? nil : 3)
        }
        add(document.presence.shortForms.map { CleanText(cleaning: $0).truncated(to: 24) }, rank: 0)
        if let unread = document.list.window?.unread, unread > 0 { add(["\(unread) new"], rank: 4) }
        if state.openCount > 1, state.tabRows == 0 {
            add(["tab \((state.tabIndex ?? 0) + 1)/\(state.openCount)"], rank: 4)
        }
        if !state.keys.isEmpty { add([CleanText(cleaning: state.keys.shown)], rank: nil) }
    }

    private mutating func add(_ forms: [CleanText], rank: Int?) {
        parts.append(Part(forms: forms.filter { !$0.isEmpty }, rank: rank))
    }

    /// Returns the line for a width.
    func text(columns: Int) -> CleanText {
        var parts = parts.filter { !$0.forms.isEmpty }
        func line() -> CleanText {
            parts.enumerated().reduce(" ") { line, part in
                let isLayer = part.element.rank == 2
                return line + (part.offset == 0 ? "" : isLayer ? " / " : "   ") + part.element.forms[0]
            }
        }
        for rank in 0...4 where line().width > columns {
            for index in parts.indices.reversed() where parts[index].rank == rank {
                while parts[index].forms.count > 1, line().width > columns { parts[index].forms.removeFirst() }
                if line().width > columns { parts.remove(at: index) }
            }
        }
        for index in parts.indices.reversed() {
            while parts[index].forms.count > 1, line().width > columns { parts[index].forms.removeFirst() }
        }
        return line().truncated(to: columns)
    }
}

extension Canvas {
    mutating func drawStatus(_ state: AppState, _ document: DocumentState, in area: Area) {
        fill(area, style: state.theme.statusLine)
        write(StatusLine(state, document).text(columns: area.columns), in: area, style: state.theme.statusLine)
    }
}

extension DocumentState {
    /// `SELECT 14 words "some of ... change"`
    fileprivate var selectionText: [CleanText]? {
        guard let range = page.selected, let glyphs = page.glyphs else { return nil }
        let count = page.carried.reduce(glyphs.wordCount(in: range)) { $0 + $1.words }
        let words: CleanText = "SELECT \(count) word\(count == 1 ? "" : "s")"
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
    fileprivate func syncForms(at now: Timestamp, utcOffset: Int) -> [CleanText] {
        let own = syncText(at: now, utcOffset: utcOffset)
        guard !isLocal, let process = status.syncedBy else { return [own] }
        let other = CleanText(cleaning: "\(process)").truncated(to: 40)
        switch status.connection {
        case .elsewhere:
            let waiting: CleanText = status.unsent > 0 ? ", \(status.unsent) unsent" : ""
            return ["synced by \(other)\(waiting)", "by \(other)\(waiting)"]
        case .needsToken: return ["\(own), synced by \(other)", "\(own), by \(other)"]
        default: return [own]
        }
    }

    /// `synced`, `3 unsent`, `syncing`, `offline, retry in 8 s`, `TOKEN? T`
    fileprivate func syncText(at now: Timestamp, utcOffset: Int) -> CleanText {
        if isLocal { return "LOCAL" }
        let unsent = status.unsent
        let waiting: CleanText = unsent > 0 ? ", \(unsent) unsent" : ""
        switch status.connection {
        case .live where unsent > 0: return "\(unsent) unsent\(status.isSyncing ? ", sending" : "")"
        case .live: return status.isSyncing ? "syncing" : "synced"
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

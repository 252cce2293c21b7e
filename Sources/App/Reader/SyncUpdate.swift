import Annotations
import Authorization
import InstantCore

// Reports from `Instant`: sync status and changed records.
extension AppState {
    mutating func statusCame(_ status: SyncStatus) -> [Effect] {
        guard let old = document?.status else { return [] }
        document?.status = status
        document?.requests.isStale = true
        if old.waitingCounts != status.waitingCounts { document?.outbox.isStale = true }
        if status.connection == .live, old.connection != .live {
            if let card = token, card.isTrying || card.isEmpty, card.purpose == .layer { token = nil }
        }
        if old.grant != status.grant { notice = rightsNotice(from: old.grant, to: status.grant) ?? notice }
        if status.conflicts > old.conflicts {
            let more = status.conflicts - old.conflicts
            notice = .warning(
                more == 1 ? "One of your edits is in conflict" : "\(more) of your edits are in conflict",
                hint: .init(command: .outbox, effect: "to compare (nothing is lost)"))
        }
        if document?.accessLost == nil { document?.isLossAccepted = false }
        let gone = old.lastSync == nil && status.lastSync != nil ? findGoneDrafts() : []
        // A running download cannot continue.
        if case .lost(let why) = status.connection, case .downloading = document?.pdf { document?.pdf = .failed(why) }
        guard case .needsToken = status.connection, document?.need != nil else { return gone }
        if case .needsToken = old.connection { return gone }
        return gone + [.runHook(.tokenNeeded)] + desktopNotice("needs a token")
    }

    /// - Parameter end: By the server's clock.
    mutating func tokenExpires(at end: Timestamp) {
        guard notice == nil, let status = document?.status else { return }
        let life = end - (now + status.clockOffset)
        guard life > 0 else { return }
        notice = .warning(
            "The token expires in \(RelativeTime.life(milliseconds: life))",
            hint: .init(command: .token, effect: "to enter a new one"))
    }

    /// Returns the permission changes of a new token.
    private func rightsNotice(from old: Grant?, to new: Grant?) -> Notice? {
        guard let old, let new else { return nil }
        let change = RightsChange(from: old, to: new)
        guard !change.isEmpty else { return nil }
        if old.mayWrite, !new.mayWrite {
            let count = document?.waiting ?? 0
            let kept = count > 0 ? "; \(count) unsent edit\(count == 1 ? "" : "s") kept" : ""
            return .warning("Now read-only: this token lacks \"write\"\(kept)")
        }
        return .done((new.mayWrite && !old.mayWrite ? "This token allows writing. " : "This token: ") + change.sentence)
    }

    /// Handles changed records. Changes by others never move a cursor or the text under it: visible data is reloaded,
    /// the rest is counted.
    mutating func recordsChanged(
        _ ids: [Record.ID], _ author: String?, byOthers others: [Record.ID] = [], mentions: [Record.ID] = []
    ) -> [Effect] {
        guard let document else { return [] }
        if flashesChanges { self.document?.highlights.add(others, at: now) }
        if self.document?.refreshThrottle.changed(at: now) == true { refresh() }
        if let author { self.document?.recentAuthors.add(author) }
        var effects = ids.isEmpty || document.concernsDrafts(ids) ? findGoneDrafts() : []
        if !mentions.isEmpty {
            effects.append(.runHook(.mention(mentions, author: author)))
            let who = author ?? (mentions.count == 1 ? "Somebody" : "Others")
            notice = .done(
                "\(who) mentioned you",
                hint: .init(command: .mentions, effect: "to list mentions of you"))
            effects += desktopNotice("\(who) mentioned you")
        }
        if !others.isEmpty {
            effects.append(.runHook(.new(others, author: author)))
            effects += desktopNotice("\(others.count) new\(author.map { " by \($0)" } ?? "")")
        }
        if ids.isEmpty || document.detail.map({ ids.containsExactly($0.id) }) == true {
            self.document?.detailAsked = nil
        }
        guard author != nil, let editor = document.editor, case .record(let base) = editor.target,
            ids.isEmpty || ids.containsExactly(base.id)
        else { return effects }
        self.document?.editor?.theirAuthor = author
        return effects + [.loadRecord(base.id)]
    }

    /// A notice for the desktop, at most one in ten seconds for each layer.
    private mutating func desktopNotice(_ what: String) -> [Effect] {
        guard let document else { return [] }
        if let last = document.notifiedAt, now - last < 10_000, now >= last { return [] }
        self.document?.notifiedAt = now
        return [.notifyDesktop("\(document.name) / \(document.layerName): \(what)")]
    }

    mutating func annotationsRead() -> [Effect] {
        document?.isReading = false
        refresh()
        return findGoneDrafts()
    }

    /// Marks everything shown of the layer for reloading.
    mutating func refresh() {
        document?.list.isStale = true
        document?.page.isStale = true
        document?.outbox.isStale = true
        document?.thread.asked = nil
    }

    mutating func recordCame(_ id: Record.ID, _ record: Record?) {
        guard let document else { return }
        if document.list.cursorID.isExactly(id) { self.document?.detail = document.pending.applied(to: record, id) }
        guard let editor = document.editor, case .record(let base) = editor.target, base.id.isExactly(id),
            editor.theirAuthor != nil, let record, record.content != base.content
        else { return }
        self.document?.editor?.theirs = record
        let author = editor.theirAuthor ?? "someone"
        notice = .warning("\(author) changed this meanwhile; Enter to compare (nothing is lost)")
    }
}

extension DocumentState {
    /// Whether a draft, or the text being written, is about one of these records.
    fileprivate func concernsDrafts(_ ids: [Record.ID]) -> Bool {
        let keys = Array(drafts.keys) + [editor?.draftKey].compactMap(\.self)
        guard keys.contains(where: { !$0.records.isEmpty }) else { return false }
        let changed = Set(ids.map(ByteOrdered.init))
        return keys.contains { $0.records.contains { changed.contains(ByteOrdered($0)) } }
    }
}

extension SyncStatus {
    fileprivate var waitingCounts: [Int] { [unsent, parked, conflicts, refused] }
}

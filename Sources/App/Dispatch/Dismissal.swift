/// A pending exit, which waits until everything is saved.
enum Departure: Equatable, Sendable {
    /// Leaves the layer on the screen.
    case tab
    case program
    /// The process received a request to terminate. Text that cannot be saved becomes a draft.
    case termination
}

// Closing open items one at a time, and quitting.
extension AppState {
    /// Closes the topmost overlay, else the innermost of what else is open; nil if nothing is.
    mutating func escape() -> [Effect]? {
        switch overlay {
        case .question, .prompt: return promptLeft()
        case .picker: picker = nil
        case .help: closeHelp()
        case .token:
            token = nil
            let need = document?.need
            document?.refusedNeed = need
        case .conflict: document?.conflict = nil
        case .editor: return closeEditor()
        case .look: document?.look = nil
        case .reader:
            document?.reader = nil
            document?.isReviewing = false
        case .lost: document?.isLossAccepted = true
        case .requests: document?.requests = RequestLog()
        case .outbox: document?.outbox.isOpen = false
        case nil: return escapeInPanes()
        }
        return []
    }

    private mutating func closeEditor() -> [Effect] {
        guard let editor = document?.editor else { return [] }
        if document?.pending.hasFailures == true { document?.dropFailed() }
        let effects = editor.input.isEmpty ? forgetDraft(editor.draftKey) : keepDraft()
        if !editor.input.isEmpty, !effects.isEmpty {
            let sentence = wayBack(to: editor.draftKey)
            document?.draftToTell = DraftToTell(editor.draftKey, sentence)
        }
        document?.editor = nil
        return effects
    }

    private mutating func escapeInPanes() -> [Effect]? {
        guard let document else { return nil }
        if document.pending.hasFailures { self.document?.dropFailed() }
        if document.presence.isShown {
            self.document?.presence.isShown = false
            return []
        }
        if document.page.selection != nil {
            self.document?.page.dropSelection()
            return []
        }
        if document.page.search != nil { return leaveSearch() }
        if !document.list.marks.isEmpty {
            self.document?.list.marks = ListMarks()
            return []
        }
        if document.focus == .thread {
            self.document?.focus = .list
            return []
        }
        if !document.list.filter.isEmpty {
            setFilter("")
            return []
        }
        if case .downloading = document.pdf { return [.cancelDownload] }
        return nil
    }

    /// The keys for quitting, shown when the user presses Ctrl-C with nothing to cancel.
    var howToLeave: String {
        if tabs.count > 0 { return "Press q to close this tab, :quit to quit" }
        return hasLibrary && document != nil ? "Press q to leave this layer, q again to quit" : "Press q to quit"
    }

    mutating func leave() -> [Effect] {
        if overlay != nil, overlay != .lost { return escape() ?? [] }
        return depart(document == nil ? .program : .tab)
    }

    /// Quits as soon as everything is saved, usually immediately.
    mutating func depart(_ departure: Departure) -> [Effect] {
        guard let loss = loss(before: departure) else { return leaveNow(departure) }
        prompt = Prompt(.confirm(.loseChanges(departure)), label: loss)
        return []
    }

    /// The question before changes are lost that are kept in memory only; nil if none are.
    private func loss(before departure: Departure) -> String? {
        guard departure != .termination else { return nil }
        let layers = layers(before: departure)
        // Several tabs may show one file.
        var kept = Set(departure == .tab ? (tabs.before + tabs.after).compactMap { $0.file?.id } : []).subtracting([""])
        let unwritten = layers.compactMap { layer -> String? in
            guard let file = layer.file, file.isPrivate, !file.isShared, !kept.contains(file.id) else { return nil }
            // The engine may not have counted the newest edits yet.
            let count = max(file.unwritten, layer.pending.savingCount)
            if count > 0, !file.id.isEmpty { kept.insert(file.id) }
            return count > 0 ? "\(FileStatus.changes(count)) not in \(file.name)" : nil
        }
        let removed = layers.filter { $0.unsentWithoutCopy > 0 && $0.rescuedTo == nil }
        var losses = unwritten + removed.map { "\(AppState.unsentEdits($0.unsentWithoutCopy)) of \($0.name)" }
        let drafts = layers.reduce(0) { $0 + $1.unkept.count }
        if let why = layers.lazy.compactMap(\.draftProblem).first {
            losses.append("\(drafts == 1 ? "a draft" : "\(drafts) drafts") not kept (\(why))")
        }
        guard !losses.isEmpty else { return nil }
        return "Lose \(losses.joined(separator: ", "))? \(removed.isEmpty ? "" : "s save, ")y/N "
    }

    /// Quits as soon as everything is saved, usually immediately, whatever is lost.
    mutating func leaveNow(_ departure: Departure) -> [Effect] {
        self.departure = departure
        acceptsLoss = loss(before: departure) != nil
        let count = savingCount(before: departure)
        if isWriting(before: departure) {
            notice = .done("Writing the file before leaving")
        } else if count > 0 {
            notice = .done("Saving \(count == 1 ? "an edit" : "\(count) edits") before leaving")
        }
        return departIfSaved()
    }

    mutating func departIfSaved() -> [Effect] {
        guard let departure, savingCount(before: departure) == 0, !isWriting(before: departure),
            !isKeepingDrafts(before: departure)
        else { return [] }
        self.departure = nil
        if !acceptsLoss, let loss = loss(before: departure) {
            prompt = Prompt(.confirm(.loseChanges(departure)), label: loss)
            return []
        }
        acceptsLoss = false
        return departure == .tab ? closeTab() : quit()
    }

    /// Cancels the exit because the user pressed a key.
    mutating func stay() {
        guard departure != .termination else { return }
        departure = nil
        acceptsLoss = false
    }

    func layers(before departure: Departure) -> [DocumentState] {
        departure == .tab ? document.map { [$0] } ?? [] : openLayers
    }

    private func savingCount(before departure: Departure) -> Int {
        layers(before: departure).reduce(0) { $0 + $1.pending.savingCount }
    }

    /// Whether drafts are being stored: whether they can be is known after that.
    private func isKeepingDrafts(before departure: Departure) -> Bool {
        departure != .termination && layers(before: departure).contains { $0.draftsAsked > 0 }
    }

    /// The engine finishes a write although the program ends; only who asked for it wants to see how it ended.
    private func isWriting(before departure: Departure) -> Bool {
        departure != .termination && layers(before: departure).contains { $0.writesAsked > 0 }
    }

    mutating func quit() -> [Effect] {
        hasQuit = true
        return keepAllPlaces() + [.quit]
    }

    /// The message printed when the program ends.
    package var farewell: String? {
        let layers = openLayers.filter { $0.farewell != nil }
        let isNamed = layers.count + lastWords.count > 1
        let words = layers.compactMap { layer in
            layer.farewell.map { isNamed && !layer.isLocal ? "\(layer.title): \($0)" : $0 }
        }
        let all = lastWords + words
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }
}

extension DocumentState {
    /// Drops failed edits, because the user has seen the error.
    fileprivate mutating func dropFailed() {
        pending.dropFailed()
        (list.isStale, page.isStale, thread.asked) = (true, true, nil)
    }

    /// The summary of unsent edits, shown on leaving.
    var farewell: String? {
        if let file { return file.farewell }
        if unsentWithoutCopy > 0 {
            return rescuedTo.map { "unsent edits saved in \($0)" }
                ?? "\(unsentWithoutCopy) unsent, lost with the local copy"
        }
        return waiting > 0 ? "\(waiting) unsent, kept for the next sync" : nil
    }
}

import Annotations

// Several open layers: one is shown, the others stay active in the background.
extension AppState {
    /// Moves between tabs, wrapping around; the library, if any, is the first.
    mutating func turnTab(by step: Int) -> [Effect] {
        let first = hasLibrary ? -1 : 0
        let count = openCount - first
        guard count > 1 else {
            return only(.warning("No other tabs; :open to open a PDF or a layer"))
        }
        let target = (((tabIndex ?? -1) - first + step) % count + count) % count + first
        return show(tab: target < 0 ? nil : target)
    }

    /// - Parameter index: Index among the open layers; nil for the library.
    mutating func show(tab index: Int?) -> [Effect] {
        let kept = keepDraft()
        document?.cardAside = token
        document?.heldKeys = nil
        var layers = openLayers
        (document, token, help, picker) = (nil, nil, nil, nil)
        keys.clear()
        letterUse = nil
        guard let index, layers.indices.contains(index) else {
            tabs = Tabs(before: [], after: layers)
            return kept + [.loadLibrary]
        }
        var shown = layers.remove(at: index)
        token = shown.cardAside
        shown.cardAside = nil
        tabs = Tabs(before: Array(layers[..<index]), after: Array(layers[index...]))
        document = shown
        return kept + [.select(shown.reference)]
    }

    mutating func showLibrary() -> [Effect] {
        hasLibrary = true
        return show(tab: nil)
    }

    /// Opens a PDF on disk, or asks for a token of a layer on a server.
    mutating func open(_ name: String) -> [Effect] {
        guard !name.isEmpty else {
            return only(.warning("Usage: open FILE.pdf or open SERVER; :library lists the layers here"))
        }
        guard name.lowercased().ends(with: ".pdf"), !name.contains(scalars: "://") else {
            token = TokenCard(.join(server: name))
            return []
        }
        notice = .done(Self.openingWord + name)
        return [.openFile(name)]
    }

    /// Begins the notice that lasts until a file is open.
    static let openingWord = "Opening "

    /// Handles an opened layer: shows it, unless the user is typing or choosing.
    mutating func opened(_ layer: OpenedLayer) -> [Effect] {
        let isBusy = (document != nil || hasLibrary) && self.isBusy
        opening = nil
        if notice?.text.begins(with: Self.openingWord) == true { notice = nil }
        if !isBusy { token = nil }
        if let tab = tab(of: layer.reference) { return isBusy ? [] : show(tab: tab) }
        // Next to the current tab; from the library, as the last one.
        let place = document == nil ? tabs.after.count : 0
        var opened = DocumentState(layer)
        opened.page.chosenView = pageView
        tabs.after.insert(opened, at: place)
        guard isBusy else {
            let shown = show(tab: tabs.before.count + (document == nil ? place : 1))
            return shown + findGoneDrafts() + (layer.hasPDF ? [] : download())
        }
        notice = .done("\(layer.title ?? layer.reference.documentID) is open; ] to show it")
        return inBackground(layer.reference) { $0.findGoneDrafts() + (layer.hasPDF ? [] : $0.download()) }
    }

    /// Whether the user is typing or choosing something that opening a layer would take away.
    private var isBusy: Bool {
        switch overlay {
        case .token: token?.isTrying == false && token?.isEmpty == false
        case .question, .prompt, .picker, .editor, .conflict, .help: true
        case .look, .reader, .lost, .requests, .outbox, nil: false
        }
    }

    // MARK: Closing

    /// Closes the layer that is shown and shows a neighbour or the library, or quits.
    mutating func closeTab() -> [Effect] {
        let words = document.map { [$0.writtenLast, $0.farewell].compactMap(\.self) } ?? []
        let hadNext = !tabs.after.isEmpty
        let closing = keepPlace() + [.closeLayer]
        document = nil
        token = nil
        keys.clear()
        notice = words.isEmpty || !hasLibrary && tabs.count == 0 ? nil : .done(words.joined(separator: "; "))
        if tabs.count > 0 {
            let next = hadNext ? tabs.before.count : tabs.before.count - 1
            return closing + show(tab: next)
        }
        guard !hasLibrary else { return closing + [.loadLibrary] }
        lastWords += words
        return closing + quit()
    }

    /// Closes the layer and removes it from this machine.
    mutating func removeLayer(_ reference: LayerReference, unsent: Int) -> [Effect] {
        if document?.reference == reference {
            var effects = closeTab().filter { $0 != .loadLibrary }
            effects.insert(
                .removeLayer(reference, unsent: unsent), at: (effects.firstIndex(of: .closeLayer) ?? 0) + 1)
            return effects
        }
        tabs.before.removeAll { $0.reference == reference }
        tabs.after.removeAll { $0.reference == reference }
        return [.removeLayer(reference, unsent: unsent)]
    }

    // MARK: In the background

    /// Handles a message about an open layer, shown or not.
    mutating func handle(_ message: Message, of reference: LayerReference) -> [Effect] {
        if document?.reference == reference { return handle(message) }
        return inBackground(reference) { $0.handle(message) }
    }

    /// Applies a change to a layer that is not shown; only its tab and warnings or errors are visible to the user.
    private mutating func inBackground(
        _ reference: LayerReference, _ body: (inout AppState) -> [Effect]
    ) -> [Effect] {
        guard let place = place(of: reference) else { return [] }
        let front = (document, token, shownNotice)
        let asked = (prompt, picker, picture, refused)
        picture = nil
        document = tabs[place]
        (token, shownNotice) = (document?.cardAside, nil)
        let effects = body(&self) + reconcile()
        let problem = notice.flatMap { $0.kind == .done ? nil : $0 }
        document?.cardAside = token
        if let changed = document { tabs[place] = changed }
        let title = document?.title ?? ""
        (document, token, shownNotice) = front
        (prompt, picker, picture, refused) = asked
        // What went wrong matters more than what was done.
        let isFree = notice == nil || notice?.kind == .done && problem?.kind == .error
        if let problem, isFree { notice = Notice(text: "\(title): \(problem.text)", kind: problem.kind) }
        guard !effects.isEmpty else { return [] }
        return [.select(reference)] + effects + (document.map { [.select($0.reference)] } ?? [])
    }

    private func place(of reference: LayerReference) -> Tabs.Place? {
        if let index = tabs.before.firstIndex(where: { $0.reference == reference }) { return .before(index) }
        return tabs.after.firstIndex { $0.reference == reference }.map { .after($0) }
    }
}

extension Tabs {
    fileprivate enum Place { case before(Int), after(Int) }

    fileprivate subscript(place: Place) -> DocumentState {
        get {
            switch place {
            case .before(let index): before[index]
            case .after(let index): after[index]
            }
        }
        set {
            switch place {
            case .before(let index): before[index] = newValue
            case .after(let index): after[index] = newValue
            }
        }
    }
}

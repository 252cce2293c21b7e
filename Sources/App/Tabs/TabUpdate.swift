// Several layers side by side: one is shown, the others go on behind it.
extension AppState {
    /// From tab to tab, round and round; the library, where there is one, is the first.
    mutating func turnTab(by step: Int) -> [Effect] {
        let first = hasLibrary ? -1 : 0
        let count = openCount - first
        guard count > 1 else {
            return only(.warning("No other tabs; :open to open a PDF or a layer"))
        }
        let target = (((tabIndex ?? -1) - first + step) % count + count) % count + first
        return show(tab: target < 0 ? nil : target)
    }

    /// - Parameter index: of the open layers; nil: the library.
    mutating func show(tab index: Int?) -> [Effect] {
        let kept = keepDraft()
        document?.cardAside = token
        var layers = openLayers
        (document, token, help, picker) = (nil, nil, nil, nil)
        keys.clear()
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

    /// Opens what was named: a PDF on the disk, or a layer on a server, which a token names.
    mutating func open(_ name: String) -> [Effect] {
        guard !name.isEmpty else {
            return only(.warning("Usage: open FILE.pdf or open SERVER; :library lists the layers here"))
        }
        guard name.lowercased().hasSuffix(".pdf"), !name.contains("://") else {
            token = TokenCard(.join(server: name))
            return []
        }
        notice = .done("Opening \(name)")
        return [.openFile(name)]
    }

    /// A layer is open: it is shown, unless something is being written or chosen just now.
    mutating func opened(_ layer: OpenedLayer) -> [Effect] {
        let isBusy = document != nil && (prompt != nil || picker != nil || document?.editor != nil)
        opening = nil
        token = nil
        if let tab = tab(of: layer.reference) { return isBusy ? [] : show(tab: tab) }
        // Beside what is shown; from the library, last of all.
        let place = document == nil ? tabs.after.count : 0
        var opened = DocumentState(layer)
        opened.page.chosenView = pageView
        tabs.after.insert(opened, at: place)
        guard isBusy else {
            let shown = show(tab: tabs.before.count + (document == nil ? place : 1))
            return shown + (layer.hasPDF ? [] : download())
        }
        notice = .done("\(layer.title ?? layer.reference.documentID) is open; ] to show it")
        return layer.hasPDF ? [] : inBackground(layer.reference) { $0.download() }
    }

    // MARK: Closing

    /// Leaves the layer that is shown for the one beside it, for the library, or for good.
    mutating func closeTab() -> [Effect] {
        let kept = document.flatMap(\.farewell)
        let hadNext = !tabs.after.isEmpty
        document = nil
        token = nil
        keys.clear()
        notice = kept.map { .done($0) }
        if tabs.count > 0 {
            let next = hadNext ? tabs.before.count : tabs.before.count - 1
            return [.closeLayer] + show(tab: next)
        }
        return [.closeLayer] + (hasLibrary ? [.loadLibrary] : quit())
    }

    /// The layer is no longer wanted on this machine.
    mutating func removeLayer(_ reference: LayerReference) -> [Effect] {
        if document?.reference == reference {
            var effects = closeTab().filter { $0 != .loadLibrary }
            effects.insert(.removeLayer(reference), at: 1)
            return effects
        }
        tabs.before.removeAll { $0.reference == reference }
        tabs.after.removeAll { $0.reference == reference }
        return [.removeLayer(reference)]
    }

    // MARK: Behind the one that is shown

    /// What happened to one of the open layers, wherever it is.
    mutating func handle(_ message: Message, of reference: LayerReference) -> [Effect] {
        if document?.reference == reference { return handle(message) }
        return inBackground(reference) { $0.handle(message) }
    }

    /// Does something with a layer that is not shown; the person sees nothing of it but its tab, and what went wrong.
    private mutating func inBackground(
        _ reference: LayerReference, _ body: (inout AppState) -> [Effect]
    ) -> [Effect] {
        guard let place = place(of: reference) else { return [] }
        let front = (document, token, notice)
        let asked = (prompt, picker, picture)
        picture = nil
        document = tabs[place]
        (token, notice) = (document?.cardAside, nil)
        let effects = body(&self) + reconcile()
        let problem = notice.flatMap { $0.kind == .done ? nil : $0 }
        document?.cardAside = token
        if let changed = document { tabs[place] = changed }
        let title = document?.title ?? ""
        (document, token, notice) = front
        (prompt, picker, picture) = asked
        if let problem, notice == nil { notice = Notice(text: "\(title): \(problem.text)", kind: problem.kind) }
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

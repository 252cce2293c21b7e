import Screen

/// The layers that are open beside the one that is shown, in the order of their tabs.
struct Tabs: Equatable, Sendable {
    /// To the left of the one that is shown.
    var before: [DocumentState] = []
    /// To its right; all of them while the library is shown.
    var after: [DocumentState] = []

    var count: Int { before.count + after.count }
}

extension AppState {
    /// Whether a layer is shown. Asked at every key; to compare the document with nil would copy all of it.
    var hasDocument: Bool {
        if case .some = document { return true }
        return false
    }

    var openCount: Int { tabs.count + (hasDocument ? 1 : 0) }

    /// Every open layer, from left to right.
    var openLayers: [DocumentState] { tabs.before + (document.map { [$0] } ?? []) + tabs.after }

    /// Counted from 0; nil: the library is shown.
    var tabIndex: Int? { hasDocument ? tabs.before.count : nil }

    func tab(of reference: LayerReference) -> Int? { openLayers.firstIndex { $0.reference == reference } }

    /// Rows of the bar that names the tabs: none where there is nothing to choose from, or no room.
    var tabRows: Int { tabs.count > 0 && size.rows >= 12 ? 1 : 0 }
}

import Screen

/// The open layers other than the one that is shown, in tab order.
struct Tabs: Equatable, Sendable {
    /// Left of the one that is shown.
    var before: [DocumentState] = []
    /// Right of it; all of them while the library is shown.
    var after: [DocumentState] = []

    var count: Int { before.count + after.count }
}

extension AppState {
    /// Whether a layer is shown. Evaluated for every key; comparing the document with nil would copy all of it.
    var hasDocument: Bool {
        if case .some = document { return true }
        return false
    }

    var openCount: Int { tabs.count + (hasDocument ? 1 : 0) }

    /// All open layers, from left to right.
    var openLayers: [DocumentState] { tabs.before + (document.map { [$0] } ?? []) + tabs.after }

    /// Counted from 0; nil while the library is shown.
    var tabIndex: Int? { hasDocument ? tabs.before.count : nil }

    func tab(of reference: LayerReference) -> Int? { openLayers.firstIndex { $0.reference == reference } }

    /// Rows of the tab bar: none if no other tab exists, or on a small screen.
    var tabRows: Int { tabs.count > 0 && size.rows >= 12 ? 1 : 0 }
}

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
    var openCount: Int { tabs.count + (document == nil ? 0 : 1) }

    /// Every open layer, from left to right.
    var openLayers: [DocumentState] { tabs.before + (document.map { [$0] } ?? []) + tabs.after }

    /// Counted from 0; nil: the library is shown.
    var tabIndex: Int? { document == nil ? nil : tabs.before.count }

    func tab(of reference: LayerReference) -> Int? { openLayers.firstIndex { $0.reference == reference } }

    /// Rows of the bar that names the tabs: none where there is nothing to choose from, or no room.
    var tabRows: Int { openCount > (document == nil ? 0 : 1) && size.rows >= 12 ? 1 : 0 }
}

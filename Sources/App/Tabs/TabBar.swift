import InstantCore
import Screen

/// The tab bar: ` Library   hotos17 / review 2 new  [plan / main]`. If space is short, it shows the tabs around the
/// current one, and `<` or `>` for the others.
struct TabBar {
    struct Label: Equatable {
        /// nil for the library.
        var tab: Int?
        var text: CleanText
        var column = 0
    }

    private(set) var labels: [Label]
    /// Index of the current tab's label.
    private(set) var current: Int
    private(set) var isCutLeft = false
    private(set) var isCutRight = false

    init(_ state: AppState, columns: Int) {
        let most = max(6, columns / 2 - 4)
        var all: [Label] = state.hasLibrary ? [Label(tab: nil, text: "Library")] : []
        for (index, layer) in state.openLayers.enumerated() {
            let facts = index == state.tabIndex ? CleanText() : layer.tabFacts
            let name = layer.tabName(columns: most)
            all.append(Label(tab: index, text: name + facts))
        }
        let shown = all.firstIndex { $0.tab == state.tabIndex } ?? 0
        for index in all.indices {
            all[index].text = index == shown ? "[" + all[index].text + "]" : " " + all[index].text + " "
        }
        var range = shown...shown
        func width(_ range: ClosedRange<Int>) -> Int { all[range].reduce(3) { $0 + $1.text.width + 1 } }
        while true {
            if range.upperBound + 1 < all.count, width(range.lowerBound...range.upperBound + 1) <= columns {
                range = range.lowerBound...range.upperBound + 1
            } else if range.lowerBound > 0, width(range.lowerBound - 1...range.upperBound) <= columns {
                range = range.lowerBound - 1...range.upperBound
            } else {
                break
            }
        }
        (isCutLeft, isCutRight) = (range.lowerBound > 0, range.upperBound + 1 < all.count)
        current = shown - range.lowerBound
        labels = Array(all[range])
        var column = isCutLeft ? 2 : 1
        for index in labels.indices {
            labels[index].column = column
            column += labels[index].text.width + 1
        }
    }
}

extension Canvas {
    mutating func drawTabs(_ state: AppState, in area: Area) {
        guard !area.isEmpty else { return }
        let bar = TabBar(state, columns: area.columns)
        if bar.isCutLeft { write("<", in: area, style: state.theme.dimmed) }
        for (index, label) in bar.labels.enumerated() {
            let style = index == bar.current ? state.theme.title : state.theme.text
            write(label.text.truncated(to: area.columns - label.column), in: area, column: label.column, style: style)
        }
        if bar.isCutRight { write(">", in: area, column: area.columns - 1, style: state.theme.dimmed) }
    }
}

extension DocumentState {
    /// Returns the tab's name. A long name keeps both its parts, because layers of one document differ in the second.
    fileprivate func tabName(columns: Int) -> CleanText {
        let name = name
        guard !isLocal else { return CleanText(cleaning: name).truncated(to: columns) }
        let whole: CleanText = "\(name) / \(layerName)"
        guard whole.width > columns else { return whole }
        let layer = CleanText(cleaning: layerName).truncated(to: max(4, columns / 2 - 3))
        return "\(CleanText(cleaning: name).truncated(to: max(1, columns - layer.width - 3))) / \(layer)"
    }

    /// What the user should know about a layer that is not shown.
    fileprivate var tabFacts: CleanText {
        var facts: [CleanText] = []
        if let unread = list.window?.unread, unread > 0 { facts.append("\(unread) new") }
        if let file {
            if file.condition == .missing { facts.append("missing") }
            if file.condition == .silent { facts.append("no answer") }
            if file.unwritten > 0 { facts.append("\(file.unwritten) not in the file") }
        } else if waiting > 0 {
            facts.append("\(waiting) unsent")
        }
        if need != nil { facts.append("TOKEN?") }
        if accessLost != nil { facts.append("NO ACCESS") }
        if presence.presenting == .yes { facts.append("PRESENTING") }
        return facts.isEmpty ? CleanText() : " " + facts.joined(separator: ", ")
    }
}

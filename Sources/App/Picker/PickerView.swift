import Screen

extension AppState {
    /// As tall as the picker is without input, so that it does not jump while the user types.
    fileprivate var pickerBox: OverlayBox {
        OverlayBox(size, rows: 1 + min(picker?.items.count ?? 0, 24), columns: OverlayBox.maxColumns)
    }

    /// Rows for items.
    var pickerRows: Int { pickerBox.inside.rows - 1 }
}

extension Canvas {
    mutating func drawPicker(_ picker: Picker, _ state: AppState) {
        let box = state.pickerBox
        draw(box, CleanText(cleaning: "\(picker.title) \(picker.matches.count)/\(picker.items.count)"), state)
        let (line, inside) = box.inside.split(top: 1)
        let hasBar = picker.matches.count > inside.rows
        let area = hasBar ? inside.split(right: 2).rest : inside
        if hasBar {
            drawScrollBar(
                top: picker.top, total: picker.matches.count, state.theme, in: inside.split(right: 1).right)
        }
        drawLine(picker.input, label: CleanText(cleaning: picker.label), state.theme, in: line)
        if picker.matches.isEmpty { write("No matches.", in: area, column: 2, style: state.theme.dimmed) }
        let form = PickerForm(picker, columns: area.columns)
        for (row, match) in picker.matches.dropFirst(picker.top).prefix(area.rows).enumerated() {
            let item = picker.items[match]
            let isCurrent = picker.top + row == picker.cursor
            let style = item.denial == nil ? state.theme.text : state.theme.dimmed
            let bar = isCurrent ? CleanText(cleaning: String(art.bar)) : " "
            write(form.line(item, bar), in: area, row: row, style: isCurrent ? state.theme.selection : style)
        }
    }
}

/// The layout of the items: names, details, keys at the right.
private struct PickerForm {
    let columns: Int
    let names: Int
    let keys: Int

    init(_ picker: Picker, columns: Int) {
        self.columns = columns
        let widths = picker.items.prefix(200).map { CleanText(cleaning: $0.name).width }
        // A few letters of a detail say nothing.
        let hasDetails = columns >= 40 && picker.items.contains { !$0.detail.isEmpty }
        keys = picker.items.contains { !$0.key.isEmpty } && columns >= 60 ? 15 : 0
        names =
            hasDetails
            ? min(max(8, widths.max() ?? 0), max(10, columns < 60 ? columns * 3 / 5 : columns * 2 / 5))
            : columns - keys - 4
    }

    func line(_ item: Picker.Item, _ bar: CleanText) -> CleanText {
        let name = CleanText(cleaning: item.name).truncated(to: names).padded(to: names)
        let start: CleanText = "\(bar) \(name)  "
        let room = max(0, columns - start.width - keys)
        let detail = CleanText(cleaning: item.denial?.asSentence ?? item.detail)
            .truncated(to: keys > 0 ? room - 2 : room).padded(to: room)
        return start + detail + CleanText(cleaning: item.key).truncated(to: max(0, keys - 1)).padded(to: keys)
    }
}

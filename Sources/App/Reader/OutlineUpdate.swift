import PDFPages

// The outline, and pages by their printed labels.
extension AppState {
    mutating func showOutline() {
        guard let document else { return }
        guard let navigation = document.navigation else {
            self.document?.awaitsOutline = true
            notice = .done("Reading the outline")
            return
        }
        guard !navigation.outline.isEmpty else {
            notice = .warning("This PDF has no outline")
            return
        }
        let items = navigation.outline.map { entry in
            Picker.Item(
                name: String(repeating: "  ", count: entry.depth) + entry.title,
                key: entry.pageIndex.map { "p\(document.label(of: $0))" } ?? "", choice: .page(entry.pageIndex ?? 0),
                denial: entry.pageIndex == nil ? "has no page in this PDF" : nil)
        }
        var picker = Picker("Outline", label: "Heading: ", items: items)
        let here = navigation.outline.lastIndex { ($0.pageIndex ?? .max) <= document.page.index }
        picker.move(to: here ?? 0)
        self.picker = picker
    }

    mutating func navigationCame(_ navigation: PDFNavigation) {
        let isAwaited = document?.awaitsOutline ?? false
        document?.navigation = navigation
        document?.awaitsOutline = false
        if isAwaited, mayInterrupt { showOutline() }
    }

    /// Returns the page with this printed label, else with this number.
    func pageIndex(named name: String) -> Int? {
        guard let document else { return nil }
        if let index = document.navigation?.labels.firstIndex(where: { $0.lowercased() == name.lowercased() }) {
            return index
        }
        guard let number = Int(name), number > 0, number <= document.pageCount ?? .max else { return nil }
        return number - 1
    }
}

extension DocumentState {
    /// Returns the printed label of a page, or its number if the file has no label for it.
    func label(of page: Int) -> String {
        guard let labels = navigation?.labels, labels.indices.contains(page), !labels[page].isEmpty else {
            return "\(page + 1)"
        }
        return labels[page]
    }
}

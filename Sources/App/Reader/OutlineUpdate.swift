import PDFPages

// The outline, and pages by what is printed on them.
extension AppState {
    mutating func showOutline() {
        guard let document else { return }
        guard let navigation = document.navigation else {
            notice = .done("Reading the outline; press the key again")
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

    /// The page that is called so: by what is printed on it, else by its number.
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
    /// What is printed on a page; its number where the file does not say.
    func label(of page: Int) -> String {
        guard let labels = navigation?.labels, labels.indices.contains(page), !labels[page].isEmpty else {
            return "\(page + 1)"
        }
        return labels[page]
    }
}

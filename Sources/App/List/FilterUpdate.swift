import InstantCore

// Choosing what the list shows.
extension AppState {
    /// All that the list of this layer can be filtered by, and how many rows that leaves.
    mutating func chooseFilter(_ facets: ListFacets) {
        guard let document else { return }
        let terms = FilterText.terms(of: document.list.filter)
        var items = [
            Picker.Item(name: "is:unread", detail: "changed by others, not seen yet", choice: .term("is:unread")),
            Picker.Item(name: "is:unsent", detail: "not sent yet", choice: .term("is:unsent")),
            Picker.Item(
                name: "page:\(document.page.index + 1)", detail: "the current page",
                choice: .term("page:\(document.page.index + 1)")),
        ]
        func add(_ name: String, _ value: String, _ count: Int) {
            let term = "\(name):\(FilterText.quoted(value))"
            items.append(Picker.Item(name: term, detail: "\(count)", choice: .term(term)))
        }
        for kind in facets.kinds { add("kind", FilterText.term(kind.value), kind.count) }
        for author in facets.authors { add("by", author.value, author.count) }
        for group in facets.groups { add("group", group.value, group.count) }
        if !facets.groups.isEmpty {
            items.append(Picker.Item(name: "group:", detail: "without a group", choice: .term("group:")))
        }
        var picker = Picker("Filter the list by", label: "Filter: ", items: items)
        picker.mark { if case .term(let term) = $0 { terms.contains(term) } else { false } }
        self.picker = picker
    }

    /// More is found, perhaps, in the list that is shown.
    mutating func quoted() {
        if document?.list.query.filter.inQuotes == true { document?.list.isStale = true }
    }

    /// Takes a term into the filter, or out of it.
    mutating func toggleTerm(_ term: String) {
        guard let filter = document?.list.filter else { return }
        setFilter(FilterText.toggled(term, in: filter))
    }
}

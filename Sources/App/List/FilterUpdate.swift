import InstantCore

// Choosing what the list shows.
extension AppState {
    /// Opens the picker with every filter term of this layer and the number of rows each matches.
    mutating func chooseFilter(_ facets: ListFacets) {
        guard let document, isAwaiting else { return }
        let terms = FilterSyntax.terms(of: document.list.filter)
        var items = [
            Picker.Item(name: "is:unread", detail: "changed by others, not seen yet", choice: .term("is:unread")),
            Picker.Item(name: "is:unsent", detail: "not sent yet", choice: .term("is:unsent")),
            Picker.Item(
                name: "is:resolved", detail: "accepted, rejected, cancelled or completed", choice: .term("is:resolved")),
            Picker.Item(name: "is:open", detail: "not resolved", choice: .term("is:open")),
            Picker.Item(
                name: FilterSyntax.mention, detail: "a comment mentions you", choice: .term(FilterSyntax.mention)),
            Picker.Item(
                name: "page:\(document.page.index + 1)", detail: "the current page",
                choice: .term("page:\(document.page.index + 1)")),
        ]
        func add(_ name: String, _ value: String, _ count: Int) {
            let term = "\(name):\(FilterSyntax.quoted(value))"
            items.append(Picker.Item(name: term, detail: "\(count)", choice: .term(term)))
        }
        items.append(
            Picker.Item(
                name: FilterSyntax.showAll, detail: "with links, form fields and other hidden rows",
                choice: .term(FilterSyntax.showAll)))
        for kind in facets.kinds { add("kind", FilterSyntax.term(kind.value), kind.count) }
        for author in facets.authors { add("by", author.value, author.count) }
        for group in facets.groups { add("group", group.value, group.count) }
        if !facets.groups.isEmpty {
            items.append(Picker.Item(name: "group:", detail: "without a group", choice: .term("group:")))
        }
        var picker = Picker("Filter the list by", label: "Filter: ", items: items)
        picker.mark { if case .term(let term) = $0 { terms.contains(term) } else { false } }
        self.picker = picker
    }

    /// Reloads the list, because its filter may now match more rows.
    mutating func quoted() {
        if document?.list.query.filter.inQuotes == true { document?.list.isStale = true }
    }

    /// Adds furniture to the list, or hides it again.
    mutating func toggleHidden() { toggleTerm(FilterSyntax.showAll) }

    /// Adds a term to the filter, or removes it.
    mutating func toggleTerm(_ term: String) {
        guard let filter = document?.list.filter else { return }
        setFilter(FilterSyntax.toggled(term, in: filter))
    }
}

import Annotations

// Writes the pages' lists of annotations.
extension AnnotatedPDF {
    /// Writes the changed lists, and ends the update.
    ///
    /// - Returns: what the finished file must hold; nil if that cannot be checked.
    mutating func finish() throws -> ReadBack? {
        try finishReplies()
        let popups = popupsOfTheMissing
        let shared = sharedLists
        for index in tree.pages.indices {
            guard let id = tree.pages[index].id, let value = dump.value(id), var page = ObjectSource(value) else {
                continue
            }
            let (items, place) = list(of: index)
            var (kept, isChanged): ([ArraySlice<UInt8>], Bool) = ([], !added[index].isEmpty)
            for (position, item) in items.enumerated() {
                let new = try keep(item, at: position, page: index, popups)
                if new != item { isChanged = true }
                if let new { kept.append(new) }
            }
            guard isChanged else { continue }
            let list = ObjectSource.array(kept + added[index].map { Array("\"\($0.text)\"".utf8)[...] })
            if let place, !shared.contains(place) {
                try update.add(list[...], as: place)
            } else {
                page["Annots"] = list[...]
                try update.add(page.json[...], as: id)
            }
        }
        for popup in popups { try update.free(popup) }
        expectOwn()
        try dump.checkTime()
        try update.end()
        return readBack
    }

    /// Returns the items of a page's list, and its object if it is not written into the page.
    func list(of index: Int) -> (items: [ArraySlice<UInt8>], place: ObjectID?) {
        guard let id = tree.pages[index].id, let page = dump.value(id).flatMap({ ObjectSource($0) }),
            let list = page["Annots"]
        else { return ([], nil) }
        guard let place = ObjectSource.reference(list) else { return (ObjectSource.items(list) ?? [], nil) }
        return (dump.value(place).flatMap { ObjectSource.items($0) } ?? [], place)
    }

    /// The lists that several pages name.
    private var sharedLists: Set<ObjectID> {
        var (once, twice): (Set<ObjectID>, Set<ObjectID>) = ([], [])
        for page in tree.pages {
            guard case .reference(let id)? = page.dictionary.entries["Annots"] else { continue }
            if !once.insert(id).inserted { twice.insert(id) }
        }
        return twice
    }

    /// Returns what takes the place of an item; nil if nothing does.
    private mutating func keep(
        _ item: ArraySlice<UInt8>, at position: Int, page: Int, _ popups: Set<ObjectID>
    ) throws -> ArraySlice<UInt8>? {
        if let reference = ObjectSource.reference(item) {
            guard let mine = own[ByteOrdered(ids.id(reference))] else {
                return popups.contains(reference) ? nil : item
            }
            if !mine.isKept { try free(reference) }
            return mine.isKept && !mine.isMoved ? item : nil
        }
        let entry = ObjectSource.object(item)
        let id = ByteOrdered(ids.id(of: entry, at: position, page: page))
        guard let mine = own[id] else { return item }
        guard mine.isKept else { return nil }
        // An annotation written directly into the list becomes an object if another one replies to it, or if it moves.
        if let number = numbers[id] {
            try update.add(mine.source ?? item, as: number)
            return mine.isMoved ? nil : Array("\"\(number.text)\"".utf8)[...]
        }
        return mine.source ?? item
    }

    /// Pop-ups of the file's annotations that are not in the layer.
    private var popupsOfTheMissing: Set<ObjectID> {
        var popups: Set<ObjectID> = []
        guard own.values.contains(where: { !$0.isKept }) else { return popups }
        func isPopup(_ id: ObjectID) -> Bool { PDFDictionary(.reference(id), in: dump)?["Subtype"].name == "Popup" }
        for (id, mine) in own where !mine.isKept {
            let source = mine.source.map(ObjectSource.object) ?? numbers[id].map(PDFObject.reference)
            guard case .reference(let popup)? = PDFDictionary(source, in: dump)?.entries["Popup"], isPopup(popup) else {
                continue
            }
            popups.insert(popup)
        }
        // A pop-up may name its annotation without being named by it.
        for page in tree.pages {
            for case .reference(let id) in page.dictionary.array("Annots") ?? [] where isPopup(id) {
                guard case .reference(let parent)? = PDFDictionary(.reference(id), in: dump)?.entries["Parent"],
                    let mine = own[ByteOrdered(ids.id(parent))], !mine.isKept
                else { continue }
                popups.insert(id)
            }
        }
        return popups
    }

    /// Removes the object of an annotation. The object of a form field stays, because the form refers to it, and so does
    /// anything else that a hostile list names.
    private func free(_ id: ObjectID) throws {
        guard let annotation = PDFDictionary(.reference(id), in: dump), let kind = annotation["Subtype"].name,
            kind != "Widget", annotation.entries["Rect"] != nil, annotation.entries["Kids"] == nil,
            annotation.entries["Pages"] == nil, tree.indexes[id] == nil
        else { return }
        try update.free(id)
    }
}

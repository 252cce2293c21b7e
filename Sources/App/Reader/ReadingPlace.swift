package import Annotations
import InstantCore
import PageLayout
import Screen

/// Where a person is in a document, kept from one run to the next.
package struct ReadingPlace: Hashable, Sendable {
    /// A place on a page: the page, counted from 0, and the glyph.
    package struct Bookmark: Hashable, Sendable {
        package var page: Int
        package var glyph: Int

        package init(page: Int, glyph: Int) { (self.page, self.glyph) = (page, glyph) }
    }

    package var place: Bookmark
    /// The row of the list.
    package var row: Record.ID?
    /// Whether the page has the focus, not the list.
    package var isOnPage: Bool
    package var bookmarks: [Character: Bookmark]

    package init(place: Bookmark, row: Record.ID? = nil, isOnPage: Bool = false, bookmarks: [Character: Bookmark] = [:])
    {
        (self.place, self.row, self.isOnPage, self.bookmarks) = (place, row, isOnPage, bookmarks)
    }
}

extension DocumentState {
    var readingPlace: ReadingPlace {
        ReadingPlace(
            place: ReadingPlace.Bookmark(page: page.index, glyph: page.cursor.glyph), row: list.cursorID,
            isOnPage: focus == .page, bookmarks: bookmarks)
    }

    /// Goes on where the person was.
    mutating func resume(_ reading: ReadingPlace) {
        bookmarks = reading.bookmarks
        page.index = max(0, reading.place.page)
        page.arrival = .glyph(max(0, reading.place.glyph))
        list.cursorID = reading.row
        list.hasMoved = reading.row != nil
        focus = reading.isOnPage ? .page : .list
        keptPlace = reading
    }

    /// The place to keep; nil if it is kept already.
    fileprivate var placeToKeep: ReadingPlace? {
        let place = readingPlace
        // Without a stored place, the start need not be stored either.
        let isStart =
            place.place == .init(page: 0, glyph: 0) && list.cursor == 0 && bookmarks.isEmpty && !place.isOnPage
        if pageCount == nil || keptPlace == nil && isStart { return nil }
        return place == keptPlace ? nil : place
    }
}

// Keeping places, and bookmarks.
extension AppState {
    /// What the next key, a letter, is for.
    enum LetterUse: Equatable, Sendable { case setBookmark, goToBookmark }

    /// Stores the place in the shown layer.
    mutating func keepPlace() -> [Effect] {
        guard let place = document?.placeToKeep else { return [] }
        document?.keptPlace = place
        return [.keepPlace(place)]
    }

    /// Stores the places in all open layers.
    func keepAllPlaces() -> [Effect] {
        openLayers.flatMap { (layer: DocumentState) -> [Effect] in
            guard let place = layer.placeToKeep else { return [] }
            return [.select(layer.reference), .keepPlace(place)]
        }
    }

    mutating func awaitLetter(for use: LetterUse) {
        if use == .goToBookmark, document?.bookmarks.isEmpty != false {
            notice = .warning("No bookmarks yet; \(keyName(of: .setBookmark)) and a letter sets one")
            return
        }
        letterUse = use
        guard use == .goToBookmark, let document else {
            notice = .done("Bookmark: type a letter")
            return
        }
        let known = document.bookmarks.sorted { $0.key < $1.key }.map { letter, place in
            "\(letter) page \(document.label(of: place.page))"
        }
        notice = .done("Go to bookmark: \(known.joined(separator: ", "))")
    }

    mutating func letterPressed(_ key: Key, for use: LetterUse) -> [Effect] {
        letterUse = nil
        guard case .character(let letter) = key, letter.isLetter || letter.isNumber || letter == "'" else {
            return only(.done("Cancelled"))
        }
        // Two quotation marks go back, as in vi.
        if letter == "'" { return run(.back, count: nil) }
        switch use {
        case .setBookmark:
            guard let document else { return [] }
            self.document?.bookmarks[letter] = document.readingPlace.place
            notice = .done(
                "Bookmark \(letter) set on page \(document.label(of: document.page.index)); "
                    + "\(keyName(of: .goToBookmark))\(letter) goes there")
            return keepPlace()
        case .goToBookmark:
            guard let place = document?.bookmarks[letter] else { return only(.warning("No bookmark \(letter)")) }
            goTo(page: place.page, .glyph(place.glyph))
            document?.focus = .page
            return []
        }
    }
}

// From mark to mark on the page and beyond.
extension AppState {
    mutating func goToMark(by steps: Int) -> [Effect] {
        var left = max(1, min(abs(steps), 1_000))
        while left > 0, goToNextMark(forward: steps > 0) { left -= 1 }
        guard left > 0, let document else { return followPage() }
        // Only the store knows all marks of other pages. A filter applies as in the list.
        var query = ListQuery(filter: document.list.query.filter)
        query.filter.pageIndex = nil
        let request = MarkRequest(query: query, page: document.page.index, steps: steps > 0 ? left : -left)
        self.document?.markRequest = request
        return [.findMark(request)]
    }

    /// The mark sought on other pages is found, or there is none.
    mutating func markFound(_ request: MarkRequest, _ row: ListRow?) -> [Effect] {
        // The user may have moved on.
        guard let document, document.markRequest == request, document.page.index == request.page else { return [] }
        self.document?.markRequest = nil
        guard let row, let page = row.pageIndex else {
            return only(.done(request.steps > 0 ? "No further marks" : "No marks before this one"))
        }
        goTo(page: page, .place(rects: row.kind.isMarkup ? row.rects : [], box: row.box))
        return []
    }

    /// Goes to the next mark of the page.
    ///
    /// - Returns: Whether one follows in that direction.
    private mutating func goToNextMark(forward: Bool) -> Bool {
        guard let document else { return false }
        let page = document.page
        let cursor = page.cursor.glyph
        let anchors = (page.marks?.anchors ?? []).compactMap(\.self)
        if let next = forward ? anchors.filter({ $0 > cursor }).min() : anchors.filter({ $0 < cursor }).max() {
            self.document?.page.cursor = PageCursor(glyph: next)
            self.document?.page.selection?.head = next
            return true
        }
        return false
    }
}

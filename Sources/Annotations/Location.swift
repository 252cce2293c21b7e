/// The position of a participant in a document, as others see it.
public struct Location: Hashable, Sendable {
    /// nil: on no particular page.
    public var pageIndex: Int?
    /// The selected text, by its position on the page, because lines and rows differ between screens.
    public var selection: [PageArea]
    /// The annotation or comment in focus.
    public var record: Record.ID?

    public init(pageIndex: Int? = nil, selection: [PageArea] = [], record: Record.ID? = nil) {
        self.pageIndex = pageIndex
        self.selection = selection
        self.record = record
    }

    /// Compared by bytes: two ids that look alike are two records.
    public static func == (one: Location, other: Location) -> Bool {
        one.pageIndex == other.pageIndex && one.selection == other.selection && one.record.isExactly(other.record)
    }
}

/// Boxes on one page.
public struct PageArea: Hashable, Sendable {
    public var pageIndex: Int
    /// One box for each selected line.
    public var rects: [Rect]

    public init(pageIndex: Int, rects: [Rect]) {
        self.pageIndex = pageIndex
        self.rects = rects
    }
}

extension Location {
    /// The maximum number of boxes in a selection; only the first ones are sent.
    public static let maximumRects = 100

    /// Whether the location can be sent: page indexes that a document can have, boxes near a page, a valid id.
    package var isValid: Bool {
        let pages = [pageIndex].compactMap(\.self) + selection.map(\.pageIndex)
        let rects = selection.flatMap(\.rects)
        return pages.allSatisfy { (0..<1_000_000).contains($0) }
            && max(selection.count, rects.count) <= Self.maximumRects && rects.allSatisfy(\.isNearAPage)
            && (record.map(Record.isAcceptedID) ?? true)
    }

    /// The location with no more boxes than can be sent.
    package var bounded: Location {
        var (bounded, left) = (self, Self.maximumRects)
        bounded.selection = selection.prefix(left).compactMap { area in
            let rects = area.rects.prefix(left)
            left -= rects.count
            return rects.isEmpty ? nil : PageArea(pageIndex: area.pageIndex, rects: Array(rects))
        }
        return bounded
    }
}

extension Rect {
    /// The largest page of a PDF measures 14,400 points (ISO 32000-1, annex C).
    fileprivate var isNearAPage: Bool { [left, top, right, bottom].allSatisfy { $0.magnitude <= 1_000_000 } }
}

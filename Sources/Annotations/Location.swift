/// Where somebody is in a document: what others see of a person who reads along.
public struct Location: Hashable, Sendable {
    /// nil: in the document, on no page in particular.
    public var pageIndex: Int?
    /// The marked words, by their position on the page, since lines and rows differ from screen to screen.
    public var selection: [PageArea]
    /// The annotation or comment in focus.
    public var record: Record.ID?

    public init(pageIndex: Int? = nil, selection: [PageArea] = [], record: Record.ID? = nil) {
        self.pageIndex = pageIndex
        self.selection = selection
        self.record = record
    }

    /// By their bytes: two ids that look alike are two records.
    public static func == (one: Location, other: Location) -> Bool {
        one.pageIndex == other.pageIndex && one.selection == other.selection && one.record.isExactly(other.record)
    }
}

/// Boxes on one page.
public struct PageArea: Hashable, Sendable {
    public var pageIndex: Int
    /// One for each line of what is marked.
    public var rects: [Rect]

    public init(pageIndex: Int, rects: [Rect]) {
        self.pageIndex = pageIndex
        self.rects = rects
    }
}

extension Location {
    /// All boxes of a selection together; more is told by the first ones.
    public static let maximumRects = 100

    /// Whether it can be told: pages that a document may have, boxes within reach of a page, an id that is one.
    package var isValid: Bool {
        let pages = [pageIndex].compactMap(\.self) + selection.map(\.pageIndex)
        let rects = selection.flatMap(\.rects)
        return pages.allSatisfy { (0..<1_000_000).contains($0) }
            && max(selection.count, rects.count) <= Self.maximumRects && rects.allSatisfy(\.isNearAPage)
            && (record.map(Record.isValidID) ?? true)
    }

    /// The same with no more boxes than can be told.
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

import Annotations

/// Reads the outline of a file (ISO 32000-1, 12.3.3): a tree of headings, each naming its first child and next sibling.
///
/// A hostile tree may loop or be endless, so each item counts once, and items and depth are limited.
struct OutlineReader {
    private(set) var entries: [PDFNavigation.Entry] = []

    private static let maxCount = 10_000
    private static let maxDepth = 32
    private static let maxTitleLength = 1000

    init(_ file: ObjectDump, destinations: Destinations) {
        let catalog = PDFDictionary(file.trailer, in: file)?.dictionary("Root")
        var waiting: [(item: PDFObject?, depth: Int)] = [(catalog?.dictionary("Outlines")?.entries["First"], 0)]
        var seen: Set<ObjectID> = []
        // A stack: an item's children precede its siblings.
        while let (item, depth) = waiting.popLast(), entries.count < Self.maxCount {
            guard case .reference(let id) = item, seen.insert(id).inserted,
                let heading = PDFDictionary(item, in: file)
            else { continue }
            let page = destinations.action(of: heading)?["pageIndex"]?.integer
            entries.append(
                PDFNavigation.Entry(
                    title: String((heading.text("Title") ?? "").prefix(scalars: Self.maxTitleLength)), depth: depth,
                    pageIndex: page.map { Int($0) }))
            waiting.append((heading.entries["Next"], depth))
            if depth < Self.maxDepth { waiting.append((heading.entries["First"], depth + 1)) }
        }
    }
}

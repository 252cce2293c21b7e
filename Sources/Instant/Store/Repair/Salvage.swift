import Annotations
import InstantCore
import SQLite

/// What can be read of a damaged store: its metadata and its local edits. Server records are not needed, because the
/// server has them.
///
/// Reads the pages of the file itself and accepts only rows with their checksum. A page that its table no longer leads to
/// is found by its rows.
struct Salvage {
    /// nil if it is damaged.
    private(set) var metadata: LayerMetadata?
    /// The values of ``StoredColumns/outbox`` by the number of the edit.
    private(set) var edits: [Int64: [SQLValue]] = [:]
    /// The edits of ``edits`` that may be older states: the list of unused pages is damaged, too.
    private(set) var uncertain: Set<Int64> = []
    /// The edits that cannot be read, as far as they can be named.
    private(set) var lost: [StoredDamage] = []
    /// The pages with edits that cannot be read, if their edits cannot be named.
    private(set) var unreadablePages = 0

    private let image: DatabaseImage
    /// Whether rows without a checksum are accepted: an older program wrote the file.
    private let isOld: Bool
    private var visited: Set<Int> = []
    private var badPages = 0
    private var badCells: [Int64: String] = [:]

    /// - Throws: ``InstantError`` if the file cannot be opened.
    init(path: String, label: LayerLabel?) throws(InstantError) {
        image = try DatabaseImage(path: path)
        let first = image.page(1)
        let version = label?.schema ?? first.map { DatabaseImage.number($0, 60) } ?? LocalSchema.current.version
        isOld = version < LocalSchema.current.version
        let roots = schema()
        let pages = (facts: Set([roots["facts"], label?.factsPage]), edits: Set([roots["outbox"], label?.outboxPage]))
        for root in pages.facts.compactMap(\.self) where root > 0 {
            for cells in walk(root) { metadata = metadata ?? metadata(in: cells) }
        }
        badPages = 0
        for root in pages.edits.compactMap(\.self) where root > 0 {
            for cells in walk(root) { take(cells) }
        }
        let (ids, stages) = (entries(of: roots["outbox_id"]), entries(of: roots["outbox_stage"]))
        nameLost(ids: ids, stages: stages)
        let isFound = pages.edits.compactMap(\.self).contains { $0 > 0 }
        if !isFound || !lost.isEmpty || badPages > 0 || !badCells.isEmpty || metadata == nil {
            searchPages()
            nameLost(ids: ids, stages: stages)
        }
    }

    /// Returns the first pages of all tables and indexes, by name.
    private func schema() -> [String: Int] {
        var roots: [String: Int] = [:]
        var reader = self
        for values in reader.walk(1).joined().compactMap(\.values) where values.count == 5 {
            if let name = values[1].text, let page = values[3].integer { roots[name] = Int(clamping: page) }
        }
        return roots
    }

    /// Returns the rows of each page of a table.
    private mutating func walk(_ root: Int) -> [[TreePage.Cell]] {
        var found: [[TreePage.Cell]] = []
        var next = [root]
        var seen: Set<Int> = []
        while let number = next.popLast() {
            guard seen.insert(number).inserted else { continue }
            let bytes = image.page(number)
            let page = TreePage(bytes, number: number)
            guard let page, page.kind == .tableLeaf || page.kind == .tableInterior else {
                badPages += 1
                // Perhaps only the mark of its kind is damaged.
                if let leaf = TreePage(bytes, number: number, as: .tableLeaf) {
                    found.append(leaf.contents(of: image))
                }
                continue
            }
            badPages += page.strayCells > 0 ? 1 : 0
            visited.insert(number)
            found.append(page.contents(of: image))
            next += page.children
        }
        return found
    }

    /// Looks at every page that is not unused.
    private mutating func searchPages() {
        let free = image.freePages
        for number in stride(from: 2, through: image.pageCount, by: 1) {
            guard !visited.contains(number), free?.contains(number) != true else { continue }
            guard let page = TreePage(image.page(number), number: number), page.kind == .tableLeaf else { continue }
            let cells = page.contents(of: image)
            if metadata == nil, let found = metadata(in: cells) { metadata = found }
            for cell in cells where cell.values?.count == 15 {
                guard edits[cell.number] == nil, let edit = edit(cell) else { continue }
                edits[cell.number] = edit
                if free == nil { uncertain.insert(cell.number) }
            }
        }
    }

    private func metadata(in cells: [TreePage.Cell]) -> LayerMetadata? {
        for values in cells.compactMap(\.values) {
            guard let json = values.dropFirst().first?.text else { continue }
            switch values.count {
            case 5:
                let parameters = values[1...3].compactMap(\.parameter)
                guard values[4].integer == RowChecksum.of(parameters) else { continue }
            case 2, 4: guard isOld else { continue }
            default: continue
            }
            guard var metadata = try? LayerMetadata(json: json) else { continue }
            if values.count > 2, let n = values[2].integer { metadata.lastN = n }
            return metadata
        }
        return nil
    }

    private mutating func take(_ cells: [TreePage.Cell]) {
        for cell in cells {
            if let edit = edit(cell) {
                edits[cell.number] = edit
            } else {
                badCells[cell.number] = cell.values?.dropFirst().first?.text ?? ""
            }
        }
    }

    /// Returns the values of an edit; nil unless it is as it was written.
    private func edit(_ cell: TreePage.Cell) -> [SQLValue]? {
        guard let values = cell.values, (13...15).contains(values.count) else { return nil }
        var parameters = [.integer(cell.number)] + values.dropFirst().prefix(13).compactMap(\.parameter)
        guard parameters.count == min(14, values.count) else { return nil }
        guard values.count < 15 else {
            return values[14].integer == RowChecksum.of(parameters) ? parameters : nil
        }
        if parameters.count == 13 { parameters.append(.null) }
        guard isOld, values[2].text.flatMap(ChangeKind.init) != nil,
            values[8].text.flatMap(OutboxEntry.Stage.init) != nil, values[6].text.map(Self.isJSON) ?? true
        else { return nil }
        return parameters
    }

    private static func isJSON(_ text: String) -> Bool { (try? JSON(parsing: text)) != nil }

    /// Returns the entries of an index of the edits; nil if it cannot be read as a whole.
    private func entries(of root: Int?) -> [Int64: String]? {
        guard let root else { return nil }
        var found: [Int64: String] = [:]
        var next = [root]
        var seen: Set<Int> = []
        while let number = next.popLast() {
            guard seen.insert(number).inserted, let page = TreePage(image.page(number), number: number),
                page.kind == .indexLeaf || page.kind == .indexInterior, page.strayCells == 0
            else { return nil }
            for cell in page.contents(of: image) {
                guard let values = cell.values, values.count == 2, let text = values[0].text,
                    let seq = values[1].integer
                else { return nil }
                found[seq] = text
            }
            next += page.children
        }
        return found
    }

    /// Names what is missing by the indexes, which contain the numbers of all edits.
    private mutating func nameLost(ids: [Int64: String]?, stages: [Int64: String]?) {
        let isDamaged = badPages > 0 || !badCells.isEmpty
        var missing: Set<Int64>
        switch (ids, stages) {
        case (let ids?, let stages?):
            // If nothing else shows damage, one index alone may be the damaged one.
            let both = Set(ids.keys).intersection(stages.keys)
            missing = isDamaged ? Set(ids.keys).union(stages.keys) : both
        case (let known?, nil), (nil, let known?): missing = isDamaged ? Set(known.keys) : []
        case (nil, nil):
            missing = Set(badCells.keys)
            unreadablePages = badPages
        }
        missing.subtract(edits.keys)
        lost = missing.sorted().map { .edit($0, of: ids?[$0] ?? badCells[$0] ?? "") }
    }
}

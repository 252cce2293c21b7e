import Annotations

/// Where links lead: actions (ISO 32000-1, 12.6) and destinations, explicit or by name (12.3.2).
struct Destinations {
    private let indexes: [ObjectID: Int]
    private let pageCount: Int
    private let file: ObjectDump
    private let named: [String: PDFObject]

    init(tree: PageTree, file: ObjectDump) {
        indexes = tree.indexes
        pageCount = tree.pages.count
        self.file = file
        named = Self.names(in: file)
    }

    /// For an annotation outside a file: it leads to pages by their numbers alone.
    init(pageCount: Int) {
        (indexes, named) = ([:], [:])
        self.pageCount = pageCount
        file = ObjectDump()
    }

    /// The action of a link as Instant JSON tells it; nil when there is none that can be read.
    func action(of source: PDFDictionary) -> JSON? {
        if let action = source.dictionary("A") { return self.action(action) }
        return goTo(source["Dest"])
    }

    private func action(_ action: PDFDictionary) -> JSON? {
        switch action["S"].name {
        case "URI":
            return action.text("URI").map { ["type": "uri", "uri": .string(String($0.prefix(8192)))] }
        case "GoTo": return goTo(action["D"])
        case "GoToR":
            return path(action).map { ["type": "goToRemote", "relativePath": .string($0)] }
        case "Launch": return path(action).map { ["type": "launch", "filePath": .string($0)] }
        case "Named":
            return action["N"].name.map { ["type": "named", "action": .string(Self.lowercasedFirst($0.prefix(128)))] }
        default: return nil
        }
    }

    private func path(_ action: PDFDictionary) -> String? {
        let path = action.dictionary("F")?.text("UF") ?? action.dictionary("F")?.text("F") ?? action.text("F")
        return path.map { String($0.prefix(4096)) }
    }

    private static func lowercasedFirst(_ name: Substring) -> String {
        name.prefix(1).lowercased() + name.dropFirst()
    }

    private func goTo(_ destination: PDFObject) -> JSON? {
        page(destination).map { ["type": "goTo", "pageIndex": .number(JSONNumber(Int64($0)))] }
    }

    private func page(_ destination: PDFObject, isNamed: Bool = false) -> Int? {
        switch destination {
        case .array(let parts):
            switch parts.first {
            case .reference(let id): return indexes[id]
            case .number(let index): return Int(exactly: index).flatMap { (0..<pageCount).contains($0) ? $0 : nil }
            default: return nil
            }
        case .dictionary(let entries): return isNamed ? page(file.resolve(entries["D"]), isNamed: true) : nil
        case .string(let name), .name(let name):
            // A name stands for a place, never for another name.
            return isNamed ? nil : named[name].flatMap { page(file.resolve($0), isNamed: true) }
        default: return nil
        }
    }
}

// MARK: - Names
extension Destinations {
    private static let maxNames = 100_000

    /// The names of the file, from the old dictionary and from the name tree. Nodes and names are limited.
    private static func names(in file: ObjectDump) -> [String: PDFObject] {
        guard let catalog = PDFDictionary(file.trailer, in: file)?.dictionary("Root") else { return [:] }
        var names = catalog.dictionary("Dests")?.entries ?? [:]
        var waiting: [PDFObject] = [catalog.dictionary("Names")?.entries["Dests"] ?? .null]
        var room = maxNames
        while let next = waiting.popLast(), names.count < maxNames {
            guard let node = PDFDictionary(next, in: file) else { continue }
            let kids = (node.array("Kids") ?? []).prefix(room)
            room -= kids.count
            waiting += kids
            let pairs = node.array("Names") ?? []
            for place in stride(from: 0, to: min(pairs.count - 1, 2 * room), by: 2) {
                guard let name = file.resolve(pairs[place]).string else { continue }
                names[name] = pairs[place + 1]
                room -= 1
            }
        }
        return names
    }
}

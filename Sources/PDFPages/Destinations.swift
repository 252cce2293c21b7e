import Annotations

/// Resolves link targets: actions (ISO 32000-1, 12.6) and destinations, explicit or named (12.3.2).
struct Destinations {
    private let indexes: [ObjectID: Int]
    private let pageCount: Int
    private let file: ObjectDump
    private let named: [ByteOrdered: PDFObject]

    init(tree: PageTree, file: ObjectDump) {
        indexes = tree.indexes
        pageCount = tree.pages.count
        self.file = file
        named = Self.names(in: file)
    }

    /// Creates a resolver for an annotation outside a file, whose links identify pages only by index.
    init(pageCount: Int) {
        (indexes, named) = ([:], [:])
        self.pageCount = pageCount
        file = ObjectDump()
    }

    /// Returns a link's action as Instant JSON; nil when it has none or an unreadable one.
    func action(of source: PDFDictionary) -> JSON? {
        if let action = source.dictionary("A") { return self.action(action) }
        return goTo(source["Dest"])
    }

    private func action(_ action: PDFDictionary) -> JSON? {
        switch action["S"].name {
        case "URI":
            return action.text("URI").map {
                ["type": "uri", "uri": .string(String($0.prefix(scalars: Self.maxAddress)))]
            }
        case "GoTo": return goTo(action["D"])
        case "GoToR":
            return path(action).map { ["type": "goToRemote", "relativePath": .string($0)] }
        case "Launch": return path(action).map { ["type": "launch", "filePath": .string($0)] }
        case "Named":
            return action["N"].name.map {
                ["type": "named", "action": .string(Self.lowercasedFirst($0.prefix(scalars: Self.maxName)))]
            }
        default: return nil
        }
    }

    private static let (maxAddress, maxPath, maxName) = (8192, 4096, 128)

    /// Returns why the action of a link is not read as a whole; nil if it is.
    func limit(of source: PDFDictionary) -> String? {
        guard let action = source.dictionary("A") else { return nil }
        let (text, most) =
            switch action["S"].name {
            case "URI": (action.text("URI"), Self.maxAddress)
            case "GoToR", "Launch": (wholePath(action), Self.maxPath)
            case "Named": (action["N"].name, Self.maxName)
            default: (String?.none, 0)
            }
        return text?.isLonger(thanScalars: most) == true ? "an address of more than \(most) characters" : nil
    }

    private func wholePath(_ action: PDFDictionary) -> String? {
        action.dictionary("F")?.text("UF") ?? action.dictionary("F")?.text("F") ?? action.text("F")
    }

    private func path(_ action: PDFDictionary) -> String? {
        wholePath(action).map { String($0.prefix(scalars: Self.maxPath)) }
    }

    private static func lowercasedFirst(_ name: Substring) -> String {
        name.prefix(scalars: 1).lowercased() + name.dropFirst(scalars: 1)
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
            // A name refers to a destination, never to another name.
            return isNamed ? nil : named[ByteOrdered(name)].flatMap { page(file.resolve($0), isNamed: true) }
        default: return nil
        }
    }
}

// MARK: - Names
extension Destinations {
    private static let maxNames = 100_000

    /// Returns the named destinations of the catalog's `Dests` dictionary and of the name tree, limiting nodes and
    /// names.
    private static func names(in file: ObjectDump) -> [ByteOrdered: PDFObject] {
        guard let catalog = PDFDictionary(file.trailer, in: file)?.dictionary("Root") else { return [:] }
        var names: [ByteOrdered: PDFObject] = [:]
        for (name, destination) in catalog.dictionary("Dests")?.entries ?? [:] {
            names[ByteOrdered(name)] = destination
        }
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
                names[ByteOrdered(name)] = pairs[place + 1]
                room -= 1
            }
        }
        return names
    }
}

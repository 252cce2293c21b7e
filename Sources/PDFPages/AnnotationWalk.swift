import Annotations

/// Converts each annotation in the pages' lists to a record.
struct AnnotationWalk {
    private(set) var found: BaseAnnotations
    /// Whether every annotation was read.
    private(set) var isComplete = true
    private let tree: PageTree
    private let file: ObjectDump
    private let destinations: Destinations
    private let ids: AnnotationIDs
    /// The place of each annotation among the records.
    private var seen: [ByteOrdered: Int] = [:]
    /// The further pages that list an annotation, by its place among the records.
    private var others: [Int: [OtherPlace]] = [:]
    /// What annotations answer, by their place among the records.
    private var replies: [Int: Reply] = [:]

    private struct Reply {
        var target: Record.ID
        var isGroup: Bool
        var isNote: Bool
    }

    /// Limit on entries of all pages together: a hostile file may list one annotation on every page.
    private static let maxEntries = 100_000
    private static let maxWarnings = 1000
    /// The bytes that records may still have: a small file may give a large text or path to each of its annotations.
    private var room: Int
    private var entries = 0

    init(tree: PageTree, file: ObjectDump) {
        self.tree = tree
        self.file = file
        found = BaseAnnotations(records: [], warnings: [], frames: tree.pages.map(\.frame))
        destinations = Destinations(tree: tree, file: file)
        ids = AnnotationIDs(file)
        room = 4 * file.byteCount + 4 << 20
    }

    /// Checks for cancellation before each page.
    mutating func walk() throws(CancellationError) {
        try walkPages()
        for (place, others) in others {
            found.records[place].content = found.records[place].content.standing(on: others)
        }
        findThreads()
    }

    private mutating func walkPages() throws(CancellationError) {
        for (index, page) in tree.pages.enumerated() {
            guard !Task.isCancelled else { throw CancellationError() }
            guard page.dictionary.entries["Annots"] != nil else { continue }
            guard let list = page.dictionary.array("Annots") else {
                if page.dictionary["Annots"] != .null { warn("the annotation list cannot be read", page: index) }
                continue
            }
            for (position, entry) in list.enumerated() {
                entries += 1
                guard entries <= Self.maxEntries else {
                    isComplete = false
                    return warn(
                        "more than \(Self.maxEntries) annotations; the rest is not read", page: index)
                }
                guard room > 0 else {
                    isComplete = false
                    return warn("the annotations repeat too much data; the rest is not read", page: index)
                }
                take(entry, at: position, page: page, index: index)
            }
        }
    }

    private mutating func take(_ entry: PDFObject, at position: Int, page: PageTree.Page, index: Int) {
        let id = ids.id(of: entry, at: position, page: index)
        // Check before reading the annotation, because a list may name it a million times.
        if let place = seen[ByteOrdered(id)] { return take(again: entry, at: place, page: page, index: index) }
        guard let dictionary = PDFDictionary(entry, in: file) else {
            return warn("entry \(position + 1) of the list is not an annotation", page: index)
        }
        guard dictionary["Subtype"].name != "Popup" else { return }
        seen[ByteOrdered(id)] = found.records.count
        var reader = AnnotationReader(
            dictionary, on: page.frame, pageIndex: index, number: Self.number(of: entry), destinations: destinations)
        var content = reader.content()
        // Readers of Instant JSON demand a box; the warning says that the file has none.
        if content["bbox"] == nil { content = content.changing { $0["bbox"] = Rect.zero.json } }
        if let target = dictionary.entries["IRT"]?.reference.map(ids.id) {
            let isGroup = dictionary["RT"].name == "Group"
            content = content.changing { object in
                var aside = object["postilla"]?.object ?? JSONObject()
                aside["inReplyTo"] = .string(target)
                if isGroup { aside["replyType"] = "group" }
                object["postilla"] = .object(aside)
            }
            replies[found.records.count] = Reply(
                target: target, isGroup: isGroup, isNote: dictionary["Subtype"].name == "Text")
        }
        room -= content.text.utf8.count
        let record = Record(id: id, content: content)
        found.records.append(record)
        if let value = FormField.value(of: dictionary, for: record) {
            room -= value.content.text.utf8.count
            found.values.append(value)
        }
        for defect in reader.defects { warn(defect, page: index, record: id) }
    }

    /// Takes an annotation that is a record already: on another page it is the same one.
    private mutating func take(again entry: PDFObject, at place: Int, page: PageTree.Page, index: Int) {
        let record = found.records[place]
        let first = others[place, default: []].last?.pageIndex ?? record.content["pageIndex"]?.integer.map(Int.init)
        guard first != index else {
            return warn("listed more than once; only the first counts", page: index, record: record.id)
        }
        guard others[place, default: []].count < OtherPlace.maximum - 1 else {
            return warn(
                "on more than \(OtherPlace.maximum) pages; only the first of them count", page: index, record: record.id
            )
        }
        var other = OtherPlace(pageIndex: index)
        let frame = record.content["pageIndex"]?.integer.map { tree.pages[Int($0)].frame }
        if frame != page.frame, let corners = PDFDictionary(entry, in: file)?.numbers("Rect"), corners.count == 4 {
            other.box = page.frame.box(around: corners)
        }
        room -= 80
        others[place, default: []].append(other)
    }

    /// Turns the notes that answer an annotation of their page into comments under it. A reply to what is missing, on
    /// another page or takes no replies stays a note.
    private mutating func findThreads() {
        guard !replies.isEmpty else { return }
        var places: [ByteOrdered: Int] = [:]
        for (place, record) in found.records.enumerated() { places[ByteOrdered(record.id)] = place }
        let links = found.records.indices.map { place -> ReplyChains.Link? in
            guard let reply = replies[place] else { return nil }
            let target = places[ByteOrdered(reply.target)].flatMap { target in
                let content = found.records[target].content
                let isHere = content["pageIndex"] == found.records[place].content["pageIndex"]
                return isHere && content.noThread == nil ? target : nil
            }
            return ReplyChains.Link(target: target, isGroup: reply.isGroup, isComment: reply.isNote)
        }
        var chains = ReplyChains(links)
        let roots = found.records.indices.map { replies[$0] == nil ? nil : chains.root(of: $0) }
        for (place, root) in roots.enumerated() {
            guard let root else { continue }
            let id = found.records[root].id
            found.records[place].content = found.records[place].content.asComment(under: id)
        }
    }

    private mutating func warn(_ text: String, page: Int, record: Record.ID? = nil) {
        guard found.warnings.count < Self.maxWarnings else { return }
        found.warnings.append(BaseAnnotations.Warning(pageIndex: page, record: record, text: text))
    }

    static func number(of entry: PDFObject?) -> Int? {
        guard case .reference(let id) = entry else { return nil }
        return id.number
    }

    static func id(of entry: PDFObject?) -> Record.ID? { number(of: entry).map { "\($0)" } }
}

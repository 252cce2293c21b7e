package import Annotations

/// Replaces the annotations of a PDF with those of a layer. Unchanged annotations stay as they are in the file, changed
/// ones are overwritten, missing ones are removed, and new ones are appended. Records are added one by one in any
/// order; only the ids of new ones stay in memory.
package struct AnnotatedPDF {
    private let dump: ObjectDump
    private let tree: PageTree
    private let update: PDFUpdate
    private let ids: AnnotationIDs
    private var own: [ByteOrdered: Own] = [:]
    /// The object of each record, present or planned: a reply may precede its target.
    private var numbers: [ByteOrdered: ObjectID] = [:]
    /// New annotations, by page.
    private var added: [[ObjectID]]
    private var pictures: [[UInt8]: ObjectID] = [:]
    /// For a page taken out of a file, whose objects have other numbers: its index there, and its annotations by content.
    private let page: Int?
    private var unmatched: [String: [Record.ID]] = [:]

    /// An annotation in the file.
    private struct Own {
        var content: Content
        var isKept = false
        var isRewritten = false
    }

    /// - Parameters:
    ///   - path: path of the update file for qpdf.
    ///   - page: if the file is one page taken out of another file, its index there.
    init(_ dump: ObjectDump, pages limit: Int, writingTo path: String, page: Int? = nil) throws {
        self.dump = dump
        self.page = page
        tree = PageTree(dump, limit: limit)
        try dump.checkTime()
        guard !tree.pages.isEmpty else { throw PDFError.damaged }
        added = Array(repeating: [], count: tree.pages.count)
        update = try PDFUpdate(of: dump, at: path)
        ids = AnnotationIDs(dump)
        var walk = AnnotationWalk(tree: tree, file: dump)
        try walk.walk()
        for record in walk.found.records { own[ByteOrdered(record.id)] = Own(content: record.content) }
        if page != nil {
            for record in walk.found.records.reversed() {
                unmatched[Self.look(of: record.content), default: []].append(record.id)
            }
        }
        for (index, page) in tree.pages.enumerated() {
            for (position, entry) in (page.dictionary.array("Annots") ?? []).enumerated() {
                guard case .reference(let id) = entry else { continue }
                numbers[ByteOrdered(ids.id(of: entry, at: position, page: index))] = id
            }
        }
    }

    /// Adds a record. Content without a PDF annotation is skipped.
    ///
    /// - Parameters:
    ///   - root: for a comment, the annotation it belongs to.
    ///   - image: the file that an image annotation shows.
    package mutating func add(_ record: Record, under root: Record? = nil, image: [UInt8]? = nil) throws {
        var record = record
        if page != nil {
            if let id = unmatched[Self.look(of: record.content)]?.popLast() {
                own[ByteOrdered(id)]?.isKept = true
                return
            }
            // The ids are those of the whole file.
            record.id = "other \(record.id)"
            record.content = record.content.changing { $0["pageIndex"] = 0 }
        }
        if let mine = own[ByteOrdered(record.id)] {
            own[ByteOrdered(record.id)]?.isKept = true
            if mine.content == record.content { return }
        }
        guard let index = page(of: root ?? record) else { return }
        let frame = tree.pages[index].frame
        var annotation: PDFAnnotation?
        if let root {
            guard own[ByteOrdered(root.id)] != nil || PDFAnnotation(root.content, on: frame) != nil else { return }
            annotation = PDFAnnotation(comment: record.content, under: root.content, on: frame)
            annotation?.entries["IRT"] = .reference(number(of: root.id))
        } else {
            annotation = PDFAnnotation(record.content, on: frame)
        }
        guard var annotation else { return }
        link(&annotation)
        try draw(record.content, &annotation, on: frame, image)
        try write(annotation, record.id, action: record.content["action"], onPage: index)
    }

    /// Returns what an annotation looks like, whatever its number: without references to other objects.
    private static func look(of content: Content) -> String {
        content.changing { for key in ["pdfObjectId", "pageIndex", "action", "postilla"] { $0[key] = nil } }.text
    }

    private func page(of record: Record) -> Int? {
        guard let page = record.content["pageIndex"]?.integer.flatMap({ Int(exactly: $0) }),
            tree.pages.indices.contains(page)
        else { return nil }
        return page
    }

    private mutating func number(of id: Record.ID) -> ObjectID {
        if let known = numbers[ByteOrdered(id)] { return known }
        let new = update.number()
        numbers[ByteOrdered(id)] = new
        return new
    }

    /// Within a file, a link identifies a page by its object, not its index.
    private func link(_ annotation: inout PDFAnnotation) {
        guard let number = annotation.entries["Dest"]?.array?.first?.number, let index = Int(exactly: number) else {
            return
        }
        let page = tree.pages.indices.contains(index) ? tree.pages[index].id : nil
        annotation.entries["Dest"] = page.map { .array([.reference($0), .name("Fit")]) }
    }

    private mutating func draw(
        _ content: Content, _ annotation: inout PDFAnnotation, on frame: PageFrame, _ image: [UInt8]?
    ) throws {
        let picture = image.flatMap(EmbeddedImage.init)
        guard let appearance = AppearanceWriter(content, on: frame, image: picture)?.appearance() else { return }
        let reference = try appearance.image.map { try embed($0) }
        let stream = try update.add(stream: Array(appearance.stream.utf8), appearance.dictionary(picture: reference))
        annotation.entries["AP"] = .dictionary(["N": .reference(stream)])
        // A comment has no place in Instant JSON, so the place of its appearance has no meaning.
        if content.contentType != .comments {
            annotation.entries["Rect"] = .numbers(frame.corners(of: appearance.place))
        }
    }

    /// Several annotations may show the same picture.
    private mutating func embed(_ image: EmbeddedImage) throws -> ObjectID {
        if let known = pictures[image.bytes] { return known }
        var entries = image.entries
        if let function = image.function, var space = entries["ColorSpace"]?.array {
            space[space.count - 1] = .reference(
                try update.add(stream: Array("{\(function.program)}".utf8), function.entries))
            entries["ColorSpace"] = .array(space)
        }
        let id = try update.add(stream: image.bytes, entries)
        pictures[image.bytes] = id
        return id
    }
}

// MARK: - Objects
extension AnnotatedPDF {
    /// Entries of a file's annotation that survive a content change: where it belongs and what belongs to it.
    private static let lasting = ["/P", "/Popup", "/StructParent", "/OC", "/IRT", "/RT", "/NM", "/Parent"]

    /// - Parameter action: of the record's content.
    private mutating func write(
        _ annotation: PDFAnnotation, _ id: Record.ID, action: JSON?, onPage index: Int
    ) throws {
        let number = number(of: id)
        var value = JSONObject()
        if let mine = own[ByteOrdered(id)] {
            own[ByteOrdered(id)]?.isRewritten = true
            let old = dump.json(number)?.object ?? JSONObject()
            // An annotation without a new appearance keeps the old one.
            var lasting = Self.lasting + (annotation.entries["AP"] == nil ? ["/AP", "/AS"] : [])
            // An action that no record may write stays if it is the file's own and the record did not change it.
            let hasTarget = annotation.entries["A"] != nil || annotation.entries["Dest"] != nil
            if !hasTarget, mine.content["action"] == action { lasting += ["/A", "/Dest"] }
            for member in old.members where lasting.contains(member.key) { value[member.key] = member.value }
        } else {
            added[index].append(number)
        }
        value["/Type"] = "/Annot"
        if let page = tree.pages[index].id { value["/P"] = .string(page.text) }
        for member in PDFObject.dictionary(annotation.entries).json.object?.members ?? [] {
            value[member.key] = member.value
        }
        try update.add(.object(value), as: number)
    }

    /// Writes the pages' changed lists, and ends the update.
    mutating func finish() throws {
        for (index, page) in tree.pages.enumerated() {
            guard let id = page.id, var value = dump.json(id)?.object else { continue }
            let list = list(of: value)
            var kept: [JSON] = []
            for (position, entry) in list.enumerated() { try keep(entry, at: position, page: index, &kept) }
            guard kept != list || !added[index].isEmpty else { continue }
            value["/Annots"] = .array(kept + added[index].map { .string($0.text) })
            try update.add(.object(value), as: id)
        }
        try dump.checkTime()
        try update.end()
    }

    private func list(of page: JSONObject) -> [JSON] {
        guard let annotations = page["/Annots"] else { return [] }
        if let reference = annotations.string.flatMap({ ObjectID($0[...]) }) {
            return dump.json(reference)?.array ?? []
        }
        return annotations.array ?? []
    }

    private mutating func keep(_ entry: JSON, at position: Int, page: Int, _ kept: inout [JSON]) throws {
        let reference = entry.string.flatMap { ObjectID($0[...]) }
        let id = reference.map(ids.id) ?? ids.id(of: entry, at: position, page: page)
        guard let mine = own[ByteOrdered(id)] else {
            if !isPopupOfTheMissing(reference, entry) { kept.append(entry) }
            return
        }
        guard mine.isKept else { return }
        guard reference == nil else { return kept.append(entry) }
        // An annotation written directly into the list becomes an object, so that others can reply to it.
        let number = number(of: id)
        if !mine.isRewritten { try update.add(entry, as: number) }
        kept.append(.string(number.text))
    }

    private func isPopupOfTheMissing(_ reference: ObjectID?, _ entry: JSON) -> Bool {
        let value = reference.map { dump.json($0) ?? .null } ?? entry
        guard value["/Subtype"] == "/Popup",
            let parent = value["/Parent"]?.string.flatMap({ ObjectID($0[...]) })
        else { return false }
        return own[ByteOrdered("\(parent.number)")].map { !$0.isKept } ?? false
    }
}

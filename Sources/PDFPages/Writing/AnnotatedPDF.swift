package import Annotations

/// Replaces the annotations of a PDF with those of a layer. Unchanged annotations stay as they are in the file; in
/// changed ones only the entries change that the edit is about; missing ones are removed, and new ones are appended.
/// Records are added one by one in any order; only the ids of new ones stay in memory.
package struct AnnotatedPDF {
    let dump: ObjectDump
    let tree: PageTree
    let update: any ObjectUpdate
    let ids: AnnotationIDs
    var own: [ByteOrdered: Own] = [:]
    /// The object of each record, present or planned: a reply may precede its target.
    private(set) var numbers: [ByteOrdered: ObjectID] = [:]
    /// New annotations, by page.
    var added: [[ObjectID]]
    private var pictures: [[UInt8]: ObjectID] = [:]
    /// For a page taken out of a file, whose objects have other numbers: its index there, and its annotations by content.
    private let page: Int?
    private var unmatched: [ByteOrdered: [Record.ID]] = [:]
    /// Edited comments of the file, and new annotations that answer what is not in the file yet.
    var waiting: [Waiting] = []
    /// What the finished file must hold; nil if the file has more annotations than are read.
    private(set) var readBack: ReadBack?
    /// Records that are not written, with the reason.
    private var refused: [ByteOrdered: Unwritten.Reason]
    /// Those of them that were added.
    private var met: Set<ByteOrdered> = []

    /// An annotation in the file.
    struct Own {
        /// As read from the file; after an edit, as the finished file must read.
        var content: Content
        /// For an annotation written directly into its page: its text in qpdf's JSON, with the record's edits.
        var source: ArraySlice<UInt8>?
        var isKept = false
        /// Whether its object was written, or waits to be written directly into the page.
        var isRewritten = false
        /// Whether it stands on another page now.
        var isMoved = false
    }

    /// A record that is written at the end, when it is known what is in the file.
    struct Waiting {
        var record: Record
        var page: Int
        var image: [UInt8]?
        var appearance: CopiedAppearance?
    }

    /// - Parameters:
    ///   - update: takes the changed objects.
    ///   - page: if the file is one page taken out of another file, its index there.
    ///   - refused: records that are not written.
    init(
        _ dump: ObjectDump, _ tree: PageTree, update: any ObjectUpdate, page: Int? = nil,
        without refused: [ByteOrdered: Unwritten.Reason] = [:]
    ) throws {
        self.dump = dump
        self.refused = refused
        self.page = page
        self.tree = tree
        self.update = update
        added = Array(repeating: [], count: tree.pages.count)
        ids = AnnotationIDs(dump)
        var walk = AnnotationWalk(tree: tree, file: dump)
        try walk.walk()
        readBack = walk.isComplete ? ReadBack() : nil
        for record in walk.found.records { own[ByteOrdered(record.id)] = Own(content: record.content) }
        if page != nil {
            for record in walk.found.records.reversed() {
                unmatched[Self.look(of: record.content), default: []].append(record.id)
            }
        }
        for (index, page) in tree.pages.enumerated() where page.dictionary.entries["Annots"] != nil {
            for (position, item) in list(of: index).items.enumerated() {
                if let object = ObjectSource.reference(item) {
                    numbers[ByteOrdered(ids.id(object))] = object
                } else {
                    let id = ids.id(of: ObjectSource.object(item), at: position, page: index)
                    own[ByteOrdered(id)]?.source = item
                }
            }
        }
    }

    /// The annotations and comments of the file, by their ids in it, in the order of the ids.
    package var records: [Record] {
        own.sorted { $0.key < $1.key }.map { Record(id: $0.key.text, content: $0.value.content) }
    }

    /// Keeps an annotation of the file as it is, whatever its record says.
    ///
    /// - Returns: false if the file has no such annotation.
    package mutating func keep(_ id: Record.ID) -> Bool {
        guard page == nil, own[ByteOrdered(id)] != nil else { return false }
        own[ByteOrdered(id)]?.isKept = true
        return true
    }

    /// The records that were added and are not written.
    package var unwritten: [Unwritten] {
        met.sorted().compactMap { id in refused[id].map { Unwritten(id: id.text, reason: $0) } }
    }

    /// Leaves the file's own annotation as it is, or a new one out.
    private mutating func refuse(_ id: ByteOrdered, _ reason: Unwritten.Reason) {
        refused[id] = refused[id] ?? reason
        met.insert(id)
        own[id]?.isKept = true
    }

    /// Adds a record. Content without a PDF annotation is skipped. A record that is not written is one of ``unwritten``.
    ///
    /// - Parameters:
    ///   - root: for a comment, the annotation it belongs to.
    ///   - image: the file that an image annotation shows, or that a new file attachment holds.
    ///   - appearance: of a new annotation, from another file, instead of a drawing of its record.
    /// - Returns: false for a record that PDF cannot hold, or without a page.
    @discardableResult
    package mutating func add(
        _ record: Record, under root: Record? = nil, image: [UInt8]? = nil, appearance: CopiedAppearance? = nil
    ) throws -> Bool {
        var record = record
        if page != nil {
            if let id = unmatched[Self.look(of: record.content)]?.popLast() {
                own[ByteOrdered(id)]?.isKept = true
                return true
            }
            // The ids are those of the whole file.
            record.id = "other \(record.id)"
            record.content = record.content.changing { $0["pageIndex"] = 0 }
        }
        let index = page(of: root ?? record)
        if let reason = reasonToRefuse(record, under: root) {
            refuse(ByteOrdered(record.id), reason)
            return true
        }
        if let mine = own[ByteOrdered(record.id)] {
            own[ByteOrdered(record.id)]?.isKept = true
            guard let index, mine.content != record.content else { return true }
            if record.content.contentType == .comments {
                waiting.append(Waiting(record: record, page: index))
            } else {
                try merge(record, into: mine, onPage: index, image)
            }
            return true
        } else if let index {
            if root == nil, record.content.answered != nil {
                waiting.append(Waiting(record: record, page: index, image: image, appearance: appearance))
                return true
            }
            try create(record, under: root, onPage: index, image, appearance)
            return numbers[ByteOrdered(record.id)] != nil || met.contains(ByteOrdered(record.id))
        }
        return false
    }

    private func reasonToRefuse(_ record: Record, under root: Record?) -> Unwritten.Reason? {
        if let reason = refused[ByteOrdered(record.id)] { return reason }
        if own[ByteOrdered(record.id)] == nil, let limit = record.content.readInPart { return .readInPart(limit) }
        // A comment needs what it answers.
        guard let root, own[ByteOrdered(root.id)] == nil else { return nil }
        return refused[ByteOrdered(root.id)]
    }

    /// Returns what an annotation looks like, whatever its number: without references to other objects.
    private static func look(of content: Content) -> ByteOrdered {
        let look = content.changing { object in
            // Earlier versions read fewer members of these kinds.
            if let subtype = AnnotationKind(of: object).pdfSubtype {
                let known = [
                    "bbox", "note", "opacity", "creatorName", "createdAt", "updatedAt", "name", "subject", "flags",
                ]
                for member in object.members where !known.contains(member.key) { object[member.key] = nil }
                object["type"] = .string(subtype)
            }
            for key in ["pdfObjectId", "pageIndex", "action", "rootId", "postilla"] { object[key] = nil }
        }
        return ByteOrdered(look.text)
    }

    private func page(of record: Record) -> Int? {
        guard let page = record.content["pageIndex"]?.integer.flatMap({ Int(exactly: $0) }),
            tree.pages.indices.contains(page)
        else { return nil }
        return page
    }

    mutating func number(of id: Record.ID) -> ObjectID {
        if let known = numbers[ByteOrdered(id)] { return known }
        let new = update.number()
        numbers[ByteOrdered(id)] = new
        return new
    }

    // MARK: New annotations

    mutating func create(
        _ record: Record, under root: Record?, onPage index: Int, _ image: [UInt8]?, _ copied: CopiedAppearance? = nil
    ) throws {
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
        if let limit = annotation.limit { return refuse(ByteOrdered(record.id), .tooLong(limit)) }
        if root == nil, let target = record.content.answered, let number = finalNumber(of: target) {
            annotation.entries["IRT"] = .reference(number)
            let isGroup = record.content["postilla"]?["replyType"] == "group"
            annotation.entries["RT"] = .name(isGroup ? "Group" : "R")
        }
        let isFile = annotation.entries["Subtype"] == .name("FileAttachment")
        let writer = AppearanceWriter(
            record.content, on: frame, image: isFile ? nil : image.flatMap(EmbeddedImage.init))
        if let copied {
            annotation.entries["AP"] = try update.add(copied)
        } else if let appearance = writer?.appearance() {
            annotation.entries["AP"] = try write(appearance)
            // A comment has no place in Instant JSON, so the place of its appearance has no meaning.
            if record.content.contentType != .comments {
                annotation.entries["Rect"] = .numbers(frame.corners(of: appearance.place))
            }
        }
        // So that the record is found again in a copy that another program has changed.
        annotation.entries["NM"] = annotation.entries["NM"] ?? .string(record.id)
        var expected = annotation.content(onPage: index, frame, pageCount: tree.pages.count).0
        if isFile { expected = expected.changing { Self.describe(record.content, image?.count, in: &$0) } }
        readBack?.expect(expected, as: record.id)
        if isFile, let image { annotation.entries["FS"] = try embed(file: image, of: record.content) }
        annotation.entries["Dest"] = destination(annotation.entries["Dest"])
        annotation.entries["Type"] = .name("Annot")
        annotation.entries["P"] = tree.pages[index].id.map(PDFObject.reference)
        let number = number(of: record.id)
        added[index].append(number)
        try update.add(Array(PDFObject.dictionary(annotation.entries).json.text.utf8)[...], as: number)
    }

    /// Within a file, a link identifies a page by its object, not its index.
    private func destination(_ object: PDFObject?) -> PDFObject? {
        guard let number = object?.array?.first?.number, let index = Int(exactly: number) else { return object }
        let page = tree.pages.indices.contains(index) ? tree.pages[index].id : nil
        return page.map { .array([.reference($0), .name("Fit")]) }
    }

    private mutating func write(_ appearance: Appearance) throws -> PDFObject {
        let picture = try appearance.image.map { try embed($0) }
        let stream = try update.add(stream: Array(appearance.stream.utf8), appearance.dictionary(picture: picture))
        return .dictionary(["N": .reference(stream)])
    }

    /// Returns the file specification of an attached file.
    private func embed(file: [UInt8], of content: Content) throws -> PDFObject {
        let stream = try update.add(
            stream: file,
            ["Type": .name("EmbeddedFile"), "Params": .dictionary(["Size": .number(Double(file.count))])])
        let name = PDFObject.string(Self.fileName(content))
        var entries: [String: PDFObject] = [
            "Type": .name("Filespec"), "F": name, "UF": name,
            "EF": .dictionary(["F": .reference(stream), "UF": .reference(stream)]),
        ]
        if let text = content["description"]?.string, !text.isEmpty { entries["Desc"] = .string(text) }
        return .dictionary(entries)
    }

    private static func fileName(_ content: Content) -> String {
        let name = content["fileName"]?.string ?? ""
        return name.isEmpty ? "file" : String(name.prefix(scalars: AnnotationReader.maxNameLength))
    }

    /// Adds what reading the file attachment gives besides its annotation.
    ///
    /// - Parameter size: nil if the file is not written.
    private static func describe(_ content: Content, _ size: Int?, in object: inout JSONObject) {
        guard let size else { return }
        object["fileName"] = .string(fileName(content))
        object["fileSize"] = .number(JSONNumber(Int64(size)))
        if let text = content["description"]?.string, !text.isEmpty { object["description"] = .string(text) }
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

// MARK: - The file's own annotations
extension AnnotatedPDF {
    /// - Parameter root: for a comment that answered a comment which is gone, the root that it answers now.
    mutating func merge(
        _ record: Record, into mine: Own, onPage index: Int, _ image: [UInt8]?, answering root: ObjectID? = nil
    ) throws {
        let id = ByteOrdered(record.id)
        guard let source = mine.source ?? numbers[id].flatMap({ dump.value($0) }), var merged = ObjectSource(source),
            let old = PDFDictionary(ObjectSource.object(source), in: dump)
        else { return }
        let frame = tree.pages[index].frame
        guard
            let merge = AnnotationMerge(
                old, from: mine.content, to: record.content, on: frame, pageCount: tree.pages.count)
        else { return }
        let isMoved = merge.isMoved
        guard !merge.isEmpty || isMoved || root != nil else { return }
        if !merge.isEmpty || isMoved, let reason = mine.content.readInPart.map(Unwritten.Reason.readInPart) {
            return refuse(id, reason)
        }
        if !merge.isEmpty, let limit = merge.limit { return refuse(id, .tooLong(limit)) }
        var entries = merge.entries
        if let root { entries["IRT"] = .some(.reference(root)) }
        if let destination = entries["Dest"] { entries["Dest"] = .some(self.destination(destination)) }
        if isMoved { entries["P"] = .some(tree.pages[index].id.map(PDFObject.reference)) }
        if merge.isDrawn { try draw(record.content, over: old, &entries, on: frame, image) }
        for (key, value) in entries { merged.set(key, to: value) }
        if merge.changesText { try clearText(ofPopup: old) }

        let box = merged["Rect"].map(ObjectSource.object)?.array?.compactMap(\.number)
        let place = box.flatMap { $0.count == 4 ? frame.box(around: $0) : nil }
        let callout = PDFDictionary(ObjectSource.object(merged.json[...]), in: dump).flatMap {
            Callout.json(of: $0, on: frame, in: place)
        }
        own[id]?.content = merge.expected(box: place, callout: callout)
        own[id]?.isRewritten = true
        if isMoved {
            own[id]?.isMoved = true
            added[index].append(number(of: record.id))
        }
        if mine.source != nil {
            own[id]?.source = merged.json[...]
        } else {
            try update.add(merged.json[...], as: number(of: record.id))
        }
    }

    /// Replaces the appearance with a new one.
    private mutating func draw(
        _ content: Content, over old: PDFDictionary, _ entries: inout [String: PDFObject?], on frame: PageFrame,
        _ image: [UInt8]?
    ) throws {
        var dictionary = old.entries
        for (key, value) in entries { dictionary[key] = value }
        let merged = PDFDictionary(.dictionary(dictionary), in: dump)
        let writer = AppearanceWriter(content, on: frame, image: image.flatMap(EmbeddedImage.init), over: merged)
        // What a stamp without a title says is known only from its picture.
        guard let writer, old.entries["AP"] == nil || !writer.isStampWithoutTitle else { return }
        guard let appearance = writer.appearance() else {
            // The old appearance shows the old text; readers draw the new one.
            if writer.kind == .text || writer.kind == .stamp {
                for key in ["AP", "AS"] where old.entries[key] != nil { entries[key] = .some(nil) }
            }
            return
        }
        entries["AP"] = try write(appearance)
        if old.entries["AS"] != nil { entries["AS"] = .some(nil) }
        // The rectangle stays as it is written, unless the drawing needs another one.
        let corners = frame.corners(of: appearance.place)
        let present = merged?.numbers("Rect") ?? []
        guard present.count == 4 else { return entries["Rect"] = .numbers(corners) }
        let sorted = [
            min(present[0], present[2]), min(present[1], present[3]), max(present[0], present[2]),
            max(present[1], present[3]),
        ]
        if zip(sorted, corners).contains(where: { abs($0 - $1) > 0.001 }) { entries["Rect"] = .numbers(corners) }
    }

    /// The pop-up of an annotation may hold a copy of its text, which some readers show instead.
    private func clearText(ofPopup annotation: PDFDictionary) throws {
        guard case .reference(let id)? = annotation.entries["Popup"], let value = dump.value(id),
            var popup = ObjectSource(value), popup["Contents"] != nil,
            popup["Subtype"].map(ObjectSource.object)?.name == "Popup"
        else { return }
        popup["Contents"] = nil
        try update.add(popup.json[...], as: id)
    }
}

extension AnnotatedPDF {
    mutating func expectOwn() {
        for (id, mine) in own where mine.isKept { readBack?.expect(mine.content, as: id.text) }
    }
}

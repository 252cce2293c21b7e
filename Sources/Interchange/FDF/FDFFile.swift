package import Annotations
package import PDFPages

/// A parsed FDF file of a document (ISO 32000-2, 12.7.8): its annotations as records, with replies to markup annotations
/// and markers as their threads. Values of form fields are not part of a layer.
package struct FDFFile: Sendable {
    package private(set) var annotations: [InstantJSONFile.Item] = []
    package private(set) var comments: [InstantJSONFile.Item] = []
    package private(set) var problems: [FileProblem] = []

    private static let maxProblems = 1000

    /// Entries that refer to other objects of a PDF, or are read in another way.
    private static let others: Set = ["AP", "P", "Parent", "Popup", "IRT", "RT", "Page", "FS", "Sound", "Movie", "NM"]
    private static let elements = Dictionary(uniqueKeysWithValues: XFDFNames.subtypes.map { ($1, $0) })

    /// - Parameter pages: the pages of the document, in order.
    package init(_ bytes: [UInt8], pages: [PageFrame]) throws(FDFError) {
        var objects = try FDFObjects(bytes)
        let list = (objects.fdf["Annots"].map(objects.resolve)?.array ?? []).map { item in
            (item, objects.resolve(item).dictionary)
        }
        var names: [ObjectID: String] = [:]
        for case (.reference(let id), let entries?) in list { names[id] = Self.name(of: entries, objects) }
        var threads = XFDFThreads()
        for (item, entries) in list {
            guard let entries, let subtype = entries["Subtype"].map(objects.resolve)?.name else {
                tell(nil, "an entry of the list is not an annotation")
                continue
            }
            // A popup belongs to its parent.
            guard subtype != "Popup" else { continue }
            let name: String? =
                if case .reference(let id) = item { names[id] } else { Self.name(of: entries, objects) }
            guard let element = Self.elements[subtype] else {
                tell(name, "unknown kind of annotation")
                continue
            }
            let index = entries["Page"].map(objects.resolve)?.number.flatMap { Int(exactly: $0) }
            guard let index, pages.indices.contains(index) else {
                tell(name, "no such page in the document")
                continue
            }
            let ofAnnotation = PDFObject.dictionary(entries.filter { !Self.others.contains($0.key) })
            let own = objects.copy(ofAnnotation, depth: -1).dictionary ?? [:]
            var (content, defects) = PDFAnnotation(entries: own)
                .content(onPage: index, pages[index], pageCount: pages.count)
            if let limit = content.readInPart {
                tell(name, "only a part of it can be read: \(limit)")
                continue
            }
            let file = subtype == "FileAttachment" ? Self.file(entries["FS"], objects) : nil
            if let file {
                (content, defects) = XFDFAttachedFile.complete(
                    content, defects, name: file.name, holdsFile: file.bytes != nil)
            }
            if subtype == "Sound" || subtype == "FileAttachment" && file?.bytes == nil {
                defects = ["its file is left out"] + defects.filter { $0 != PDFAnnotation.noFile }
            }
            if !defects.isEmpty { tell(name, defects.joined(separator: "; "), isSkipped: false) }
            var node = XMLNode(element)
            node.attributes["name"] = name
            if case .reference(let target)? = entries["IRT"] {
                node.attributes["inreplyto"] = names[target]
                let isGroup = entries["RT"].map(objects.resolve)?.name == "Group"
                node.attributes["replyType"] = isGroup ? "group" : "reply"
            }
            threads.add(node, content, file: file?.bytes)
        }
        (annotations, comments) = threads.sorted(on: pages)
        let fields = Self.fieldCount(objects.fdf["Fields"], objects)
        if fields > 0 {
            tell(nil, "\(fields) form field\(fields == 1 ? "" : "s"): values are not part of a layer")
        }
        for (key, what) in [("JavaScript", "scripts"), ("Pages", "pages"), ("EmbeddedFDFs", "embedded files")]
        where objects.fdf[key] != nil {
            tell(nil, "\(what) are not part of a layer")
        }
    }

    /// Returns the file that a file specification holds (ISO 32000-2, 7.11.3), or only its name.
    private static func file(_ specification: PDFObject?, _ objects: FDFObjects) -> (name: String, bytes: [UInt8]?) {
        let object = specification.map(objects.resolve) ?? .null
        let entries = object.dictionary ?? [:]
        func text(_ key: String) -> String? { entries[key].map(objects.resolve)?.string }
        let path = text("UF") ?? text("F") ?? object.string ?? ""
        // Programs may write a path.
        let name = path.split(whereScalar: { $0 == "/" || $0 == "\\" }).last.map { String($0.prefix(scalars: 1000)) }
        let files = entries["EF"].map(objects.resolve)?.dictionary ?? [:]
        return (name ?? "file", (files["UF"] ?? files["F"]).flatMap(objects.content))
    }

    /// Returns the annotation's name or, since others may answer it, one that depends on its content.
    private static func name(of entries: [String: PDFObject], _ objects: FDFObjects) -> String? {
        if let name = entries["NM"].map(objects.resolve)?.string, !name.isEmpty { return name }
        guard let rect = entries["Rect"].map(objects.resolve) else { return nil }
        let page = entries["Page"].map(objects.resolve)?.number ?? 0
        let text = entries["Contents"].map(objects.resolve)?.string ?? ""
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        let corners = (rect.array ?? []).compactMap(\.number)
        for byte in "\(page) \(corners) \(text)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return "fdf-" + String(hash, radix: 16)
    }

    /// Returns the number of fields that have a value.
    private static func fieldCount(_ list: PDFObject?, _ objects: FDFObjects) -> Int {
        var waiting = [list ?? .null]
        var (count, left) = (0, 100_000)
        while let next = waiting.popLast(), left > 0 {
            for field in objects.resolve(next).array ?? [] {
                left -= 1
                guard let entries = objects.resolve(field).dictionary else { continue }
                if entries["V"] != nil { count += 1 }
                if let kids = entries["Kids"] { waiting.append(kids) }
            }
        }
        return count
    }

    private mutating func tell(_ name: String?, _ reason: String, isSkipped: Bool = true) {
        guard problems.count < Self.maxProblems else { return }
        problems.append(FileProblem(name, reason, isSkipped: isSkipped))
    }
}

import Annotations

/// Removes from a PDF what a token's view may hide: all annotations except links and form fields, and the values of the
/// fields. Everything that belongs to a removed annotation (appearances, files, replies, pop-ups, text in the structure
/// tree) is removed with it: qpdf writes only what is still referenced.
///
/// The annotations that stay keep only the entries they need to work. The text and pictures of the pages, the outline,
/// and the document's own attachments and metadata are not changed: those belong to the document.
struct StrippedPDF {
    /// The key under which an annotation of a stripped file keeps its record's id, since qpdf renumbers objects.
    static let idKey = "/Postilla.ID"

    private let dump: ObjectDump
    private let catalog: ObjectID?
    /// The catalog's name dictionary, if it is a separate object.
    private let names: ObjectID?
    /// The index of each page.
    private let pages: [ObjectID: Int]
    private var removed: Set<ObjectID> = []
    /// The form fields and their widgets; false for those whose appearance shows a value.
    private var fields: [ObjectID: Bool] = [:]
    /// The streams that draw removed annotations.
    private var appearances: Set<ObjectID> = []
    /// The file specifications that removed annotations name.
    private var files: Set<ObjectID> = []
    /// References from the structure tree to removed annotations or their appearances, where they are separate objects.
    private var structureReferences: Set<ObjectID> = []
    /// The elements of the structure tree that describe removed annotations, with all elements below them.
    private var described: Set<ObjectID> = []

    /// - Parameter limit: the maximum number of pages.
    init(_ dump: ObjectDump, pages limit: Int) {
        self.dump = dump
        pages = PageTree(dump, limit: limit).indexes
        if case .reference(let id)? = dump.trailer.dictionary?["Root"] { catalog = id } else { catalog = nil }
        names = catalog.flatMap(dump.json)?["/Names"]?.reference
    }

    /// Writes the changed objects.
    ///
    /// - Throws: ``PDFError/damaged`` if an object that may hold annotations cannot be read.
    mutating func write(to update: PDFUpdate) throws {
        do { try writeAll(to: update) } catch PDFError.damaged {
            try dump.checkTime()
            throw PDFError.damaged
        }
        try dump.checkTime()
    }

    private mutating func writeAll(to update: PDFUpdate) throws {
        findFields()
        try findRemoved()
        removeFiles()
        findStructureReferences()
        findDescribed()
        for id in dump.ids {
            if removed.contains(id) {
                try update.add(.null, as: id)
            } else if let value = try cleaned(id) {
                try update.add(value, as: id)
            }
        }
    }

    // MARK: Finding

    /// Finds the annotations to remove, by the lists that name them and, for those in no list, by their entries.
    private mutating func findRemoved() throws {
        // A list may name an annotation a million times.
        var listed: Set<ObjectID> = []
        for id in dump.ids {
            guard !Task.isCancelled else { throw CancellationError() }
            if dump.mentions("/Annots", in: id) {
                guard let value = dump.json(id) else { throw PDFError.damaged }
                eachList(in: value) { entry in
                    guard let reference = entry.reference else {
                        if kind(of: entry) == nil { findParts(of: entry) }
                        return
                    }
                    if listed.insert(reference).inserted, kind(of: entry) == nil { removed.insert(reference) }
                }
            }
            guard dump.mentions("/Rect", in: id), dump.mentions("/Subtype", in: id) else { continue }
            guard let value = dump.json(id) else { throw PDFError.damaged }
            if value["/Rect"] != nil, kind(of: value) == nil { removed.insert(id) }
        }
        // A page or the catalog must not vanish because a hostile list names it.
        removed = removed.filter { id in
            guard id != catalog, let value = dump.json(id)?.object else { return false }
            return value["/Type"] != "/Page" && value["/Type"] != "/Pages" && value["/Kids"] == nil
        }
        for id in removed { if let annotation = dump.json(id) { findParts(of: annotation) } }
    }

    /// Notes what a removed annotation shows and holds, because other places may name it too.
    private mutating func findParts(of annotation: JSON) {
        if let file = annotation["/FS"]?.reference { files.insert(file) }
        var looks = [annotation["/AP"]].compactMap(\.self)
        // The normal, rollover and down appearances, each a stream or one stream for each state.
        for _ in 0..<3 {
            looks = looks.flatMap { look in
                guard let look = resolved(look)?.object else {
                    if let stream = look.reference { appearances.insert(stream) }
                    return [JSON]()
                }
                return look.members.map(\.value)
            }
        }
    }

    /// Removes the files of removed annotations, except those that are also in the document's own list.
    private mutating func removeFiles() {
        guard !files.isEmpty else { return }
        let names = catalog.flatMap(dump.json).flatMap { resolved($0["/Names"]) }
        var nodes = [resolved(names?["/EmbeddedFiles"])].compactMap(\.self)
        var seen: Set<ObjectID> = []
        while let node = nodes.popLast() {
            for entry in resolved(node["/Names"])?.array ?? [] { if let file = entry.reference { files.remove(file) } }
            for kid in resolved(node["/Kids"])?.array ?? [] {
                guard let id = kid.reference, seen.insert(id).inserted, let node = dump.json(id) else { continue }
                nodes.append(node)
            }
        }
        removed.formUnion(files.filter { dump.json($0)?["/EF"] != nil })
    }

    /// Calls the body with each entry of each annotation list in a value.
    private func eachList(in value: JSON, _ body: (JSON) -> Void) {
        switch value {
        case .object(let object):
            for member in object.members {
                if member.key == "/Annots" {
                    for entry in resolved(member.value)?.array ?? [] { body(entry) }
                } else {
                    eachList(in: member.value, body)
                }
            }
        case .array(let items): for item in items { eachList(in: item, body) }
        default: break
        }
    }

    private enum Kind { case link, widget }

    /// Returns nil for an annotation that is removed, and for anything that is not an annotation.
    private func kind(of entry: JSON) -> Kind? {
        switch resolved(resolved(entry)?["/Subtype"]) {
        case "/Link": .link
        case "/Widget": .widget
        default: nil
        }
    }

    /// Walks the tree of form fields, and finds the widgets outside of it.
    private mutating func findFields() {
        let form = catalog.flatMap(dump.json).flatMap { resolved($0["/AcroForm"]) }
        var waiting = (resolved(form?["/Fields"])?.array ?? []).compactMap(\.reference).map {
            (id: $0, isButton: false)
        }
        while let next = waiting.popLast() {
            guard fields[next.id] == nil, let field = dump.json(next.id), field.object != nil else { continue }
            let isButton = resolved(field["/FT"]).map { $0 == "/Btn" } ?? next.isButton
            fields[next.id] = isButton
            waiting += (resolved(field["/Kids"])?.array ?? []).compactMap(\.reference).map { ($0, isButton) }
        }
        for id in dump.ids where fields[id] == nil && dump.mentions("/Widget", in: id) {
            guard let widget = dump.json(id), kind(of: widget) == .widget else { continue }
            // Walk up to the field that states the type.
            var (isButton, above) = (false, Optional(widget))
            for _ in 0..<PageTree.maxDepth {
                guard let field = above else { break }
                if let type = resolved(field["/FT"]) {
                    isButton = type == "/Btn"
                    break
                }
                if let parent = field["/Parent"]?.reference, fields[parent] == nil { fields[parent] = false }
                above = resolved(field["/Parent"])
            }
            fields[id] = isButton
        }
    }

    private mutating func findStructureReferences() {
        for id in dump.ids where mayReferToRemoved(id) {
            if let value = dump.json(id), leadsToRemoved(value) { structureReferences.insert(id) }
        }
    }

    private func mayReferToRemoved(_ id: ObjectID) -> Bool {
        !removed.isEmpty && dump.mentions("/OBJR", in: id) || !appearances.isEmpty && dump.mentions("/Stm", in: id)
    }

    /// Whether this is a reference from the structure tree to a removed annotation, or to content of its appearance
    /// (ISO 32000-1, 14.7.4.2 and 14.7.4.3).
    private func leadsToRemoved(_ value: JSON) -> Bool {
        if let id = value.reference { return structureReferences.contains(id) }
        if let stream = value["/Stm"]?.reference, appearances.contains(stream) { return true }
        return value["/Type"] == "/OBJR" && (value["/Obj"]?.reference).map(removed.contains) == true
    }

    /// Finds the elements of type `Annot` that lead to a removed annotation, directly or through other elements, and
    /// everything below them: alternative texts of all of these may repeat the annotation's text.
    private mutating func findDescribed() {
        for id in dump.ids where mayReferToRemoved(id) || !structureReferences.isEmpty && dump.mentions("/K", in: id) {
            guard let value = dump.json(id), value["/S"] != nil, kids(of: value).contains(where: leadsToRemoved) else {
                continue
            }
            var (next, top) = (Optional(id), ObjectID?.none)
            for _ in 0..<PageTree.maxDepth {
                guard let id = next, top == nil, let element = dump.json(id) else { break }
                if resolved(element["/S"]) == "/Annot" { top = id }
                next = element["/P"]?.reference
            }
            var waiting = [top].compactMap(\.self)
            while let id = waiting.popLast() {
                guard described.insert(id).inserted, let element = dump.json(id) else { continue }
                waiting += kids(of: element).compactMap(\.reference).filter { dump.json($0)?["/S"] != nil }
            }
        }
    }

    /// The children of an element of the structure tree.
    private func kids(of element: JSON) -> [JSON] {
        guard let kids = element["/K"] else { return [] }
        return resolved(kids)?.array ?? [kids]
    }

    // MARK: Cleaning

    /// Returns an object's new value; nil if it stays as it is.
    private func cleaned(_ id: ObjectID) throws -> JSON? {
        if let isButton = fields[id] {
            guard let object = dump.json(id)?.object else { throw PDFError.damaged }
            return .object(field(object, isButton: isButton, id: "\(id.number)"))
        }
        if described.contains(id) { return .object(dump.json(id)?.object?.only(Self.elementEntries) ?? JSONObject()) }
        let isStructure = !structureReferences.isEmpty && dump.mentions("/K", in: id)
        let isAnnotation = dump.mentions("/Link", in: id) && dump.mentions("/Rect", in: id)
        guard
            id == catalog || id == names || isStructure || isAnnotation || dump.mentions("/Annots", in: id)
                || dump.mentions("/PieceInfo", in: id) || dump.mentions("/Thumb", in: id) || mayReferToRemoved(id)
        else { return nil }
        guard let value = dump.json(id) else { throw PDFError.damaged }
        guard var object = value.object else { return nil }
        if kind(of: value) == .link { return .object(link(object, id: "\(id.number)")) }
        if id == catalog { cleanCatalog(&object) }
        if id == names { object = Self.withoutMedia(object) }
        if object["/S"] != nil, object["/K"] != nil { cleanStructure(&object) }
        let result = JSON.object(withoutLists(object, page: id))
        guard result != value else { return nil }
        return result
    }

    private func withoutLists(_ object: JSONObject, page: ObjectID) -> JSONObject {
        var result = JSONObject()
        for member in object.members {
            switch member.key {
            case "/Annots":
                let list = remaining(resolved(member.value)?.array ?? [], page: page)
                if !list.isEmpty { result["/Annots"] = .array(list) }
            // The page's thumbnail, and copies of its contents stored by other programs, may show annotations.
            case "/PieceInfo", "/Thumb": break
            default:
                result[member.key] = member.value.object.map { .object(withoutLists($0, page: page)) } ?? member.value
            }
        }
        return result
    }

    private func remaining(_ list: [JSON], page: ObjectID) -> [JSON] {
        var seen: Set<ObjectID> = []
        return list.enumerated().compactMap { position, entry in
            if let reference = entry.reference, !seen.insert(reference).inserted { return nil }
            guard let kind = kind(of: entry) else { return nil }
            guard let object = entry.object else { return entry }
            let id = "p\(pages[page] ?? 0)a\(position)"
            return .object(kind == .link ? link(object, id: id) : field(object, isButton: false, id: id))
        }
    }

    private static let annotationEntries = [
        "/Type", "/Subtype", "/Rect", "/P", "/F", "/BS", "/Border", "/H", "/StructParent", "/OC",
    ]

    private func link(_ object: JSONObject, id: Record.ID) -> JSONObject {
        var result = object.only(Self.annotationEntries + ["/C", "/QuadPoints"])
        if let target = object["/Dest"].flatMap(resolved), target.isPlain { result["/Dest"] = target }
        if let action = object["/A"].flatMap(resolved)?.object {
            result["/A"] = .object(action.only(["/S", "/D", "/URI", "/N", "/F", "/NewWindow", "/IsMap"]))
        }
        result[Self.idKey] = .string("u:" + id)
        return result
    }

    /// Returns a field or its widget without its value. A button keeps its appearance, which reveals no value once the
    /// button is off; only the icon of a button may be a picture that a user chose.
    private func field(_ object: JSONObject, isButton: Bool, id: Record.ID) -> JSONObject {
        let entries = ["/Parent", "/FT", "/T", "/TU", "/TM", "/Ff", "/MaxLen", "/DA", "/Q", "/Opt", "/MK"]
        let style = resolved(object["/MK"])?.object
        let hasIcon = style?["/I"] != nil
        var result = object.only(Self.annotationEntries + entries + (isButton && !hasIcon ? ["/AP"] : []))
        if hasIcon, let style { result["/MK"] = .object(style.only(["/R", "/BC", "/BG", "/CA", "/TP"])) }
        if let kids = object["/Kids"].flatMap(resolved)?.array {
            result["/Kids"] = .array(kids.filter { $0.reference.map { !removed.contains($0) } == true })
        }
        if isButton, object["/AS"] != nil { result["/AS"] = "/Off" }
        if object["/Subtype"] != nil { result[Self.idKey] = .string("u:" + id) }
        return result
    }

    private func cleanCatalog(_ object: inout JSONObject) {
        // Signatures and their data no longer match the file.
        for key in ["/Perms", "/DSS", "/Legal"] { object[key] = nil }
        if let names = object["/Names"]?.object { object["/Names"] = .object(Self.withoutMedia(names)) }
        guard let form = object["/AcroForm"].flatMap(resolved)?.object else { return }
        // XFA is left out, because it repeats the values.
        var result = form.only(["/DA", "/DR", "/Q"])
        result["/Fields"] = .array((form["/Fields"].flatMap(resolved)?.array ?? []).filter { $0.reference != nil })
        result["/NeedAppearances"] = true
        object["/AcroForm"] = .object(result)
    }

    /// Returns the name dictionary without the named appearances of annotations and what media annotations play.
    private static func withoutMedia(_ names: JSONObject) -> JSONObject {
        names.only(names.members.map(\.key).filter { $0 != "/AP" && $0 != "/Renditions" })
    }

    private static let elementEntries = ["/Type", "/S", "/P", "/Pg", "/ID"]

    /// Empties an element of the structure tree that refers to a removed annotation: it may repeat its text.
    private func cleanStructure(_ object: inout JSONObject) {
        let list = kids(of: .object(object))
        let rest = list.filter { !leadsToRemoved($0) }
        guard rest.count < list.count else { return }
        object = object.only(Self.elementEntries)
        object["/K"] = .array(rest)
    }

    /// Follows a reference; only one step, as annotations need no more.
    private func resolved(_ value: JSON?) -> JSON? {
        guard let value, let id = value.reference else { return value }
        return dump.json(id)
    }
}

extension JSON {
    /// The object that a string of qpdf's JSON refers to.
    fileprivate var reference: ObjectID? { string.flatMap { ObjectID($0[...]) } }

    /// Whether this is a name, a string or a list of these, as every destination is.
    fileprivate var isPlain: Bool {
        switch self {
        case .array(let items): items.allSatisfy { $0.object == nil && $0.array == nil }
        case .object: false
        default: true
        }
    }
}

extension JSONObject {
    fileprivate func only(_ keys: [String]) -> JSONObject {
        members.reduce(into: JSONObject()) { if keys.contains($1.key) { $0[$1.key] = $1.value } }
    }
}

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
    /// The index of each page.
    private let pages: [ObjectID: Int]
    private var removed: Set<ObjectID> = []
    /// The form fields and their widgets; false for those whose appearance shows a value.
    private var fields: [ObjectID: Bool] = [:]
    /// References from the structure tree to removed annotations, where they are separate objects.
    private var structureReferences: Set<ObjectID> = []

    /// - Parameter limit: the maximum number of pages.
    init(_ dump: ObjectDump, pages limit: Int) {
        self.dump = dump
        pages = PageTree(dump, limit: limit).indexes
        if case .reference(let id)? = dump.trailer.dictionary?["Root"] { catalog = id } else { catalog = nil }
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
        findStructureReferences()
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
                    guard let reference = entry.reference, listed.insert(reference).inserted else { return }
                    if kind(of: entry) == nil { removed.insert(reference) }
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
        guard !removed.isEmpty else { return }
        for id in dump.ids where dump.mentions("/OBJR", in: id) {
            if let value = dump.json(id), leadsToRemoved(value) { structureReferences.insert(id) }
        }
    }

    /// Whether this is a reference from the structure tree to a removed annotation (ISO 32000-1, 14.7.4.3).
    private func leadsToRemoved(_ value: JSON) -> Bool {
        if let id = value.reference { return structureReferences.contains(id) }
        return value["/Type"] == "/OBJR" && (value["/Obj"]?.reference).map(removed.contains) == true
    }

    // MARK: Cleaning

    /// Returns an object's new value; nil if it stays as it is.
    private func cleaned(_ id: ObjectID) throws -> JSON? {
        if let isButton = fields[id] {
            guard let object = dump.json(id)?.object else { throw PDFError.damaged }
            return .object(field(object, isButton: isButton, id: "\(id.number)"))
        }
        let isStructure = !structureReferences.isEmpty && dump.mentions("/K", in: id)
        let isAnnotation = dump.mentions("/Link", in: id) && dump.mentions("/Rect", in: id)
        guard
            id == catalog || isStructure || isAnnotation || dump.mentions("/Annots", in: id)
                || dump.mentions("/PieceInfo", in: id) || dump.mentions("/Thumb", in: id)
                || dump.mentions("/OBJR", in: id)
        else { return nil }
        guard let value = dump.json(id) else { throw PDFError.damaged }
        guard var object = value.object else { return nil }
        if kind(of: value) == .link { return .object(link(object, id: "\(id.number)")) }
        if id == catalog { cleanCatalog(&object) }
        if object["/S"] != nil, let kids = object["/K"] { cleanStructure(&object, kids) }
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
    /// button is off.
    private func field(_ object: JSONObject, isButton: Bool, id: Record.ID) -> JSONObject {
        let entries = ["/Parent", "/FT", "/T", "/TU", "/TM", "/Ff", "/MaxLen", "/DA", "/Q", "/Opt", "/MK"]
        var result = object.only(Self.annotationEntries + entries + (isButton ? ["/AP"] : []))
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
        guard let form = object["/AcroForm"].flatMap(resolved)?.object else { return }
        // XFA is left out, because it repeats the values.
        var result = form.only(["/DA", "/DR", "/Q"])
        result["/Fields"] = .array((form["/Fields"].flatMap(resolved)?.array ?? []).filter { $0.reference != nil })
        result["/NeedAppearances"] = true
        object["/AcroForm"] = .object(result)
    }

    /// Empties an element of the structure tree that describes a removed annotation: it may repeat its text.
    private func cleanStructure(_ object: inout JSONObject, _ kids: JSON) {
        let list = resolved(kids)?.array ?? [kids]
        let rest = list.filter { !leadsToRemoved($0) }
        guard rest.count < list.count else { return }
        object = object.only(["/Type", "/S", "/P", "/Pg", "/ID"])
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

import Annotations
import Instant
import InstantCore
import Interchange
import PDFPages
import SystemPackage

/// Finds what another program has changed in a copy of a layer's PDF.
///
/// An annotation of the copy is a record of the layer if it has the record's number, in a copy that continues the bytes
/// of the PDF; if it has its name (`NM`); or if it is equal to it. Of a record that is found, only the members change in
/// which the copy differs from what the PDF or an export held. All other annotations are new.
struct AnnotatedCopy {
    private let descriptor: InstantDocumentDescriptor
    private let frames: [PageFrame]
    /// The annotations of the original, by id; empty unless the copy continues its bytes.
    private let originals: [ByteOrdered: Content]
    /// The records by the object number they had when they were read. Numbers may be reused.
    private var numbered: [ByteOrdered: [Record]] = [:]
    private var named: [ByteOrdered: Record] = [:]
    private var alike: [ByteOrdered: [Record.ID]] = [:]
    /// The record of each annotation of the copy.
    private var matches: [ByteOrdered: Record.ID] = [:]
    /// The records that were found; none is found twice.
    private var used: Set<ByteOrdered> = []
    /// The annotations that are in the copy alone.
    private var newItems: [NewItem] = []
    /// How often each id was given to a new annotation: equal ones have equal ids.
    private var created: [ByteOrdered: Int] = [:]
    private(set) var items: [InstantJSONFile.Item] = []
    struct NewItem {
        let index: Int
        /// With the ids of the copy.
        let source: Content
    }
    private(set) var problems: [FileProblem] = []

    /// - Throws: `PDFError` if one of the files cannot be read.
    static func records(
        of path: String, original: String, in descriptor: InstantDocumentDescriptor
    ) async throws -> ImportedRecords {
        let tools = PDFTools()
        let copy: BaseAnnotations
        do { copy = try await tools.annotations(of: path) } catch let error as PDFError {
            throw CommandFailure("\(path): \(error); nothing imported")
        }
        let base = try await tools.annotations(of: original)
        let continues = try Self.continues(path, original)
        var matcher = try await AnnotatedCopy(descriptor, base, continues: continues)
        for record in copy.records { try matcher.take(record) }
        matcher.renameTargets()
        for warning in copy.warnings where warning.record == nil {
            matcher.problems.append(FileProblem(nil, "\(warning)", isSkipped: false))
        }
        return ImportedRecords(
            items: matcher.annotationsThenComments, problems: matcher.problems,
            warning: continues ? nil : try await difference(path, copy.frames, original, base.frames))
    }

    private init(_ descriptor: InstantDocumentDescriptor, _ base: BaseAnnotations, continues: Bool) async throws {
        self.descriptor = descriptor
        frames = base.frames
        originals =
            continues
            ? Dictionary(base.records.map { (ByteOrdered($0.id), $0.content) }) { first, _ in first } : [:]
        var (named, alike): ([ByteOrdered: Record], [ByteOrdered: [Record.ID]]) = ([:], [:])
        var numbered: [ByteOrdered: [Record]] = [:]
        let frames = frames
        try await descriptor.forEachRecord { record, _ in
            named[ByteOrdered(record.id)] = record
            if let number = record.content["pdfObjectId"]?.integer {
                numbered[ByteOrdered("\(number)"), default: []].append(record)
            }
            if let name = record.content["name"]?.string { named[ByteOrdered(name)] = record }
            var looks: Set = [Self.look(of: record.content)]
            if let written = Self.written(record.content, frames) { looks.insert(Self.look(of: written)) }
            for look in looks { alike[look, default: []].append(record.id) }
        }
        (self.named, self.numbered, self.alike) = (named, numbered, alike)
    }

    private mutating func take(_ record: Record) throws {
        let content = record.content.changing { object in
            object["pdfObjectId"] = nil
            if var aside = object["postilla"]?.object {
                aside["warning"] = nil
                // A new record is written on its own page only.
                aside["pages"] = nil
                aside["inReplyTo"] = aside["inReplyTo"].map(match)
                object["postilla"] = aside.members.isEmpty ? nil : .object(aside)
            }
            object["rootId"] = object["rootId"].map(match)
        }
        let isField = content["postilla"]?["pdfSubtype"] == "Widget"
        if let limit = content.readInPart {
            // It is there already, or stays away: a part of it must not replace it.
            if let original = originals[ByteOrdered(record.id)] {
                matches[ByteOrdered(record.id)] = try present(record.id, original)?.id ?? record.id
                guard !KnownRecord.changes(from: original, to: record.content).isEmpty else { return }
            }
            return problems.append(FileProblem(record.id, "only a part of it can be read: \(limit)"))
        }
        if let original = originals[ByteOrdered(record.id)] {
            let changes = KnownRecord.changes(from: original, to: record.content)
            if isField {
                matches[ByteOrdered(record.id)] = record.id
                if !changes.isEmpty { problems.append(FileProblem(record.id, "form fields are not imported")) }
                return
            }
            let present = try present(record.id, original)
            matches[ByteOrdered(record.id)] = present?.id ?? record.id
            guard let present else {
                let sentence = "deleted in this layer"
                return problems.append(FileProblem(record.id, sentence, isSkipped: !changes.isEmpty))
            }
            return add(changes, to: present)
        }
        if let name = content["name"]?.string, let present = named[ByteOrdered(name)],
            !used.contains(ByteOrdered(present.id)), let written = Self.written(present.content, frames),
            Self.family(of: written) == Self.family(of: content)
        {
            matches[ByteOrdered(record.id)] = present.id
            if Self.isReply(content) {
                return add(KnownRecord.changedWords(of: content, in: present.content), to: present)
            }
            // The PDF has the record as it was in it, or as an export wrote it.
            let changes = [present.content, written].map { KnownRecord.changes(from: $0, to: content) }
            return add(changes[0].count <= changes[1].count ? changes[0] : changes[1], to: present)
        }
        while let id = alike[Self.look(of: content)]?.popLast() {
            guard !used.contains(ByteOrdered(id)), let present = try descriptor.layer.record(id) else { continue }
            matches[ByteOrdered(record.id)] = id
            return add([:], to: present)
        }
        guard !isField else { return problems.append(FileProblem(record.id, "form fields are not imported")) }
        let new = content.changing { $0["name"] = nil }
        newItems.append(NewItem(index: items.count, source: record.content))
        var id = ImportPlanner.id(for: content)
        created[ByteOrdered(id), default: 0] += 1
        if let count = created[ByteOrdered(id)], count > 1 { id += "-\(count)" }
        matches[ByteOrdered(record.id)] = id
        items.append(InstantJSONFile.item(id, new))
    }

    /// Returns the record of one of the original's annotations. Its id is the object number in a server's layer, and usually
    /// the annotation's name in the layer of a local PDF.
    private func present(_ number: Record.ID, _ original: Content) throws -> Record? {
        func isSame(_ record: Record) -> Bool {
            guard !used.contains(ByteOrdered(record.id)), Self.family(of: record.content) == Self.family(of: original)
            else { return false }
            let name = original["name"]?.string
            return name.isExactly(record.content["name"]?.string) || name.isExactly(record.id)
        }
        let withID = try descriptor.layer.record(number)
        var found = (numbered[ByteOrdered(number)] ?? []).filter { !$0.id.isExactly(number) }
        if let withID { found.append(withID) }
        // Of several, the one that is most like it.
        func distance(_ record: Record) -> Int { KnownRecord.changes(from: original, to: record.content).count }
        if let record = found.filter(isSame).min(by: { distance($0) < distance($1) }) { return record }
        if let name = original["name"]?.string, let record = named[ByteOrdered(name)], isSame(record) { return record }
        guard let withID, let last = withID.content["pdfObjectId"]?.integer else { return withID }
        return number.isExactly("\(last)") ? withID : nil
    }

    /// A comment can be added only under an annotation that is there.
    private var annotationsThenComments: [InstantJSONFile.Item] {
        items.filter { $0.content.contentType != .comments } + items.filter { $0.content.contentType == .comments }
    }

    /// An annotation may answer one that comes after it.
    private mutating func renameTargets() {
        for item in newItems {
            let (root, target) = (item.source["rootId"], item.source["postilla"]?["inReplyTo"])
            guard root != nil || target != nil else { continue }
            items[item.index].content = items[item.index].content.changing { object in
                object["rootId"] = root.map(match)
                guard var aside = object["postilla"]?.object else { return }
                aside["inReplyTo"] = target.map(match)
                object["postilla"] = .object(aside)
            }
        }
    }

    private func match(_ id: JSON) -> JSON {
        id.string.flatMap { matches[ByteOrdered($0)] }.map(JSON.string) ?? id
    }

    private mutating func add(_ changes: [ByteOrdered: JSON?], to present: Record) {
        used.insert(ByteOrdered(present.id))
        let content = KnownRecord.apply(changes, to: present.content)
        items.append(InstantJSONFile.item(present.id, content))
    }

    // MARK: Comparing

    /// Returns the text, appearance and page of an annotation, without its author.
    private static func look(of content: Content) -> ByteOrdered {
        let object = content.object
        // A reply is a note or a comment.
        if isReply(content) {
            let text = object["text"].flatMap(CommentText.init(json:))?.words ?? ""
            return ByteOrdered("reply \(object["pageIndex"]?.integer ?? 0) \(text)")
        }
        let members = object.members.filter { $0.key == "pageIndex" || !KnownRecord.stamped.contains($0.key) }
        return ByteOrdered(
            members.sorted { ByteOrdered($0.key) < ByteOrdered($1.key) }.map { "\($0.key) \($0.value.text)" }
                .joined(separator: "\n"))
    }

    private static func isReply(_ content: Content) -> Bool {
        content.contentType == .comments || content["postilla"]?["inReplyTo"] != nil
    }

    /// Whether two contents can be of one annotation: of the same type, or both replies.
    private static func family(of content: Content) -> JSON? { isReply(content) ? "reply" : content["type"] }

    /// Returns a record's content as it reads in a PDF that it was written into; nil if PDF cannot hold it.
    private static func written(_ content: Content, _ frames: [PageFrame]) -> Content? {
        guard content.contentType != .comments else { return content }
        guard let page = content["pageIndex"]?.integer.flatMap({ Int(exactly: $0) }), frames.indices.contains(page)
        else { return nil }
        return PDFAnnotation(asWritten: content, on: frames[page])?
            .content(onPage: page, frames[page], pageCount: frames.count).0
    }

    /// Whether a file begins with all bytes of another.
    private static func continues(_ path: String, _ original: String) throws -> Bool {
        let longer = try FileDescriptor.open(path, .readOnly)
        defer { try? longer.close() }
        let shorter = try FileDescriptor.open(original, .readOnly)
        defer { try? shorter.close() }
        guard try longer.seek(offset: 0, from: .end) >= shorter.seek(offset: 0, from: .end) else { return false }
        var (one, other) = ([UInt8](repeating: 0, count: 1 << 18), [UInt8](repeating: 0, count: 1 << 18))
        var place: Int64 = 0
        while true {
            let count = try other.withUnsafeMutableBytes { try shorter.read(fromAbsoluteOffset: place, into: $0) }
            guard count > 0 else { return true }
            var read = 0
            while read < count {
                let more = try one.withUnsafeMutableBytes { buffer in
                    try longer.read(
                        fromAbsoluteOffset: place + Int64(read),
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[read..<count]))
                }
                guard more > 0 else { return false }
                read += more
            }
            guard one[..<count] == other[..<count] else { return false }
            place += Int64(count)
        }
    }

    /// Returns why two files seem to be different documents, judging by the sizes of their pages and the words on some.
    private static func difference(
        _ path: String, _ copy: [PageFrame], _ original: String, _ base: [PageFrame]
    ) async throws -> String? {
        guard copy.count == base.count else {
            return "\(path) has \(copy.count) page\(copy.count == 1 ? "" : "s"), the layer's PDF \(base.count)"
        }
        let isSimilar = zip(copy, base).allSatisfy { abs($0.width - $1.width) < 1 && abs($0.height - $1.height) < 1 }
        guard isSimilar else { return "the pages of \(path) have other sizes than those of the layer's PDF" }
        let (step, tools) = (max(1, base.count / 4), PDFTools())
        for page in stride(from: 0, to: base.count, by: step) {
            guard let one = try? await tools.text(of: path, page: page),
                let other = try? await tools.text(of: original, page: page)
            else { continue }
            let (words, expected) = (Set(one.words.map(\.text)), Set(other.words.map(\.text)))
            if words.intersection(expected).count * 2 < expected.count {
                return "page \(page + 1) of \(path) has other words than that of the layer's PDF"
            }
        }
        return nil
    }
}

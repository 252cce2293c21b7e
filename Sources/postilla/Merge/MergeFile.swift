import Annotations
import Crypto
import Glibc
import Interchange
import PDFPages

/// One annotated copy, as it was read for a merge.
struct MergeFile {
    let path: String
    var copy: CopyMerge.Copy
    /// Whether the copy is a PDF.
    let isPDF: Bool
    /// What of the file is not merged, or not completely.
    var problems: [FileProblem] = []
    /// What a person should know of the file as a whole.
    var warnings: [String] = []
    /// The attached files of formats that hold them beside the annotations.
    var attachments: [AttachmentID: [UInt8]] = [:]
}

/// The document that copies are merged into.
struct MergeDocument {
    let path: String
    let frames: [PageFrame]
    /// Its annotations, without form fields, which belong to the form.
    let records: [Record]
    /// The ids of its form fields.
    let fields: [Record.ID]
    /// The values of its form fields, by their ids.
    let values: [ByteOrdered: JSON]

    /// - Throws: ``CommandFailure``
    init(reading path: String) async throws {
        self.path = path
        _ = try RegularFile(path)
        let found: BaseAnnotations
        do { found = try await PDFTools().annotations(of: path) } catch let error as PDFError {
            throw CommandFailure("\(path): \(error); nothing merged")
        }
        frames = found.frames
        records = found.records.filter { !$0.isField }
        fields = found.records.filter(\.isField).map(\.id)
        values = Self.values(found)
    }

    /// Returns the values by the names of their fields.
    static func values(_ found: BaseAnnotations) -> [ByteOrdered: JSON] {
        Dictionary(
            found.values.compactMap { record in
                record.content["name"]?.string.map { (ByteOrdered($0), record.content["value"] ?? .null) }
            }
        ) { first, _ in first }
    }
}

extension Record {
    var isField: Bool { AnnotationKind(of: content.object) == .formField }
}

/// Reads annotated copies, each with the version that it comes from.
struct MergeReader {
    let document: MergeDocument
    private(set) var files: [MergeFile] = []
    /// The pages of the document as text, once they are needed.
    private var texts: [PageText]?
    /// The annotations of the document and of its earlier revisions, once they are needed.
    private var versions: [[Record]]?
    private let tools = PDFTools()

    /// How many revisions of the document a copy without its bytes is compared with.
    private static let maxRevisions = 8

    init(_ document: MergeDocument) { self.document = document }

    /// - Parameter author: of what the copy adds without one.
    /// - Throws: ``CommandFailure``
    mutating func read(_ path: String, author: String?) async throws {
        let read: ImportFile
        do { read = try await ImportFile.read(path) } catch let error as CommandFailure {
            throw CommandFailure(error.message + "; nothing merged", error.status)
        }
        var file: MergeFile
        do {
            switch read {
            case .pdf: file = try await self.pdf(path)
            case .xfdf(let bytes):
                let read = try XFDFFile(bytes, pages: document.frames)
                file = Self.file(path, read.annotations + read.comments, from: .formsData, read.problems)
            case .fdf(let bytes):
                let read = try FDFFile(bytes, pages: document.frames)
                file = Self.file(path, read.annotations + read.comments, from: .formsData, read.problems)
            case .instantJSON(let read):
                file = Self.file(path, read.annotations + read.comments, from: .records, read.problems)
                file.attachments = read.attachments
                dropMisplaced(&file)
            }
        } catch let error as PDFError {
            throw CommandFailure("\(path): \(error); nothing merged")
        }
        if case .none = file.copy.ancestor { file.copy.ancestor = try await likelyAncestor(of: file.copy) }
        if !file.isPDF { dropInvalid(&file) }
        file.copy.author = author
        files.append(file)
    }

    /// Returns the revision of the document that a copy is most like: what others did since then is no change of this copy.
    private mutating func likelyAncestor(of copy: CopyMerge.Copy) async throws -> CopyMerge.Ancestor {
        var versions = self.versions ?? []
        if versions.isEmpty {
            versions = [document.records]
            for revision in try SharedRevision.all(of: document.path, atMost: Self.maxRevisions)
            where !revision.isWhole {
                guard let found = try await tools.annotations(of: document.path, upTo: revision.length),
                    // The pages may have changed, too.
                    found.frames == document.frames
                else { continue }
                versions.append(found.records.filter { !$0.isField })
            }
            self.versions = versions
        }
        guard versions.count > 1 else { return .none }
        let counts = versions.map { CopyMerge.differences(of: copy, from: $0, pages: document.frames) }
        guard let least = counts.min(), let place = counts.firstIndex(of: least), place > 0 else { return .none }
        return .likely(versions[place], of: 0)
    }

    private static func file(
        _ path: String, _ items: [InstantJSONFile.Item], from source: DocumentReading.Source, _ problems: [FileProblem]
    ) -> MergeFile {
        var file = MergeFile(path: path, copy: CopyMerge.Copy([], from: source), isPDF: false, problems: problems)
        for (index, item) in items.enumerated() {
            var item = item
            if let (id, bytes) = item.nameFile({ SHA256.hash(data: $0).hexadecimal }) { file.attachments[id] = bytes }
            // A name that no file gives; the merge names new records by their content.
            let id = item.id ?? item.content["pdfObjectId"]?.integer.map { "\($0)" } ?? "#\(index)"
            let record = Record(id: id, content: item.content)
            if record.isField {
                file.problems.append(FileProblem(item.id, "form fields are not merged"))
            } else {
                file.copy.records.append(record)
            }
        }
        return file
    }

    /// One record that no layer accepts must not keep the others out.
    private func dropInvalid(_ file: inout MergeFile) {
        file.copy.records.removeAll { record in
            do throws(InvalidContent) {
                try record.content.validate()
                return false
            } catch {
                file.problems.append(FileProblem(record.id, error.description))
                return true
            }
        }
    }

    /// Other formats check the pages as they read the file.
    private func dropMisplaced(_ file: inout MergeFile) {
        let pages = document.frames.indices
        file.copy.records.removeAll { record in
            guard let page = record.content["pageIndex"]?.integer, !pages.contains(Int(clamping: page)) else {
                return false
            }
            file.problems.append(FileProblem(record.id, "no such page in the document"))
            return true
        }
    }
}

// MARK: - PDFs
extension MergeReader {
    private mutating func pdf(_ path: String) async throws -> MergeFile {
        let found = try await tools.annotations(of: path)
        var file = MergeFile(
            path: path, copy: CopyMerge.Copy(found.records.filter { !$0.isField }, from: .pdf), isPDF: true)
        for warning in found.warnings where warning.record == nil {
            file.problems.append(FileProblem(nil, "\(warning)", isSkipped: false))
        }
        for (name, value) in MergeDocument.values(found).sorted(by: { $0.key < $1.key })
        where document.values[name] != value {
            file.problems.append(FileProblem(name.text, "form fields are not merged; its value is another"))
        }
        file.copy.ancestor = try await ancestor(of: path)
        if case .none = file.copy.ancestor { try await align(&file, found.frames) }
        return file
    }

    /// Returns the longest revision that the copy shares with the document or an earlier copy.
    private func ancestor(of path: String) async throws -> CopyMerge.Ancestor {
        var best: (revision: SharedRevision, place: Int, path: String, records: [Record])?
        let others = files.enumerated().filter(\.element.isPDF).map {
            ($0.offset + 1, $0.element.path, $0.element.copy.records)
        }
        for (place, other, records) in [(0, document.path, document.records)] + others {
            // An aligned copy has other places than its file.
            if place > 0, files[place - 1].copy.isAligned { continue }
            guard let shared = try SharedRevision(of: other, and: path), shared.length > best?.revision.length ?? 0
            else { continue }
            best = (shared, place, other, records)
        }
        guard let best else { return .none }
        guard !best.revision.isWhole else { return .revision(best.records, of: best.place) }
        guard let found = try await tools.annotations(of: best.path, upTo: best.revision.length) else { return .none }
        return .revision(found.records.filter { !$0.isField }, of: best.place)
    }

    /// Moves the annotations of another edition to the places of the same words.
    private mutating func align(_ file: inout MergeFile, _ frames: [PageFrame]) async throws {
        let known = self.texts
        let texts = if let known { known } else { try await tools.text(of: document.path, on: document.frames) }
        self.texts = texts
        let alignment = EditionAlignment(from: try await tools.text(of: file.path, on: frames), to: texts)
        guard !alignment.isSameEdition else {
            if alignment.hasWordsOnOneSide {
                file.warnings.append(
                    "only one of \(document.path) and \(file.path) has words; they may be different documents")
            }
            return
        }
        guard alignment.hasWords, alignment.share >= EditionAlignment.leastShare else {
            let reason =
                alignment.hasWords
                ? "only \(Int(alignment.share * 100)) % of its words are in passages of \(document.path)"
                : "its pages differ from those of \(document.path), and there are no words to compare"
            throw CommandFailure("\(file.path) seems to be another document: \(reason); nothing merged")
        }
        let (moved, lost) = alignment.moving(file.copy.records)
        file.copy.records = moved
        file.copy.isAligned = true
        for record in lost {
            let annotation = Annotation(record)
            // Links and the like belong to the edition.
            guard !annotation.isHidden else { continue }
            let place = annotation.pageIndex.map { ", page \($0 + 1)" } ?? ""
            let text = annotation.text.isEmpty ? "" : ": " + annotation.text.prefix(scalars: 60)
            file.problems.append(
                FileProblem(
                    record.id, "its words are not in this edition (\(annotation.kind.name)\(place)\(text))"))
        }
    }
}

/// What tells whether two paths name one file.
struct FileIdentity: Hashable {
    private let device: UInt64
    private let inode: UInt64

    /// - Returns: nil without a file.
    init?(_ path: String) {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        (device, inode) = (UInt64(info.st_dev), UInt64(info.st_ino))
    }
}

import Annotations
import Crypto
import Interchange
import PDFPages

/// A file to import, in one of four formats that its first bytes tell apart.
enum ImportFile {
    case instantJSON(InstantJSONFile)
    case xfdf([UInt8])
    case fdf([UInt8])
    /// The path of an annotated copy of the layer's PDF.
    case pdf(String)

    static let maxBytes = 512 << 20

    /// Reads a file or standard input (`-`), and checks its syntax as far as that is possible without the PDF.
    ///
    /// - Throws: ``CommandFailure`` with the place of the error.
    static func read(_ path: String) async throws -> ImportFile {
        if path != "-", isPDF(path) { return .pdf(path) }
        let bytes = try await ContentFile.read(path, limit: maxBytes)
        let name = path == "-" ? "standard input" : path
        guard !bytes.starts(with: "%PDF-".utf8) else {
            throw CommandFailure("a PDF cannot be read from \(path == "-" ? name : "a pipe"); name the file", .usage)
        }
        if FDFObjects.isFDF(bytes) {
            do { _ = try FDFFile(bytes, pages: []) } catch { throw CommandFailure("\(name): \(error)") }
            return .fdf(bytes)
        }
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        if bytes[start...].first(where: { $0 > 0x20 }) == UInt8(ascii: "<") {
            do { _ = try XFDFFile(bytes, pages: []) } catch {
                throw CommandFailure("\(name):\(TextPlace(of: error.offset, in: bytes)): \(error)")
            }
            return .xfdf(bytes)
        }
        return .instantJSON(try instantJSON(bytes, name))
    }

    static func instantJSON(_ bytes: [UInt8], _ name: String) throws(CommandFailure) -> InstantJSONFile {
        do { return try InstantJSONFile(bytes) } catch {
            throw CommandFailure("\(name):\(TextPlace(of: error.offset, in: bytes)): \(error.problem)")
        }
    }

    /// A header can begin in the first 1,024 bytes. A pipe gives its bytes only once, so it is not looked at.
    private static func isPDF(_ path: String) -> Bool {
        guard let file = try? RegularFile(path), let head = try? file.read(at: 0, count: 1029) else { return false }
        return head.firstRange(of: Array("%PDF-".utf8)) != nil
    }
}

/// The records of a file, and what of it does not become one.
struct ImportedRecords {
    /// Annotations, then comments.
    var items: [InstantJSONFile.Item]
    var problems: [FileProblem] = []
    var attachments: [AttachmentID: [UInt8]] = [:]
    /// Why the file may belong to another document, as a sentence.
    var warning: String?
}

extension LayerSession {
    /// Returns the records of a file. All formats but Instant JSON need the layer's PDF.
    func records(of file: ImportFile) async throws -> ImportedRecords {
        switch file {
        case .instantJSON(let file):
            let problems = try file.formFieldValues.isEmpty ? [] : await file.problems(with: formFieldValues())
            return ImportedRecords(
                items: file.annotations + file.comments, problems: file.problems + problems,
                attachments: file.attachments)
        case .xfdf(let bytes):
            let pages = try await frames()
            let file = try XFDFFile(bytes, pages: pages)
            var attachments: [AttachmentID: [UInt8]] = [:]
            let items = (file.annotations + file.comments).map { item in
                var item = item
                if let (id, bytes) = item.nameFile({ SHA256.hash(data: $0).hexadecimal }) { attachments[id] = bytes }
                return item
            }
            return ImportedRecords(items: try merged(items, pages), problems: file.problems, attachments: attachments)
        case .fdf(let bytes):
            let pages = try await frames()
            let file = try FDFFile(bytes, pages: pages)
            return ImportedRecords(
                items: try merged(file.annotations + file.comments, pages), problems: file.problems)
        case .pdf(let path): return try await AnnotatedCopy.records(of: path, original: pdf(), in: descriptor)
        }
    }

    /// Returns items with all members of the records that they are, if the layer has them.
    private func merged(_ items: [InstantJSONFile.Item], _ pages: [PageFrame]) throws -> [InstantJSONFile.Item] {
        try items.map { item in
            guard let id = item.id, let present = try descriptor.layer.record(id) else { return item }
            var item = item
            item.content = KnownRecord.merged(item.content, into: present.content, pages: pages)
            return item
        }
    }

    /// Returns the values of form fields that the token may see, by the names of the fields.
    private func formFieldValues() async throws -> [ByteOrdered: JSON] {
        var values: [ByteOrdered: JSON] = [:]
        try await descriptor.forEachFormFieldValue { record in
            guard let name = record.content["name"]?.string else { return }
            values[ByteOrdered(name)] = record.content["value"] ?? .null
        }
        return values
    }

    private func frames() async throws -> [PageFrame] { try await PDFTools().annotations(of: pdf()).frames }
}

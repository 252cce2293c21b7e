import Annotations
import Crypto
import EngineCore
import Interchange
import PDFPages
import SyncProtocol

/// An annotation file sent with a PDF: Instant JSON, XFDF or FDF, distinguished by its first bytes.
struct SuppliedAnnotations {
    var annotations: [InstantJSONFile.Item]
    var comments: [InstantJSONFile.Item]
    /// The object numbers of the PDF's own annotations that the file removes.
    var skippedObjects: [Int64] = []
    /// The files that its records name.
    var attachments: [AttachmentID: [UInt8]] = [:]
    /// The file whose form field values are compared with those of the PDF; nil for other formats.
    private(set) var formFieldValues: InstantJSONFile?
    /// What cannot be expressed as records, and why.
    var problems: [String] = []

    /// - Throws: ``APIError`` with the position of the error.
    init(_ bytes: [UInt8], pages: [ServerDocument.Page]) throws {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        if FDFObjects.isFDF(bytes) {
            let file = try Self.fdf(bytes, pages)
            (annotations, comments) = (file.annotations, file.comments)
            problems = file.problems.map(\.description)
        } else if bytes[start...].first(where: { $0 > 0x20 }) == UInt8(ascii: "<") {
            let file = try Self.xfdf(bytes, pages)
            var files: [AttachmentID: [UInt8]] = [:]
            annotations = file.annotations.map { item in
                var item = item
                if let (id, bytes) = item.nameFile({ SHA256.hash(data: $0).hexadecimal }) { files[id] = bytes }
                return item
            }
            (comments, attachments) = (file.comments, files)
            problems = file.problems.map(\.description)
        } else {
            let file = try Self.instantJSON(bytes)
            (annotations, comments, skippedObjects) = (file.annotations, file.comments, file.skippedObjects)
            attachments = file.attachments
            problems = file.problems.filter(\.isSkipped).map(\.description)
            formFieldValues = file
        }
    }

    static func instantJSON(_ bytes: [UInt8]) throws -> InstantJSONFile {
        do { return try InstantJSONFile(bytes) } catch {
            throw APIError(.badRequest, "invalid Instant JSON: \(TextPlace(of: error.offset, in: bytes)): \(error)")
        }
    }

    private static func fdf(_ bytes: [UInt8], _ pages: [ServerDocument.Page]) throws -> FDFFile {
        do { return try FDFFile(bytes, pages: pages.map(\.frame)) } catch {
            throw APIError(.badRequest, "invalid FDF: \(error)")
        }
    }

    private static func xfdf(_ bytes: [UInt8], _ pages: [ServerDocument.Page]) throws -> XFDFFile {
        do { return try XFDFFile(bytes, pages: pages.map(\.frame)) } catch {
            throw APIError(.badRequest, "invalid XFDF: \(TextPlace(of: error.offset, in: bytes)): \(error)")
        }
    }
}

import Annotations
import EngineCore
import Hummingbird
import NIOCore
import SyncProtocol

/// A `multipart/form-data` request: files are written to disk as they arrive, all other parts stay in memory.
struct IncomingForm {
    struct File {
        /// The name of the part.
        var name: String
        /// The file name the client sent.
        var fileName: String?
        var upload: Upload
    }

    /// What a form may contain.
    struct Rules {
        /// Returns whether a part is a file; by default none is.
        var isFile: (MultipartParser.Head) -> Bool = { _ in false }
        /// Returns the maximum size of a field in bytes.
        var fieldLimit: (String) -> Int = { _ in 4096 }
        /// The maximum size of one file in bytes.
        var fileLimit: Int64 = 0
        var receive: () throws -> Upload
    }

    private static let maxParts = 32
    private var fields: [String: [UInt8]] = [:]
    private(set) var files: [File] = []

    /// Returns the bytes of a field.
    subscript(name: String) -> [UInt8]? { fields[name] }

    /// Returns a field as text; nil if it is missing, empty or not UTF-8.
    func text(_ name: String) -> String? {
        fields[name].flatMap { String(validating: $0, as: UTF8.self) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    static func read(_ request: ServerRequest, _ rules: Rules) async throws -> IncomingForm {
        guard let boundary = MultipartParser.boundary(contentType: request.header(.contentType) ?? "") else {
            throw APIError(.badRequest, #"expected "multipart/form-data" with a boundary"#)
        }
        var parser = MultipartParser(boundary: boundary)
        var form = IncomingForm()
        var current: MultipartParser.Head?
        do {
            try await request.eachPiece { buffer in
                for event in try parser.feed(buffer.readableBytesView) { try form.take(event, &current, rules) }
            }
            try parser.finish()
        } catch is MultipartParser.Failure {
            throw APIError(.badRequest, "the form is incomplete or damaged")
        }
        return form
    }

    private mutating func take(
        _ event: MultipartParser.Event, _ current: inout MultipartParser.Head?, _ rules: Rules
    ) throws {
        switch event {
        case .part(let head):
            current = head
            guard fields[head.name] == nil, !files.contains(where: { $0.name.isExactly(head.name) }) else {
                throw APIError(.badRequest, #"duplicate part "\#(head.name.prefix(scalars: 64))" in the form"#)
            }
            guard fields.count + files.count < Self.maxParts else {
                throw APIError(.badRequest, "the form has more than \(Self.maxParts) parts")
            }
            if rules.isFile(head) {
                files.append(File(name: head.name, fileName: head.fileName, upload: try rules.receive()))
            } else {
                fields[head.name] = []
            }
        case .content(let bytes):
            guard let name = current?.name else { return }
            if let file = files.last, file.name.isExactly(name) {
                guard file.upload.bytes + Int64(bytes.count) <= rules.fileLimit else {
                    throw APIError(.payloadTooLarge, "the file is larger than \(rules.fileLimit) bytes")
                }
                try file.upload.write(ByteBuffer(bytes: bytes))
            } else {
                fields[name, default: []] += bytes
                let limit = rules.fieldLimit(name)
                guard fields[name, default: []].count <= limit else {
                    throw APIError(.payloadTooLarge, "a field of the form is longer than \(limit) bytes")
                }
            }
        case .end: break
        }
    }
}

import EngineCore
import Hummingbird
import SyncProtocol

extension BackendPlane {
    /// An upload as a form: the part `file`, and what else is wished as further parts.
    func receiveForm(_ exchange: Exchange) async throws -> (Upload, Intake.Wish) {
        guard let boundary = MultipartParser.boundary(contentType: exchange.header(.contentType) ?? "") else {
            throw Refusal(.badRequest, "the form names no boundary")
        }
        var parser = MultipartParser(boundary: boundary)
        var form = Form(upload: try intake.blobs.receive())
        do {
            for try await buffer in exchange.request.body {
                for event in try parser.feed(buffer.readableBytesView) { try form.take(event, receive) }
            }
            try parser.finish()
        } catch is MultipartParser.Failure {
            throw Refusal(.badRequest, "the form is cut or damaged")
        }
        guard form.hasFile else { throw Refusal(.badRequest, #"the form has no part "file" with the PDF"#) }
        let wish = form.wish
        try await intake.check(wish.id, wish)
        return (form.upload, wish)
    }
}

/// A form as it comes in: the file goes to disk, the fields are short.
private struct Form {
    let upload: Upload
    var hasFile = false
    private var fields: [String: [UInt8]] = [:]
    private var fileName: String?
    private var current = ""

    init(upload: Upload) { self.upload = upload }

    mutating func take(_ event: MultipartParser.Event, _ receive: (ByteBuffer, Upload) throws -> Void) throws {
        switch event {
        case .part(let head):
            current = head.name
            switch head.name {
            case "file":
                guard !hasFile else { throw Refusal(.badRequest, "the form has two files") }
                hasFile = true
                fileName = head.fileName
            default: fields[head.name] = []
            }
        case .content(let bytes):
            if current == "file" {
                try receive(ByteBuffer(bytes: bytes), upload)
            } else {
                fields[current, default: []] += bytes
                let limit = current == "attachment" ? BackendPlane.instantJSONBytes : 4096
                guard fields[current, default: []].count <= limit, fields.count <= 32 else {
                    throw Refusal(
                        .payloadTooLarge, "a field of the form is longer than \(limit) bytes, or there are too many")
                }
            }
        case .end: break
        }
    }

    var wish: Intake.Wish {
        func text(_ name: String) -> String? {
            fields[name].flatMap { String(validating: $0, as: UTF8.self) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        var title = fileName?.split(separator: "/").last.map(String.init)
        if let name = title, name.lowercased().hasSuffix(".pdf") { title = String(name.dropLast(4)) }
        return Intake.Wish(
            id: text("document_id"), title: text("title"), fileName: title,
            overwrites: text("overwrite_existing_document") == "true", annotations: fields["attachment"],
            keepsAnnotations: text("keep_current_annotations") == "true")
    }
}

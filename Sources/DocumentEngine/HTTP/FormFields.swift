import EngineCore
import Hummingbird
import SyncProtocol

/// The parts of a form that fit into memory, by name.
struct FormFields {
    private var fields: [String: [UInt8]] = [:]

    subscript(name: String) -> [UInt8]? { fields[name] }

    /// - Parameter limit: bytes of all parts together.
    static func read(_ exchange: Exchange, limit: Int) async throws -> FormFields {
        guard let boundary = MultipartParser.boundary(contentType: exchange.header(.contentType) ?? "") else {
            throw Refusal(.badRequest, #"this is sent as "multipart/form-data", with a boundary"#)
        }
        var parser = MultipartParser(boundary: boundary)
        var form = FormFields()
        var (current, count) = ("", 0)
        do {
            for try await buffer in exchange.request.body {
                for event in try parser.feed(buffer.readableBytesView) {
                    switch event {
                    case .part(let head):
                        current = head.name
                        guard form.fields.updateValue([], forKey: current) == nil, form.fields.count <= 32 else {
                            throw Refusal(.badRequest, "the form has two parts of one name, or more than 32")
                        }
                    case .content(let bytes):
                        count += bytes.count
                        guard count <= limit else {
                            throw Refusal(.payloadTooLarge, "the form is larger than \(limit) bytes")
                        }
                        form.fields[current, default: []] += bytes
                    case .end: break
                    }
                }
            }
            try parser.finish()
        } catch is MultipartParser.Failure {
            throw Refusal(.badRequest, "the form is cut or damaged")
        }
        return form
    }
}

import Annotations
import Instant
import InstantCore
import Interchange

/// A record as scripts pass it: `{"id"?, "group"?, "content"}`, or the content alone.
struct RecordInput: Sendable {
    var id: Record.ID?
    /// nil if not given, so the layer's group for new records applies; `.some(nil)` is the null group.
    var group: String??
    var content: Content

    init(content: Content) { self.content = content }

    /// - Throws: ``JSONError`` with the position, or ``CommandFailure`` that describes the invalid value.
    init(json bytes: [UInt8]) throws {
        let value = try JSONReader.parse(bytes)
        guard let object = value.object else {
            throw CommandFailure(#"not a record: expected {"id"?, "group"?, "content"} or only the content"#)
        }
        guard let inner = object["content"] else {
            content = Content(object)
            return
        }
        guard let innerObject = inner.object else { throw CommandFailure(#""content" must be an object"#) }
        content = Content(innerObject)
        switch object["id"] {
        case nil, .null?: break
        case .string(let id)? where Record.isValidID(id): self.id = id
        default:
            throw CommandFailure(#""id" must be a string: \#(Record.idRule)"#)
        }
        switch object["group"] {
        case nil: break
        case .null?: group = .some(nil)
        case .string(let name)?: group = name
        default: throw CommandFailure(#""group" must be a string or null"#)
        }
    }
}

extension InstantDocumentDescriptor {
    /// The local result of adding a record.
    struct Added {
        var id: Record.ID?
        /// nil if added locally; the server decides.
        var outcome: EditOutcome?

        /// The id of a record that awaits the server's answer.
        var waiting: Record.ID? { outcome == nil ? id : nil }
    }

    func add(_ draft: RecordInput, author: String?) throws -> Added {
        if let id = draft.id, try layer.record(id) != nil {
            return Added(id: id, outcome: .conflict("a record with this id already exists"))
        }
        do {
            let group = draft.group.map(LayerMetadata.GroupChoice.init(group:))
            return Added(id: try create(draft.content, id: draft.id, group: group, author: author).id, outcome: nil)
        } catch let problem as EditError { return Added(id: draft.id, outcome: EditOutcome(problem)) }
    }
}

extension EditOutcome {
    /// The outcome of an edit that failed locally.
    init(_ problem: EditError) {
        switch problem {
        case .denied, .noGrant: self = .denied(problem.description)
        case .noSuchRecord: self = .conflict(problem.description)
        default: self = .invalid(problem.description)
        }
    }
}

/// JSON from a file, or from standard input if the name is `-`. Errors include the place.
enum ContentFile {
    static func read(_ path: String, limit: Int = 4 << 20) async throws -> [UInt8] {
        path == "-" ? try await StandardInput.shared.all(limit: limit) : try PrivateFile.bytes(path, limit: limit)
    }

    static func draft(_ path: String) async throws -> RecordInput {
        let bytes = try await read(path)
        let name = path == "-" ? "standard input" : path
        guard !bytes.allSatisfy({ " \t\r\n".utf8.contains($0) }) else {
            throw CommandFailure("\(name) is empty; expected a record as JSON")
        }
        do { return try RecordInput(json: bytes) } catch let error as JSONError {
            throw CommandFailure("\(name):\(TextPlace(of: error.offset, in: bytes)): \(error.problem)")
        } catch let failure as CommandFailure {
            throw CommandFailure("\(name): \(failure.message)")
        }
    }
}

import Annotations
import AsyncHTTPClient
import Foundation
import Instant
import InstantCore
import NIOCore
import NIOHTTP1

/// The engine of one person's PDFs, as a window reaches it.
struct OwnEngine {
    let socket: String

    /// As `http+unix` needs it.
    var address: String {
        let hex = Array("0123456789ABCDEF")
        var text = "http+unix://"
        for byte in socket.utf8 {
            let character = Character(UnicodeScalar(byte))
            let isPlain = byte < 128 && (character.isLetter || character.isNumber)
            text += isPlain ? String(character) : "%\(hex[Int(byte >> 4)])\(hex[Int(byte & 15)])"
        }
        return text
    }

    /// Why the engine did not do what it was asked: a word for programs, and a sentence.
    struct Refusal: Error, CustomStringConvertible {
        var problem: String
        var description: String
    }

    func ask(_ what: String, _ body: JSON) async throws -> JSON {
        var request = HTTPClientRequest(url: "\(address)/engine/v1/\(what)")
        request.method = .POST
        request.headers.add(name: "host", value: "localhost")
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: body.text))
        let response = try await HTTPClient.shared.execute(request, timeout: .minutes(2))
        let bytes = Array(try await response.body.collect(upTo: 64 << 20).readableBytesView)
        let json = (try? JSONReader.parse(bytes)) ?? .null
        guard response.status == .ok else {
            guard let problem = json["problem"]?.string else {
                let text = String(decoding: bytes, as: UTF8.self)
                throw CrashProblem("\(what) answered \(response.status.code): \(text)")
            }
            throw Refusal(problem: problem, description: json["message"]?.string ?? "")
        }
        return json
    }
}

/// A window on a file: a client of the engine, with a local copy of the layer of its own.
final class EditingWindow {
    let name: String
    let engine: OwnEngine
    let document: String
    private let client: InstantClient
    private let descriptor: InstantDocumentDescriptor

    init(_ name: String, _ engine: OwnEngine, file: String, data: URL) async throws {
        (self.name, self.engine) = (name, engine)
        let answer = try await engine.ask("open", ["path": .string(file)])
        guard let document = answer["document"]?.string, let token = answer["token"]?.string,
            let url = URL(string: engine.address)
        else { throw CrashProblem("the engine's answer to open has another form") }
        self.document = document
        client = try InstantClient(serverURL: url, dataDirectory: data)
        descriptor = try client.documentDescriptor(forJWT: token)
        descriptor.delayForSyncingLocalChanges = .zero
        try await descriptor.reauthenticateAndWait(withJWT: token)
        descriptor.startListeningForServerChanges()
        try await sync()
    }

    func close() async {
        await client.close()
        _ = try? await engine.ask("close", ["document": .string(document)])
    }

    /// Waits until the engine has all edits and the window all changes. What is in conflict stays.
    func sync() async throws {
        do throws(InstantError) { try await descriptor.syncAndWait() } catch {
            guard error.kind == .rejectedEdits else { throw error }
        }
    }

    // MARK: Notes

    func notes() throws -> [(id: Record.ID, note: ValueLedger.Note)] {
        try descriptor.layer.rows(ListQuery(), offset: 0, limit: 10_000).compactMap { row in
            try descriptor.layer.record(row.id).flatMap { ValueLedger.Note($0) }.map { (row.id, $0) }
        }
    }

    func create(_ note: ValueLedger.Note) throws {
        let content: JSON = [
            "v": 2, "type": "pspdfkit/note", "pageIndex": 0, "bbox": [72, 72, 24, 24], "text": .string(note.text),
            "color": .string("#" + note.color), "subject": .string(note.key),
        ]
        _ = try descriptor.create(Content(content.object ?? JSONObject()), author: "Ana")
    }

    /// - Returns: the note as it was, and whether it was another one when it was read: what changed in between is replaced
    ///   with everything else.
    func set(
        _ id: Record.ID, _ value: ValueLedger.Value
    ) throws -> (note: ValueLedger.Note, hasChanged: Bool)? {
        guard let record = try descriptor.layer.record(id) else { return nil }
        let content = record.content.changing { object in
            switch value.property {
            case .text: object["text"] = .string(value.value)
            case .color: object["color"] = .string("#" + value.value)
            }
        }
        // The layer may have changed since: the receipt has what this edit replaces.
        let before = try ifItIsThere { try descriptor.update(id, content: content) }
        return before.map { ($0, $0 != ValueLedger.Note(record)) }
    }

    /// - Returns: the note as it was.
    func delete(_ id: Record.ID) throws -> ValueLedger.Note? { try ifItIsThere { try descriptor.delete(id) } }

    /// - Returns: the note before the edit; nil if the other window's or program's deletion has arrived since it was listed.
    private func ifItIsThere(_ edit: () throws -> EditReceipt) throws -> ValueLedger.Note? {
        do { return try edit().before.flatMap { ValueLedger.Note($0) } } catch EditError.noSuchRecord { return nil }
    }

    // MARK: Conflicts with the other window

    struct Disputed {
        var conflict: Conflict
        var mine, theirs, base: ValueLedger.Note?
    }

    func conflicts() throws -> [Disputed] {
        try descriptor.conflicts().map { conflict in
            Disputed(
                conflict: conflict, mine: conflict.mine.flatMap { ValueLedger.Note($0) },
                theirs: conflict.theirs.flatMap { ValueLedger.Note($0) },
                base: conflict.base.flatMap { ValueLedger.Note($0) })
        }
    }

    /// - Returns: false if it is not the conflict any more that was looked at.
    func resolve(_ disputed: Disputed, mine: Bool) throws -> Bool {
        do {
            try descriptor.resolve(disputed.conflict.id, mine ? .mine : .theirs, between: disputed.conflict.sides)
            return true
        } catch EditError.resolvedUnseen { return false }
    }
}

extension ValueLedger.Note {
    init?(_ record: Record) { self.init(record.content) }

    init?(_ content: Content) {
        guard let key = content["subject"]?.string else { return nil }
        let color = content["color"]?.string ?? ""
        self.init(key: key, text: Annotation(Record(id: "-", content: content)).text, color: String(color.dropFirst()))
    }
}

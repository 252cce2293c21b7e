import Annotations
import EngineSupport
import Foundation
import PostgresSupport
import SyncProtocol
import TestSupport

/// The servers under torture: one on SQLite, or two on one PostgreSQL database. They run through many episodes.
final class Servers {
    static let document = "torture"
    static let source = "large"
    /// The seconds that a stopping server has to complete its requests.
    static let stopSeconds = 5

    let kind: StoreKind
    let processes: [ServerProcess]
    /// The number of records in the copied layer.
    let largeLayer: Int
    private let database: PostgresServer?

    init(_ kind: StoreKind, postilla: String, folder: URL, largeLayer: Int, limits: [String] = []) throws {
        // On PostgreSQL a copy blocks every write to its document.
        (self.kind, self.largeLayer) = (kind, kind == .postgres ? largeLayer / 4 : largeLayer)
        let database = kind == .postgres ? try PostgresServer() : nil
        self.database = database
        let mint = TokenMint()
        let secret = UUID().uuidString
        processes = try (0..<(kind == .postgres ? 2 : 1)).map { index in
            try ServerProcess(
                postilla: postilla, folder: folder.appendingPathComponent("\(kind)\(index)"), mint: mint,
                secret: secret,
                options: (database.map { ["--store", $0.address("postgres")] } ?? [])
                    + ([
                        "stop-seconds=\(Self.stopSeconds)", "failed-logins-per-minute=0", "requests-per-second=0",
                        "unauthenticated-requests-per-second=0",
                    ] + limits).flatMap { ["--limit", $0] })
        }
        try prepare()
    }

    func process(_ index: Int) -> ServerProcess { processes[index % processes.count] }
    func stop() { for process in processes { process.stop() } }
    func kill() { for process in processes { process.kill() } }

    private func prepare() throws {
        _ = try ask(
            "POST", "/api/documents?document_id=\(Self.document)", type: "application/pdf",
            SmallPDF(annotations: []).bytes)
        _ = try ask("POST", "/api/documents/\(Self.document)/layers", json: ["name": .string(Self.source)])
        for start in stride(from: 0, to: self.largeLayer, by: 1_000) {
            try create((start..<min(start + 1_000, self.largeLayer)).map { "large\($0)" }, layer: Self.source)
        }
    }

    func create(_ ids: [String], layer: String) throws {
        let list = ids.map { id in
            ["id": .string(id), "user_id": "backend", "content": .object(Content.plainNote(id).object)] as JSON
        }
        let answer = try ask(
            "POST", "/api/documents/\(Self.document)/layers/\(layer)/annotations", json: ["annotations": .array(list)])
        guard answer.starts(with: Array(#"{"result":"success""#.utf8)) else {
            throw Failure(
                "the backend's annotations were not accepted: \(String(decoding: answer.prefix(300), as: UTF8.self))")
        }
    }

    /// Returns a layer's state as seen by a user who sees everything.
    func start(of layer: String) throws -> LayerStart {
        let answer = try SessionAnswer(bytes: sync(layer, "session"))
        return LayerStart(generation: answer.generation, epoch: answer.epoch, head: answer.head)
    }

    func found(in layer: String) throws -> Model.Found {
        var found = Model.Found(head: try start(of: layer).head, records: [:])
        var next: String? = ""
        while let after = next {
            let page = try SnapshotPage(
                bytes: sync(layer, "records?limit=1000" + (after.isEmpty ? "" : "&after=\(after)")))
            for item in page.records { found.records[item.id] = item }
            next = page.next
        }
        return found
    }

    func count(in layer: String) throws -> Int {
        let epoch = try start(of: layer).epoch
        return Int(try DigestAnswer(bytes: sync(layer, "digest?epoch=\(epoch)")).count)
    }

    func layers() throws -> [String] {
        let answer = try JSONReader.parse(ask("GET", "/api/documents/\(Self.document)/layers"))
        return answer["data"]?.array?.compactMap(\.string) ?? []
    }

    // MARK: One request

    private func sync(_ layer: String, _ target: String) throws -> [UInt8] {
        let token = try processes[0].mint.token(document: Self.document, layer: layer, user: "looker")
        return try send("GET", "/instant/v1/" + target, [("Authorization", "Bearer \(token)")], nil)
    }

    private func ask(_ method: String, _ target: String, json: JSON) throws -> [UInt8] {
        try ask(method, target, type: "application/json", Array(json.text.utf8))
    }

    @discardableResult
    private func ask(_ method: String, _ target: String, type: String? = nil, _ body: [UInt8]? = nil) throws -> [UInt8]
    {
        try send(
            method, target,
            [("Authorization", "Token token=\"\(processes[0].secret)\"")] + (type.map { [("Content-Type", $0)] } ?? []),
            body)
    }

    /// Sends a request and blocks until the response has status 200.
    private func send(_ method: String, _ target: String, _ fields: [(String, String)], _ body: [UInt8]?) throws
        -> [UInt8]
    {
        var request = Request("honest", method, target, .status([200]))
        (request.fields, request.body) = (fields, body)
        let answer = try request.answer(from: processes[0].port)
        guard answer.status == 200 else { throw Failure("\(answer.status) for \(method) \(target): \(answer.text)") }
        return answer.body
    }
}

extension Request {
    /// Sends it on a connection of its own, and blocks until the response is complete.
    func answer(from port: Int) throws -> Answer {
        guard let socket = RawSocket(port: port) else { throw Failure("the server is not listening") }
        var request = self
        request.endsConnection = true
        let (head, rest) = request.bytes()
        let bytes = head + rest
        var sent = 0
        var reader = AnswerReader()
        let end = ContinuousClock.now + .seconds(60)
        var ending = "for 60 s"
        while ContinuousClock.now < end {
            var wanted = pollfd(
                fd: socket.descriptor, events: Int16(POLLIN | (sent < bytes.count ? POLLOUT : 0)), revents: 0)
            poll(&wanted, 1, 1_000)
            if sent < bytes.count, let count = socket.send(bytes[sent...]) { sent += count }
            var isEnd = false
            switch socket.receive() {
            case .bytes(let bytes): reader.take(bytes)
            case .nothingYet: continue
            case .end: (isEnd, ending) = (true, "before the server ended the connection")
            case .reset: (isEnd, ending) = (true, "before the connection was lost: error \(errno)")
            }
            if let answer = try reader.next(isHead: isHead, isEnd: isEnd) { return answer }
            if isEnd { break }
        }
        throw Failure("\(method) \(target) was not answered \(ending); \(sent) of \(bytes.count) bytes were sent")
    }
}

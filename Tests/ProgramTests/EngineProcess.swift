import Annotations
import EngineSupport
import Foundation
import FoundationNetworking
import GRDB
import TestSupport

@testable import DocumentEngine

/// A server with its own data, key pair and secret in the test's folder. It can be killed and restarted on the same
/// port. It exits at the end of its standard input, so it never outlives the tests.
final class EngineProcess {
    let folder: Folder
    let mint = TokenMint()
    private let server: ServerProcess

    /// - Parameter options: Further options of `serve`.
    init(options: [String] = []) throws {
        folder = try Folder()
        server = try ServerProcess(
            postilla: Program.path, folder: URL(fileURLWithPath: folder.path), mint: mint, options: options,
            environment: [
                "PATH": "/usr/local/bin:/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no", "HOME": folder.path,
            ])
        try folder.write("key.pem", mint.privateKeyPEM)
    }

    var url: String { server.address }
    var secret: String { server.secret }
    var secretFile: String { server.secretFile.path }
    var environment: [String: String] { ["HOME": folder.path] }
    var log: String { server.log }
    var processID: Int32 { server.processID }

    func start() throws { try server.start() }
    func kill() { server.kill() }
    /// Shuts it down in order.
    func stop() { server.stop() }

    var database: String { server.database }
    var restoreStamp: String { folder.path + "/data/postilla.mark" }

    /// The report of `serve --check` on its data; it must not run.
    func check() throws -> Program.Outcome {
        try Program.run(
            [
                "serve", "--check", "--port", "0", "--data", folder.path + "/data",
                "--jwt-public-key", folder.path + "/key.pub.pem", "--api-token-file", secretFile,
            ], environment: environment)
    }

    /// Changes its stored documents without their checksums; it must not run.
    func damageDocuments() throws {
        let store = try DatabaseQueue(path: server.database)
        try store.write { try $0.execute(sql: "UPDATE document SET title = 'x'") }
        try store.close()
    }

    // MARK: As the customer's backend

    func upload(_ path: String, document: String = "paper") throws {
        let run = try Program.run(
            ["upload", path, "--document-id", document, "--server", url, "--api-token-file", secretFile],
            environment: environment)
        guard run.status == 0 else { throw StoryError("upload: \(run.messages)") }
    }

    func upload(_ pdf: SmallPDF, document: String = "paper") throws {
        try upload(try folder.write("\(document).pdf", pdf.bytes), document: document)
    }

    func revoke(_ token: String) throws {
        try call("POST", "/api/revoke", ["jwts": [token]])
    }

    /// The records of the layer as the backend reads them.
    func records(document: String = "paper", layer: String = "review") throws -> String {
        try call("GET", "/api/documents/\(document)/layers/\(layer)/annotations")
    }

    /// The headers of an answer.
    func head(_ path: String) throws -> [String: String] {
        guard let url = URL(string: url + path) else { throw StoryError("\(path) is not a path") }
        var request = URLRequest(url: url)
        request.setValue("Token token=\"\(secret)\"", forHTTPHeaderField: "Authorization")
        return try Self.answer(to: request).headers
    }

    func delete(_ document: String) throws { try call("DELETE", "/api/documents/\(document)") }

    /// Creates an annotation without a user.
    func create(
        _ content: [String: Any], id: String? = nil, document: String = "paper", layer: String = "review"
    ) throws {
        var record: [String: Any] = ["content": content]
        record["id"] = id
        try call("POST", "/api/documents/\(document)/layers/\(layer)/annotations", record)
    }

    func replace(_ id: String, by content: [String: Any], document: String = "paper", layer: String = "review") throws {
        let path = "/api/documents/\(document)/layers/\(layer)/annotations/\(PercentEncoding.encode(id))"
        try call("PUT", path, ["content": content])
    }

    /// Renames a stored record, as if an earlier version had created it under that id. Restarts the server.
    /// Deletes an annotation.
    func remove(_ id: String, document: String = "paper", layer: String = "review") throws {
        let path = "/api/documents/\(document)/layers/\(layer)/annotations/\(PercentEncoding.encode(id))"
        try call("DELETE", path)
    }

    func rename(_ id: String, to other: String) throws {
        kill()
        let store = try DatabaseQueue(path: server.database)
        let renamed = try store.write { database in
            try database.execute(sql: "UPDATE record SET id = ? WHERE id = ?", arguments: [other, id])
            defer { try? SQLiteSchema.fillChecksums(in: database) }
            return database.changesCount
        }
        try store.close()
        guard renamed == 1 else { throw StoryError("\(id) was not renamed") }
        try start()
    }

    @discardableResult
    private func call(_ method: String, _ path: String, _ body: [String: Any]? = nil) throws -> String {
        guard let url = URL(string: url + path) else { throw StoryError("\(path) is not a path") }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue("Token token=\"\(secret)\"", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try body.map { try JSONSerialization.data(withJSONObject: $0) }
        let answer = try Self.answer(to: request)
        guard answer.status == 200 else { throw StoryError("\(method) \(path): \(answer.status) \(answer.body)") }
        return answer.body
    }

    private static func answer(to request: URLRequest) throws -> (status: Int, body: String, headers: [String: String])
    {
        let result = Slot<Result<(Int, String, [String: String]), any Error>>()
        let task = URLSession.shared.dataTask(with: request) { data, response, error in
            if let error { return result.fill(.failure(error)) }
            let response = response as? HTTPURLResponse
            let headers = (response?.allHeaderFields ?? [:]).map { ("\($0.key)", "\($0.value)") }
            let body = String(decoding: data ?? Data(), as: UTF8.self)
            result.fill(.success((response?.statusCode ?? 0, body, Dictionary(headers) { $1 })))
        }
        task.resume()
        guard let answer = result.wait(seconds: 60) else { throw StoryError("no answer within 60 s") }
        return try answer.get()
    }
}

/// A value that another thread provides.
private final class Slot<Value: Sendable>: @unchecked Sendable {
    private let isFull = DispatchSemaphore(value: 0)
    private var value: Value?

    func fill(_ value: Value) {
        self.value = value
        isFull.signal()
    }

    func wait(seconds: Int) -> Value? {
        isFull.wait(timeout: .now() + .seconds(seconds)) == .success ? value : nil
    }
}

import Crypto
import Foundation
import TestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `postilla serve` as a child, with its data, key pair and secret in a folder of the story. It can be killed and
/// started again on the same port. It ends with its standard input, so none outlives the tests.
final class EngineProcess {
    let folder: Folder
    let key: P256.Signing.PrivateKey
    let secret = UUID().uuidString
    private(set) var url = ""
    private let options: [String]
    private var process: Process?
    private var input = Pipe()

    /// - Parameter options: further options of `serve`.
    init(options: [String] = []) throws {
        folder = try Folder()
        key = P256.Signing.PrivateKey()
        self.options = options
        try folder.write("key.pub.pem", key.publicKey.pemRepresentation)
        try folder.write("key.pem", key.pemRepresentation)
        try folder.write("secret", secret)
        try start()
    }

    deinit { kill() }

    var environment: [String: String] { ["HOME": folder.path] }
    var secretFile: String { folder.path + "/secret" }
    var log: String { (try? String(contentsOfFile: folder.path + "/server.log", encoding: .utf8)) ?? "" }
    var processID: Int32 { process?.processIdentifier ?? 0 }

    /// Starts it, the second time on the port it had.
    func start() throws {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        let log = folder.path + "/server.log"
        if !FileManager.default.fileExists(atPath: log) { try folder.write("server.log", "") }
        let logFile = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        try logFile.seekToEnd()
        process.executableURL = URL(fileURLWithPath: Program.path)
        process.arguments =
            [
                "serve", "--port", url.split(separator: ":").last.map(String.init) ?? "0", "--data",
                folder.path + "/data", "--jwt-public-key", folder.path + "/key.pub.pem", "--api-token-file", secretFile,
                "--exit-with-stdin",
            ] + options
        process.environment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"]
            .merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = logFile
        try process.run()
        (self.process, self.input) = (process, input)
        // Its first line says where it listens; without one the pipe ends.
        var line = Data()
        while !line.contains(0x0A) {
            let piece = output.fileHandleForReading.availableData
            if piece.isEmpty { throw StoryError("the server did not start: \(self.log)") }
            line += piece
        }
        guard let address = try JSONDecoder().decode([String: String].self, from: line)["server"] else {
            throw StoryError("the server's first line makes no sense")
        }
        url = address
    }

    /// As `kill -9`: nothing is said to anybody.
    func kill() {
        guard let process else { return }
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        self.process = nil
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

    /// The records of the layer, as the backend reads them.
    func records(document: String = "paper", layer: String = "review") throws -> String {
        try call("GET", "/api/documents/\(document)/layers/\(layer)/annotations")
    }

    /// Creates an annotation in the name of nobody.
    func create(_ content: [String: Any], document: String = "paper", layer: String = "review") throws {
        try call("POST", "/api/documents/\(document)/layers/\(layer)/annotations", ["content": content])
    }

    @discardableResult
    private func call(_ method: String, _ path: String, _ body: [String: Any]? = nil) throws -> String {
        guard let url = URL(string: url + path) else { throw StoryError("\(path) is no path") }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue("Token token=\"\(secret)\"", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try body.map { try JSONSerialization.data(withJSONObject: $0) }
        let answer = try Self.answer(to: request)
        guard answer.status == 200 else { throw StoryError("\(method) \(path): \(answer.status) \(answer.body)") }
        return answer.body
    }

    private static func answer(to request: URLRequest) throws -> (status: Int, body: String) {
        let result = Slot<Result<(Int, String), any Error>>()
        let task = URLSession.shared.dataTask(with: request) { data, response, error in
            if let error { return result.fill(.failure(error)) }
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            result.fill(.success((status, String(decoding: data ?? Data(), as: UTF8.self))))
        }
        task.resume()
        guard let answer = result.wait(seconds: 60) else { throw StoryError("no answer within 60 s") }
        return try answer.get()
    }
}

/// A value that another thread brings.
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

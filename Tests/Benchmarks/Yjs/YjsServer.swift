import Annotations
import Children
import Foundation

/// The Python server of Yjs in a new folder, with its SQLite store. It ends with this program.
final class YjsServer {
    let port: UInt16
    let store: YjsStore
    /// Of pycrdt-websocket.
    let version: String
    private let folder: URL
    private let process = ChildProcess()

    private static let python = ".build/python-yjs/bin/python"
    private static let script = "Tests/Benchmarks/Yjs/peer.py"
    static let missing = "Yjs is not installed (Resources/python.sh bench) and is left out."
    /// Printed below the tables that contain Yjs.
    var remark: String {
        """

        Yjs: pycrdt-websocket \(version) on Hypercorn, with SQLiteYStore. It sends an update to its clients before the \
        store has it; the store then commits it and syncs the disk.

        """
    }

    /// - Returns: nil if its Python packages are not installed.
    static func start(in folder: URL) throws -> YjsServer? {
        let files = FileManager.default
        guard files.isExecutableFile(atPath: python), files.fileExists(atPath: script) else { return nil }
        return try YjsServer(folder: folder)
    }

    private init(folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder
        version = try Tools.firstLine(of: [
            Self.python, "-c", "import importlib.metadata as m; print(m.version('pycrdt-websocket'))",
        ])
        port = try LoopbackSocket.freePort()
        store = YjsStore(path: folder.appendingPathComponent("updates.sqlite").path)
        let command = [Self.python, Self.script, "serve", "\(port)", store.path]
        let prefix = Tools.path("setpriv").map { [$0, "--pdeathsig", "KILL"] } ?? ["/usr/bin/env"]
        process.executableURL = URL(fileURLWithPath: prefix[0])
        process.arguments = prefix.dropFirst() + command
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run(until: "Running on", on: .error)
    }

    func stop() {
        process.kill()
        process.waitUntilExit()
    }

    /// Returns valid updates, created by the Python side before the measurement: each inserts one note into the same
    /// map.
    func updates(for notes: [(id: String, content: Content)]) throws -> [YjsUpdate] {
        let (input, output) = (folder.appendingPathComponent("notes"), folder.appendingPathComponent("updates"))
        let lines = notes.map { "[\(JSON.string($0.id).text), \($0.content.text)]\n" }
        try lines.joined().write(to: input, atomically: true, encoding: .utf8)
        try Tools.run([Self.python, Self.script, "make", input.path, output.path])
        let made = try String(contentsOf: output, encoding: .utf8).split(separator: "\n")
        guard made.count == notes.count else {
            throw BenchmarkError("\(made.count) Yjs updates were made for \(notes.count) notes")
        }
        return try zip(notes, made).map { note, digits in
            guard let update = YjsUpdate(id: note.id, hexadecimal: digits) else {
                throw BenchmarkError("a Yjs update is not hexadecimal: \(digits.prefix(40))")
            }
            return update
        }
    }
}

/// An update and the id of the note in it.
struct YjsUpdate {
    var id: [UInt8]
    var bytes: [UInt8]

    init?(id: String, hexadecimal digits: some StringProtocol) {
        let values = digits.compactMap(\.hexDigitValue)
        guard values.count == digits.count, values.count.isMultiple(of: 2) else { return nil }
        self.id = Array(id.utf8)
        bytes = stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}

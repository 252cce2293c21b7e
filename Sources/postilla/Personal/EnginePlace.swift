import Annotations
import DocumentEngine

/// The folders of the engine that serves one data folder's own PDFs, and its socket.
struct EnginePlace: Hashable, Sendable {
    /// Everything that need not survive a restart of the machine, usually in memory. The engine chooses it; clients read it
    /// in the ``EngineRecord``. The rest is in the ``EngineFolder``.
    let runtime: String
    /// Whether ``runtime`` is in memory, so that what is only there is never on a disk.
    let isInMemory: Bool

    init(runtime: String) {
        self.runtime = runtime
        isInMemory = FileSystemKind(of: runtime) == .memory
    }

    var socket: String { runtime + "/engine.sock" }
    /// Held while an engine uses the folder.
    var lock: String { runtime + "/engine.lock" }
    /// Whose folder it is (``RuntimeMarker``).
    var marker: String { runtime + "/owner.json" }
    /// The engine's database.
    var database: String { runtime + "/data" }
    /// The states of files that have nothing to lose.
    var states: String { runtime + "/files" }
    /// The local stores of the clients.
    var layers: String { runtime + "/layers" }
    /// The folder of the steps that can be undone.
    var undo: String { runtime + "/undo" }

    /// The address of the engine for clients.
    var server: String { "http+unix://" + PercentEncoding.encode(socket) }

    static func fits(_ runtime: String) -> Bool {
        (runtime + "/engine.sock").utf8.count <= UnixSocket.maxPathBytes
    }
}

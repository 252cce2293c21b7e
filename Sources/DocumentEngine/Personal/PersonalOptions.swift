import Glibc

/// The part of a server's options that makes it the engine of one person's own PDFs, behind a Unix socket.
package struct PersonalOptions: Sendable {
    /// The path of the socket, in a folder that only its owner can enter; at most 107 bytes.
    package var socket: String
    /// The folder on disk for what is not in the files yet: one state, one copy of the PDF and its attachments each.
    package var keptFolder: String
    /// The folder for the states of files with nothing to lose, usually in memory.
    package var memoryFolder: String
    /// Signs the tokens that local processes get.
    package var issuer: TokenIssuer
    /// The version of the program, which a newer program compares with its own.
    package var version: String
    /// The person, as the user of the tokens; nil: anonymous.
    package var user: String?
    /// How long the engine stays after its last connection.
    package var idle: Duration = .seconds(30)
    /// Whether ``memoryFolder`` and the database are in memory, which private sessions need.
    package var isInMemory = false
    /// What to do with edits that a client has and the engine does not.
    package enum UnsentEdits: Sendable {
        case keep, lose
    }
    /// Removes the local copies that clients have of a document, before the engine forgets it. Returns false if one of them
    /// is in use, or has edits that are to be kept.
    package var forget: @Sendable (_ document: String, UnsentEdits) async -> Bool = { _, _ in true }

    /// A random word of this run, by which clients tell this engine from another one at the same path.
    package var instance = ""
    /// The limits of the engine's process that only the system's administrator can exceed, by name.
    package var limits: [String: UInt64] = [:]
    /// Whether the folders and the lock of this engine are still in their places. Otherwise no client can find the engine,
    /// and another one may start, so this one ends. Called now and then, and when one of ``place`` has changed; may block
    /// briefly.
    package var isInPlace: @Sendable () -> Bool
    /// The paths of the socket and the locks.
    package var place: [String]
    /// Called when ``isInPlace`` has returned false and the engine begins to end.
    package var lostPlace: @Sendable () -> Void = {}

    /// The life of the tokens for local processes, in milliseconds.
    static let tokenLife: Int64 = 3_600_000

    package init(socket: String, keptFolder: String, memoryFolder: String, issuer: TokenIssuer, version: String) {
        self.socket = socket
        self.keptFolder = keptFolder
        self.memoryFolder = memoryFolder
        self.issuer = issuer
        self.version = version
        place = [socket]
        isInPlace = { access(socket, F_OK) == 0 }
    }
}

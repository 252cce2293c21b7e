import Annotations
import EngineCore
import Synchronization

/// One open PDF of its person: its state, and who has it open.
final class OwnFile: Sendable {
    let key: LayerKey
    private let current: Mutex<OwnFileState>
    /// Writing, reading anew and taking back happen one after the other.
    let operations = AsyncSemaphore(width: 1, line: .max)
    /// Taken by whoever changes the state, so that states are stored in order.
    let journal = AsyncSemaphore(width: 1, line: .max)
    /// What reading the file anew has brought so far, for windows that were not told yet.
    let news: Mutex<News>
    private let users: Mutex<Users>

    init(_ state: OwnFileState) {
        key = LayerKey(document: state.document, name: "")
        current = Mutex(state)
        news = Mutex(News(pagesSince: state.facts.version))
        users = Mutex(Users(earlier: state.owners))
    }

    var state: OwnFileState { current.withLock { $0 } }

    /// Sets a state that was stored.
    func set(_ state: OwnFileState) { current.withLock { $0 = state } }

    /// Counts since the engine started, so that a window can tell what is new to it.
    struct News: Sendable {
        var merges = 0
        /// The last merge.
        var merged = OwnFiles.Merged()
        /// A version of the file since which it has had the same pages.
        var pagesSince: String
        /// Where the file was before it was found at another path by the last opening; nil: where it was.
        var movedFrom: String?
        /// Why the file could not be read by the last opening; nil: it was.
        var problem: String?
        /// What was kept for the file, and is damaged.
        var damaged: [DamagedOwnFile] = []
    }

    // MARK: Users

    private struct Users {
        /// How often each process has the file open.
        var counts: [ProcessIdentity: Int] = [:]
        /// Those that had a private file open when an earlier engine ended, and have not opened it again yet.
        var earlier: Set<ProcessIdentity>

        mutating func dropDead() {
            counts = counts.filter { $0.key.isAlive }
            earlier = earlier.filter(\.isAlive)
        }
    }

    func join(_ process: ProcessIdentity) {
        users.withLock { users in
            users.earlier.remove(process)
            users.counts[process, default: 0] += 1
        }
    }

    func leave(_ process: ProcessIdentity) {
        users.withLock { users in
            users.earlier.remove(process)
            guard let count = users.counts[process] else { return }
            users.counts[process] = count > 1 ? count - 1 : nil
        }
    }

    /// Whether a living process has the file open. Blocks briefly.
    var isUsed: Bool { !owners.isEmpty }

    /// The living processes that have the file open. Blocks briefly.
    var owners: Set<ProcessIdentity> {
        users.withLock { users in
            users.dropDead()
            return users.earlier.union(users.counts.keys)
        }
    }

    /// How many windows have the file open. Blocks briefly.
    var windows: Int {
        users.withLock { users in
            users.dropDead()
            return users.counts.values.reduce(users.earlier.count, +)
        }
    }
}

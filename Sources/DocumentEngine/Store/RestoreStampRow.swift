import EngineCore
import Postgres

/// Tells a PostgreSQL database that was restored from the one that was left, for several servers at once.
///
/// Two signs: the database says where it is (a dump that was loaded is elsewhere, a backup that was replayed is on another
/// timeline), and it counts marks. A server remembers in its folder how far it has counted: a database that has counted
/// less is an older one.
struct RestoreStampRow: RestoreMark {
    let store: PostgresStore
    let folder: String

    func open() throws -> Bool { try check(draws: false) }

    func draw() throws { _ = try check(draws: true) }

    private func check(draws: Bool) throws -> Bool {
        let file = RestoreStampFile(folder: folder)
        let known = try file.lines().first.flatMap { Int64($0) } ?? 0
        let (count, isRestored) = try store.checkMark(known: known, draws: draws) { store in
            var random = SystemRandomNumberGenerator()
            try Layers.renew(in: store, using: &random)
        }
        // After the commit: a server never remembers more than the database has counted.
        if count != known { try file.keep([String(count)]) }
        return isRestored
    }
}

package import EngineCore

extension PostgresStore {
    /// Which database this is: the cluster, its timeline, the database, the tables as they were made.
    private static let place = """
        SELECT concat_ws('/', (SELECT system_identifier FROM pg_control_system()),
            substring(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
            (SELECT oid FROM pg_database WHERE datname = current_database()), 'layer'::regclass::oid)
        """

    /// Compares the mark in the database with the place it is at and with what a server knows of it.
    ///
    /// - Parameters:
    ///   - known: how far the server has seen it count; 0: not at all.
    ///   - draws: whether it counts on in any case.
    ///   - renew: called, in the same transaction, if the database was restored.
    /// - Returns: how far it has counted by now, and whether it was restored.
    package func checkMark(
        known: Int64, draws: Bool, _ renew: (any StoreWriting) throws -> Void
    ) throws -> (count: Int64, isRestored: Bool) {
        try transaction { connection in
            // One server after the other: the first that notices makes it good for all.
            try connection.execute("SELECT pg_advisory_xact_lock(\(PostgresLock.mark))")
            let place = try connection.one(Self.place) { $0.text(0) } ?? ""
            let mark = try connection.one("SELECT place, count FROM mark") { ($0.text(0), $0.integer(1)) }
            let isRestored = mark.map { $0.0 != place || $0.1 < known } ?? (known > 0)
            if isRestored { try renew(PostgresTransaction(connection, isWriting: true)) }
            guard isRestored || draws || mark == nil else { return (mark?.1 ?? 0, false) }
            let count = max(mark?.1 ?? 0, known) + 1
            try connection.run("DELETE FROM mark")
            try connection.run("INSERT INTO mark VALUES ($1, $2)", [.text(place), .integer(count)])
            return (count, isRestored)
        }
    }
}

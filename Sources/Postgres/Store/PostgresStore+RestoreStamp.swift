package import EngineCore

extension PostgresStore {
    /// Identifies this database by its cluster, timeline and oid, and by the oid of a table.
    private static let place = """
        SELECT concat_ws('/', (SELECT system_identifier FROM pg_control_system()),
            substring(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
            (SELECT oid FROM pg_database WHERE datname = current_database()), 'layer'::regclass::oid)
        """

    /// Compares the restore stamp in the database with the database's location and with the server's count.
    ///
    /// - Parameters:
    ///   - known: the highest count the server has seen; 0: none.
    ///   - draws: whether to increase the count in any case.
    ///   - waits: whether to wait, for as long as it takes, for another server that renews all layers.
    ///   - renew: called in the same transaction if the database was restored.
    /// - Returns: the current count, and whether the database was restored.
    package func checkMark(
        known: Int64, draws: Bool, waits: Bool = false, _ renew: (any StoreWriting) throws -> Void
    ) throws -> (count: Int64, isRestored: Bool) {
        func transaction<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
            guard waits else { return try self.transaction("BEGIN", body) }
            return try PostgresError.asRefusal {
                try pool.withPatience { try Self.transaction("BEGIN", on: $0, body) }
            }
        }
        return try transaction { connection in
            // Serialise servers: the first one that detects a restore handles it for all.
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

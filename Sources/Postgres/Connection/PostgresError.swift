/// What PostgreSQL or the way to it said no with. Its text may hold what somebody wrote: for the log, never for a client.
package struct PostgresError: Error, Hashable, CustomStringConvertible {
    /// Five characters (PostgreSQL's appendix A); empty: there was no answer at all.
    package var sqlState: String
    package var message: String

    package init(sqlState: String = "", _ message: String) {
        self.sqlState = sqlState
        self.message = message
    }

    package var description: String {
        let text = message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return sqlState.isEmpty ? "PostgreSQL: \(text)" : "PostgreSQL \(sqlState): \(text)"
    }

    /// The same may do a moment later: there is no connection (class 08), no room for one (53), the server is going
    /// or coming (57P), or two transactions stood in each other's way (40).
    package var isPassing: Bool {
        sqlState.isEmpty || ["08", "53", "57", "40"].contains { sqlState.hasPrefix($0) }
    }

    /// A text that PostgreSQL cannot hold: it has a NUL in it, or is no UTF-8.
    package var isUnstorableText: Bool { sqlState == "22021" || sqlState == "22P05" }
}

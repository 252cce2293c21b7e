import Annotations

/// An error of PostgreSQL or of the connection. Its text may contain user data: it belongs in the log and is never sent
/// to a client.
package struct PostgresError: Error, Hashable, CustomStringConvertible {
    /// Five characters (PostgreSQL's appendix A); empty: the server did not answer.
    package var sqlState: String
    package var message: String

    package init(sqlState: String = "", _ message: String) {
        self.sqlState = sqlState
        self.message = message
    }

    /// libpq is not installed, or cannot be loaded: waiting does not help.
    ///
    /// - Parameter cause: The dynamic loader's message.
    init(missingLibrary cause: String) {
        self.init(
            sqlState: Self.missingLibrary,
            "the client library libpq cannot be loaded (\(cause)); install it: libpq5 on Debian, libpq on Fedora")
    }

    /// Not a state of PostgreSQL, which have five characters.
    private static let missingLibrary = "no-libpq"

    package var description: String {
        let text = message.split(whereScalar: \.properties.isWhitespace).joined(separator: " ")
        let hasState = !sqlState.isEmpty && sqlState != Self.missingLibrary
        return hasState ? "PostgreSQL \(sqlState): \(text)" : "PostgreSQL: \(text)"
    }

    /// Whether a retry may succeed: no connection (class 08), insufficient resources (53), operator intervention such
    /// as a shutdown, or a statement that took too long (57), a conflict between transactions (40), a lock that was not
    /// given in time, or a database that is read-only, such as a standby.
    package var isPassing: Bool {
        sqlState.isEmpty || ["08", "53", "57", "40", "55P03", "25006"].contains { sqlState.begins(with: $0) }
    }

    /// `disk_full`
    package var isDiskFull: Bool { sqlState == "53100" }

    /// Whether PostgreSQL found its own files damaged: `data_corrupted`, `index_corrupted`.
    package var isDamage: Bool { sqlState == "XX001" || sqlState == "XX002" }

    /// Whether PostgreSQL cannot store a text, because it contains a NUL or is not UTF-8.
    package var isUnstorableText: Bool { sqlState == "22021" || sqlState == "22P05" }
}

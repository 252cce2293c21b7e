/// Where a database is: `postgres://user@host:port/database`, as libpq reads it (PostgreSQL's manual, "Connection
/// URIs"). A password belongs into `PGPASSWORD` or `~/.pgpass`: arguments can be read by everybody on the machine.
package struct PostgresAddress: Hashable, Sendable, CustomStringConvertible {
    let uri: String

    /// - Returns: nil when it is no such address.
    package init?(_ text: String) {
        guard ["postgres://", "postgresql://"].contains(where: text.hasPrefix), !text.utf8.contains(0) else {
            return nil
        }
        uri = text
    }

    /// Without user, password and options.
    package var description: String {
        let rest = uri.drop { $0 != ":" }.dropFirst(3)
        let place = rest.prefix { $0 != "?" }
        return "postgres://" + (place.lastIndex(of: "@").map { place[place.index(after: $0)...] } ?? place)
    }
}

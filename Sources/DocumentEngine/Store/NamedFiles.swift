import GRDB

/// What an SQLite store names: its documents, and the files stored beside it, by SHA-256.
struct NamedFiles: Sendable {
    let documents: Int
    let pdfs: Set<String>
    let attachments: Set<String>

    /// - Parameter database: may have the schema of an older version.
    init(_ database: Database) throws {
        documents = try Int.fetchOne(database, sql: "SELECT count(*) FROM document") ?? 0
        var pdfs = try String.fetchSet(database, sql: "SELECT sha256 FROM document")
        if try database.columns(in: "document").contains(where: { $0.name == "stripped_sha256" }) {
            pdfs.formUnion(
                try String.fetchSet(
                    database, sql: "SELECT stripped_sha256 FROM document WHERE stripped_sha256 IS NOT NULL"))
        }
        self.pdfs = pdfs
        attachments =
            try database.tableExists("attachment")
            ? String.fetchSet(database, sql: "SELECT sha256 FROM attachment") : []
    }

    /// Whether it is a SHA-256 in lower-case hex.
    static func isName(_ name: String) -> Bool {
        name.utf8.count == 64
            && name.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    var count: Int { pdfs.count + attachments.count }

    /// Its two kinds, each in a folder of its own.
    var kinds: [(folder: String, suffix: String, names: Set<String>)] {
        [("pdf", ".pdf", pdfs), ("attachments", "", attachments)]
    }
}

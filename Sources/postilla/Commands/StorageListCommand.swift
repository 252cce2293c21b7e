import Annotations
import ArgumentParser
import DocumentEngine
import Glibc
import Instant

struct StorageListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the layers on this machine.",
        discussion: """
            json and ndjson print records {"server","document","layer","user","title","downloaded","layerBytes",\
            "pdfBytes","textBytes","state","lastSync","unread","unsent","problem"}; a PDF may be shared by several layers. PDFs of your own with changes that are not in them follow: \
            {"file","state","unwritten","bytes","missing"}. What is kept for a PDF and cannot be read has the state \
            damaged and a problem.

            Examples:
              postilla storage list
              postilla storage --format ndjson | jq 'select(.unsent > 0) | .document'
            """)

    @OptionGroup var listing: ListingOptions
    @OptionGroup var storage: StorageOptions

    func run() async throws {
        let entries = try LayerNaming.entries(in: try storage.folder())
        var listing = try Listing(listing, Self.columns, members: Self.members)
        for entry in entries {
            listing.add(Self.fields(entry), style: entry.problem ?? entry.damage == nil ? .plain : .trouble) {
                entry.json
            }
        }
        let files = OwnFileList(try Folders(dataDirectory: storage.dataDir))
        for file in files.kept { listing.add(Self.fields(file), style: .plain) { Self.json(file) } }
        for one in files.damaged { listing.add(Self.fields(one), style: .trouble) { Self.json(one) } }
        listing.end(nothing: "no layers on this machine")
        Self.tellOfCopies(entries)
    }

    /// Names the unsent edits of layers that are here under several addresses.
    private static func tellOfCopies(_ entries: [InstantCacheEntry]) {
        for entry in entries where entry.unsent > 0 && !entry.server.isEmpty {
            let others = entries.filter { other in
                other.folder != entry.folder
                    && other.fits(
                        server: nil, document: entry.documentIdentifier, layer: entry.layerName,
                        user: entry.userID ?? "")
            }
            guard !others.isEmpty else { continue }
            let servers = others.map(\.server).joined(separator: ", ")
            let isSpelling = others.contains { $0.isOf(server: entry.server) }
            let advice = isSpelling ? "sync joins them" : "see postilla sync --from"
            Output.message(
                "\(entry.name): unsent edits under \(entry.server) (\(entry.unsent)); the same layer is here under "
                    + "\(servers), too; \(advice)")
        }
    }

    /// A PDF with changes that are not in it.
    private static func fields(_ file: KeptFile) -> [String] {
        let isMissing = access(file.path, F_OK) != 0
        return [
            file.path, "", "", "file", "\(OwnFileList.bytes(file))", "", "", "\(file.unwritten)", "", "", "",
            isMissing ? "file missing" : "",
        ]
    }

    /// What is kept for a PDF and cannot be read.
    private static func fields(_ damage: OwnFileDamage) -> [String] {
        [damage.file ?? "", "", "", "damaged", "", "", "", "", "", "", "", "\(damage.path): \(damage.problem)"]
    }

    private static func json(_ damage: OwnFileDamage) -> String {
        JSONWriter.text {
            $0.member("file", orNull: damage.file)
            $0.member("state", "damaged")
            $0.member("problem", "\(damage.path): \(damage.problem)")
        }
    }

    private static func json(_ file: KeptFile) -> String {
        JSONWriter.text {
            $0.member("file", file.path)
            $0.member("state", "file")
            $0.member("unwritten", file.unwritten)
            $0.member("bytes", OwnFileList.bytes(file))
            $0.member("missing", access(file.path, F_OK) != 0)
        }
    }

    private static let columns = [
        Listing.Column("document", 24), .init("layer", 12), .init("user", 10), .init("state", 7), .init("bytes", 10),
        .init("pdf", 10), .init("text", 9), .init("unsent", 6), .init("synced", .moment), .init("server", 28),
        .init("title", 24), .init("problem", .rest),
    ]

    private static let members = [
        "downloaded", "layerBytes", "pdfBytes", "textBytes", "lastSync", "unread", "file", "unwritten", "missing",
    ]

    private static func fields(_ entry: InstantCacheEntry) -> [String] {
        [
            entry.documentIdentifier, entry.layerName, entry.userID ?? "", entry.state.rawValue, "\(entry.layerBytes)",
            "\(entry.pdfBytes)", "\(entry.textBytes)", "\(entry.unsent)",
            entry.lastSync.map { Timestamp($0) }?.iso8601 ?? "", entry.server, entry.title,
            entry.problem ?? entry.damage ?? "",
        ]
    }
}

extension InstantCacheEntry {
    fileprivate var json: String {
        JSONWriter.text {
            $0.member("server", server)
            $0.member("document", documentIdentifier)
            $0.member("layer", layerName)
            $0.member("user", orNull: userID)
            $0.member("title", title)
            $0.member("downloaded", isDownloaded)
            $0.member("layerBytes", layerBytes)
            $0.member("pdfBytes", pdfBytes)
            $0.member("textBytes", textBytes)
            $0.member("state", state.rawValue)
            $0.member("lastSync", orNull: lastSync.map { Timestamp($0) }?.iso8601)
            $0.member("unread", unread)
            $0.member("unsent", unsent)
            $0.member("problem", orNull: problem ?? damage)
        }
    }
}

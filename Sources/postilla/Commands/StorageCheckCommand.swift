import Annotations
import ArgumentParser
import FoundationEssentials
import Instant

struct StorageCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check all stored data for damage.",
        discussion: """
            Checks every record and edit of every layer against its checksum, and every PDF and attachment against its \
            SHA-256. Changes nothing. Exit code 1 if something is damaged; then use postilla storage repair. json and \
            ndjson are records {"path","bytes","problem","details"}: details names each damaged record or edit.

            Examples:
              postilla storage check && echo ok
            """)

    @OptionGroup var listing: ListingOptions
    @OptionGroup var storage: StorageOptions

    func run() async throws {
        let findings: [InstantStorageFinding]
        do {
            findings = try InstantClient.checkStorage(in: URL(filePath: try storage.folder()))
        } catch { throw CommandFailure(reading: error) }
        var listing = try Listing(
            listing, [.init("state", 7), .init("bytes", 12), .init("what", 40), .init("why", .rest)],
            members: ["path", "problem", "details"])
        for finding in findings {
            let fields = [
                finding.problem == nil ? "ok" : "damaged", "\(finding.bytes)", finding.name,
                finding.problem ?? "",
            ]
            listing.add(fields, style: finding.problem == nil ? .plain : .trouble) { finding.json }
            guard listing.format == .table else { continue }
            for detail in finding.details.dropFirst(3) { listing.add(["", "", "", detail], style: .trouble) { nil } }
        }
        listing.end(nothing: "no data on this machine")
        let damaged = findings.count { $0.problem != nil }
        guard damaged == 0 else {
            throw CommandFailure("\(damaged) of \(findings.count) files damaged; see postilla storage repair --help")
        }
    }
}

extension InstantStorageFinding {
    /// The layer's name if it is known; otherwise the path.
    var name: String {
        guard let entry, !entry.documentIdentifier.isEmpty else { return path }
        return isOfAnotherView ? "\(entry.name), another view" : entry.name
    }

    fileprivate var json: String {
        JSONWriter.text {
            $0.member("path", path)
            $0.member("bytes", bytes)
            $0.member("problem", orNull: problem)
            $0.member("details", .array(details.map(JSON.string)))
        }
    }
}

import Annotations
import ArgumentParser
import FoundationEssentials
import Instant

struct StorageCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check all stored data for damage.",
        discussion: """
            Checks the database of every layer, and every PDF against its SHA-256. Changes nothing. Exit code 1 if \
            something is damaged. json and ndjson are records {"path","bytes","problem"}.

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
        var listing = Listing(listing, [.init("state", 7), .init("bytes", 12), .init("what", 40), .init("why", .rest)])
        for finding in findings {
            let fields = [
                finding.problem == nil ? "ok" : "damaged", "\(finding.bytes)", finding.entry?.name ?? finding.path,
                finding.problem ?? "",
            ]
            listing.add(fields, style: finding.problem == nil ? .plain : .trouble) { finding.json }
        }
        listing.end(nothing: "no data on this machine")
        let damaged = findings.count { $0.problem != nil }
        guard damaged == 0 else { throw CommandFailure("\(damaged) of \(findings.count) files damaged") }
    }
}

extension InstantStorageFinding {
    fileprivate var json: String {
        JSONWriter.text {
            $0.member("path", path)
            $0.member("bytes", bytes)
            $0.member("problem", orNull: problem)
        }
    }
}

import Annotations
import ArgumentParser
import FoundationEssentials
import Instant

struct StorageCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check all stored data for damage.",
        discussion: """
            Checks every record and edit of every layer against its checksum, and every PDF and attachment against its \
            SHA-256, and what is kept for PDFs of your own. Changes nothing. Exit code 1 if something is damaged; then \
            use postilla storage repair. json and \
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
        let files = OwnFileDamage.all(try Folders(dataDirectory: storage.dataDir))
        for file in files {
            let fields = [
                file.problem == nil ? "ok" : "damaged", "\(file.bytes)", file.file ?? file.path, file.problem ?? "",
            ]
            listing.add(fields, style: file.problem == nil ? .plain : .trouble) { file.json }
        }
        listing.end(nothing: "no data on this machine")
        let damaged = findings.count { $0.problem != nil }
        var problems: [String] = []
        if damaged > 0 {
            problems.append("\(damaged) of \(findings.count) files damaged; see postilla storage repair --help")
        }
        if let problem = OwnFileDamage.failure(files.flatMap(\.damage)) { problems.append(problem) }
        guard problems.isEmpty else { throw CommandFailure(problems.joined(separator: "\n")) }
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

import Annotations
import ArgumentParser
import Interchange

struct DiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Compare two exported layers.",
        discussion: """
            Both files are Instant JSON, as written by export; - is standard input. Records are matched by id, or by \
            content if they have none. Lists records that are only in B (added), only in A (removed), or in both with \
            different members (changed), with the names of these members. json and ndjson are \
            {"id","difference","members"}.

            Exit codes: 0 no differences, 1 differences, 2 a file cannot be read.

            Examples:
              postilla diff monday.json today.json
              postilla export | postilla diff review.json -
            """)

    @Argument(help: "The earlier file.", completion: .file(extensions: ["json"]))
    var a: String

    @Argument(help: "The later file.", completion: .file(extensions: ["json"]))
    var b: String

    @OptionGroup var listing: ListingOptions

    func validate() throws {
        guard a != "-" || b != "-" else { throw ValidationError("Only one of the files can be standard input.") }
    }

    func run() async throws {
        let differences = LayerDifferences(from: try await Self.items(a), to: try await Self.items(b)).all
        var listing = try Listing(
            listing,
            [.init("difference", 10), .init("id", 26), .init("kind", 14), .init("page", 4), .init("members", .rest)],
            members: [])
        for difference in differences {
            let annotation = Annotation(id: difference.id ?? "", content: difference.content)
            listing.add([
                difference.kind.rawValue, difference.id ?? "", annotation.kind.name,
                annotation.pageIndex.map { "\($0 + 1)" } ?? "", difference.members.joined(separator: " "),
            ]) { difference.json }
        }
        listing.end(nothing: "no differences")
        if !differences.isEmpty { ExitStatus.leave(.failed) }
    }

    private static func items(_ path: String) async throws -> [InstantJSONFile.Item] {
        let file: InstantJSONFile
        do { file = try await ImportCommand.file(path) } catch {
            throw CommandFailure(error.message, .differencesUnknown)
        }
        return file.annotations + file.comments
    }
}

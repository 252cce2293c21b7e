import Annotations
import ArgumentParser

/// The format of a list.
struct ListingOptions: ParsableArguments {
    @Option(help: "Output format: table, json, ndjson or tsv.")
    var format = OutputFormat.table

    @Option(
        name: .customLong("json"),
        help: ArgumentHelp(
            "JSON with only these members, such as id,page,content.color; see the columns of tsv and the members of json.",
            valueName: "fields"))
    var fields: FieldList?

    @Option(help: "Colour in tables: auto (on a terminal, without NO_COLOR), always or never.")
    var color = ColorChoice.auto
}

/// The `--json` option: names with commas between them.
struct FieldList: ExpressibleByArgument {
    var names: [String]

    init?(argument: String) {
        names = argument.split(scalar: ",", omittingEmptySubsequences: false).map { String($0).trimmed }
        guard !names.contains("") else { return nil }
    }
}

/// The `--color` option. Colour never carries meaning alone: text states it too.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never
}

/// The `--format` option: lists for people, programs and pipes.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case table, json, ndjson, tsv
}

import ArgumentParser

/// The format of a list.
struct ListingOptions: ParsableArguments {
    @Option(help: "Output format: table, json, ndjson or tsv.")
    var format = OutputFormat.table

    @Option(help: "Colour in tables: auto (on a terminal, without NO_COLOR), always or never.")
    var color = ColorChoice.auto
}

/// The `--color` option. Colour never carries meaning alone: text states it too.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never
}

/// The `--format` option: lists for people, programs and pipes.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case table, json, ndjson, tsv
}

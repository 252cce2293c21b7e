import ArgumentParser

/// How a list is written.
struct ListingOptions: ParsableArguments {
    @Option(help: "Output format: table, json, ndjson or tsv.")
    var format = OutputFormat.table

    @Option(help: "Colour in tables: auto (on a terminal, without NO_COLOR), always or never.")
    var color = ColorChoice.auto
}

/// `--color`. Meaning is never by colour alone: what is coloured is also said in words.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never
}

/// `--format`: what is listed, for people, programs and pipes.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case table, json, ndjson, tsv
}

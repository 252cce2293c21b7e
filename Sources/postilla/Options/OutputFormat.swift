import ArgumentParser

/// `--format`: what is listed, for people, programs and pipes.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case table, json, ndjson, tsv
}

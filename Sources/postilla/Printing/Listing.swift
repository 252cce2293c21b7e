import Screen

/// Writes rows in the format that was asked for, each as it comes: nothing is held back, so a list may be of any
/// length. JSON is what scripts rely on, a table what a person reads.
struct Listing {
    struct Column {
        /// How a table shows it; all other formats have the whole of it.
        enum Form {
            case fitted(Int)
            /// ISO 8601, of which a table shows day and minute.
            case moment
            /// The last one, as long as it is.
            case rest
        }

        var name: String
        var form: Form

        init(_ name: String, _ form: Form) {
            self.name = name
            self.form = form
        }

        init(_ name: String, _ width: Int) { self.init(name, .fitted(width)) }
    }

    private let format: OutputFormat
    private let paint: Paint
    private let columns: [Column]
    private var count = 0

    /// - Parameter columns: names in a table's head and in the first line of TSV.
    init(_ options: ListingOptions, _ columns: [Column]) {
        format = options.format
        paint = Paint(options.color)
        self.columns = columns
        switch format {
        case .json: Output.data("[")
        case .ndjson: break
        case .tsv: Output.data(Self.row(columns.map(\.name)))
        case .table:
            if Output.isTerminal { Output.data(paint(line(columns.map(\.name)), .heading) + "\n") }
        }
    }

    /// - Parameters:
    ///   - fields: one for each column.
    ///   - json: asked for only where it is wanted; nil: there is no such row any more.
    mutating func add(_ fields: [String], style: Paint.Style = .plain, json: () throws -> String?) rethrows {
        switch format {
        case .json:
            guard let json = try json() else { return }
            Output.data((count == 0 ? "\n" : ",\n") + PrintableText(json: json))
        case .ndjson:
            guard let json = try json() else { return }
            Output.json(json)
        case .tsv: Output.data(Self.row(fields))
        case .table: Output.data(paint(line(fields), style) + "\n")
        }
        count += 1
    }

    /// - Parameter nothing: what a person is told where there was no row.
    func end(nothing: String) {
        if format == .json { Output.data(count == 0 ? "]\n" : "\n]\n") }
        if format == .table, count == 0 { Output.message(nothing) }
    }

    private static func row(_ fields: [String]) -> PrintableText {
        fields.map { PrintableText(cell: $0) }.joined(separator: "\t") + "\n"
    }

    private func line(_ fields: [String]) -> PrintableText {
        var line = ""
        for (field, column) in zip(fields, columns) {
            let text = CleanText(cleaning: PrintableText(cell: field).string)
            switch column.form {
            case .fitted(let width): line += text.fitted(to: width).string + " "
            case .moment:
                line += text.prefix(columns: 16).padded(to: 17).string.replacing("T", with: " ")
            case .rest: line += text.string
            }
        }
        while line.last == " " { line.removeLast() }
        return PrintableText(replacing: line)
    }
}

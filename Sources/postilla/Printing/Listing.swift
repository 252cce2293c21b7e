import Screen

/// Writes rows in the requested format as they arrive and buffers nothing, so a list may have any length. JSON is for
/// scripts, a table for people.
struct Listing {
    struct Column {
        /// The form in a table; all other formats have the full value.
        enum Form {
            case fitted(Int)
            /// ISO 8601; a table shows day and minute.
            case moment
            /// The last column, at full length.
            case rest
            /// Behind the last column in brackets, if it is not empty.
            case note
        }

        var name: String
        var form: Form

        init(_ name: String, _ form: Form) {
            self.name = name
            self.form = form
        }

        init(_ name: String, _ width: Int) { self.init(name, .fitted(width)) }
    }

    let format: OutputFormat
    private let paint: Paint
    private let columns: [Column]
    private var count = 0

    /// - Parameter columns: The names in a table's head and in the first line of TSV.
    init(_ options: ListingOptions, _ columns: [Column]) {
        format = options.format
        paint = Paint(options.color)
        self.columns = columns
        switch format {
        case .json: Output.data("[")
        case .ndjson: break
        case .tsv: Output.data(Self.row(columns.map(\.name)))
        case .table:
            let names = columns.map { if case .note = $0.form { "" } else { $0.name } }
            if Output.isTerminal { Output.data(paint(line(names), .heading) + "\n") }
        }
    }

    /// - Parameters:
    ///   - fields: One for each column.
    ///   - json: Called only when JSON is wanted; nil if the row no longer exists.
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

    /// - Parameter nothing: The message for people when there was no row; nil for none.
    func end(nothing: String?) {
        if format == .json { Output.data(count == 0 ? "]\n" : "\n]\n") }
        if format == .table, count == 0, let nothing { Output.message(nothing) }
    }

    /// Writes a whole list. Its end is written after an error, too, so that JSON is never cut off.
    static func write(
        _ options: ListingOptions, _ columns: [Column], nothing: String, _ rows: (inout Listing) throws -> Void
    ) throws {
        var listing = Listing(options, columns)
        do { try rows(&listing) } catch {
            listing.end(nothing: nil)
            throw error
        }
        listing.end(nothing: nothing)
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
            case .note: if !text.isEmpty { line += " [" + text.string + "]" }
            }
        }
        while line.last == " " { line.removeLast() }
        return PrintableText(replacing: line)
    }
}

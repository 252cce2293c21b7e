import Annotations
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

        /// The value in JSON: whole numbers in columns of counts, null if it is empty.
        fileprivate func value(_ field: String) -> JSON {
            if field.isEmpty { return .null }
            if Self.numbers.contains(name), let number = Int64(field) { return .number(JSONNumber(number)) }
            return .string(field)
        }

        private static let numbers: Set = ["page", "bytes", "pdf", "unsent"]
    }

    let format: OutputFormat
    /// The members of `--json`; nil for all.
    private let fields: [String]?
    private let paint: Paint
    private let columns: [Column]
    private var count = 0

    /// - Parameters:
    ///   - columns: The names in a table's head and in the first line of TSV.
    ///   - members: The names in JSON that are no columns.
    /// - Throws: ``CommandFailure`` if `--json` names something else, or TSV is wanted too.
    init(_ options: ListingOptions, _ columns: [Column], members: [String]) throws {
        fields = options.fields?.names
        if let fields {
            try Self.check(fields, columns.map(\.name) + members)
            guard options.format != .tsv else { throw CommandFailure("--json writes no TSV", .usage) }
        }
        format = options.format == .table && fields != nil ? .json : options.format
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
            guard let json = try json().map({ chosen(from: $0, fields) }) else { return }
            Output.data((count == 0 ? "\n" : ",\n") + PrintableText(json: json))
        case .ndjson:
            guard let json = try json().map({ chosen(from: $0, fields) }) else { return }
            Output.json(json)
        case .tsv: Output.data(Self.row(fields))
        case .table: Output.data(paint(line(fields), style) + "\n")
        }
        count += 1
    }

    private static func check(_ fields: [String], _ known: [String]) throws {
        for field in fields {
            let first = field.prefix(whileScalar: { $0 != "." })
            guard !known.contains(where: { $0 == first }) else { continue }
            let names = known.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            throw CommandFailure("no member \(field); there are \(names.joined(separator: ", "))", .usage)
        }
    }

    /// Returns the members that `--json` names: those of the record, else the columns. What is missing is null.
    private func chosen(from json: String, _ values: [String]) -> String {
        guard let fields, let whole = try? JSONReader.parse(Array(json.utf8)) else { return json }
        var object = JSONObject()
        for field in fields {
            let path = field.split(scalar: ".", omittingEmptySubsequences: false).map(String.init)
            let column = columns.firstIndex { $0.name == field }
            object[field] =
                path.reduce(Optional(whole)) { $0?[$1] } ?? column.map { columns[$0].value(values[$0]) } ?? .null
        }
        return JSON.object(object).text
    }

    /// - Parameter nothing: The message for people when there was no row; nil for none.
    func end(nothing: String?) {
        if format == .json { Output.data(count == 0 ? "]\n" : "\n]\n") }
        if format == .table, count == 0, let nothing { Output.message(nothing) }
    }

    /// Writes a whole list. Its end is written after an error, too, so that JSON is never cut off.
    static func write(
        _ options: ListingOptions, _ columns: [Column], members: [String], nothing: String,
        _ rows: (inout Listing) throws -> Void
    ) throws {
        var listing = try Listing(options, columns, members: members)
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
                line += text.prefix(columns: 16).padded(to: 17).string.replacing(scalars: "T", with: " ")
            case .rest: line += text.string
            case .note: if !text.isEmpty { line += " [" + text.string + "]" }
            }
        }
        while line.unicodeScalars.last == " " { line.unicodeScalars.removeLast() }
        return PrintableText(replacing: line)
    }
}

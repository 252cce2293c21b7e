import Annotations

/// The names of the files that engines make beside a PDF: `.<name of the PDF>.<name of the database>.<number>.postilla`.
package enum HiddenFile {
    private static let suffix = ".postilla"
    /// A name may have 255 bytes. The rest is for the database, the number and the dots.
    private static let most = 160

    /// The path for a write to this path.
    package static func path(beside path: String, database: String, number: Int64) -> String {
        let parts = path.split(scalar: "/", omittingEmptySubsequences: false)
        return parts.dropLast().joined(separator: "/") + "/" + start(String(parts.last ?? ""), database)
            + "\(number)\(suffix)"
    }

    /// Whether a file of this name was made beside a PDF by the engine with this database.
    package static func isName(_ name: String, of pdf: String, database: String) -> Bool {
        let rest = name.dropping(prefix: start(pdf, database))
        return rest.flatMap { $0.dropping(suffix: suffix) }.flatMap { Int64($0) } != nil
    }

    /// Whether a file of this name was made by the engine with this database, beside whatever PDF.
    package static func isName(_ name: String, database: String) -> Bool {
        guard name.begins(with: "."), let stem = name.dropping(suffix: suffix),
            let number = stem.split(scalar: ".").last, Int64(number) != nil
        else { return false }
        return stem.ends(with: ".\(database).\(number)")
    }

    private static func start(_ name: String, _ database: String) -> String {
        ".\(name.prefix(scalars: 60).prefix(bytes: most)).\(database)."
    }
}

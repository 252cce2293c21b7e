/// A plausible programming error, and how to plant it in a copy of the sources.
///
/// All faults are planted in the same copy, each behind a separate switch, so that it is built once: the word `PLANTED`
/// in ``Place/faulty`` stands for "this fault is active".
struct Fault: Sendable {
    struct Place: Sendable {
        /// Occurs exactly once in the file.
        var code: String
        /// Replaces ``code``.
        var faulty: String
    }

    /// What goes wrong.
    let name: String
    /// Below `Sources`.
    let file: String
    let places: [Place]

    init(_ name: String, in file: String, _ code: String, _ faulty: String) {
        self.init(name, in: file, [Place(code: code, faulty: faulty)])
    }

    init(_ name: String, in file: String, _ places: [Place]) {
        self.name = name
        self.file = file
        self.places = places
    }

    /// What runs the histories that can show it.
    var program: String { file.hasPrefix("FileCore/") ? "simulate-files" : "simulate" }

    static let all = permissions + views + deciding + receiving + answering + editing + session + ownFiles

    /// Returns the file with the fault in it.
    ///
    /// - Parameter condition: The text that replaces `PLANTED`.
    /// - Throws: ``NotFound`` when the code no longer occurs.
    func plant(in text: String, condition: String) throws -> String {
        try places.reduce(text) { text, place in
            let parts = text.split(separator: place.code, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw NotFound(name: name, file: file, code: place.code) }
            return parts[0] + place.faulty.replacing("PLANTED", with: condition) + parts[1]
        }
    }

    /// The code has changed, so the table of faults must be updated.
    struct NotFound: Error, CustomStringConvertible {
        var name: String
        var file: String
        var code: String

        var description: String { "“\(name)”: \(file) does not contain this exactly once: \(code)" }
    }
}

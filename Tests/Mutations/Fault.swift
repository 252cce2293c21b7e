/// One error that could have been made, and how to make it in a copy of the sources.
///
/// All faults are planted in the same copy, each behind a switch of its own, so that it is built once: in ``Place/faulty``
/// the word `PLANTED` stands for "this fault is the one that is tried".
struct Fault: Sendable {
    struct Place: Sendable {
        /// Stands exactly once in the file.
        var code: String
        /// Takes its place.
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

    static let all = permissions + views + deciding + receiving + answering + editing + session

    /// The file with the fault in it.
    ///
    /// - Parameter condition: what stands for `PLANTED`.
    /// - Throws: ``NotFound`` when the code is not there any more.
    func plant(in text: String, condition: String) throws -> String {
        try places.reduce(text) { text, place in
            let parts = text.split(separator: place.code, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw NotFound(name: name, file: file, code: place.code) }
            return parts[0] + place.faulty.replacing("PLANTED", with: condition) + parts[1]
        }
    }

    /// The table has to be brought up to date with the code.
    struct NotFound: Error, CustomStringConvertible {
        var name: String
        var file: String
        var code: String

        var description: String { "“\(name)”: in \(file) this does not stand exactly once: \(code)" }
    }
}

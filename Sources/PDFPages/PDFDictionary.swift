/// A dictionary of a file that follows references: missing values and values of another type are nil.
struct PDFDictionary {
    let entries: [String: PDFObject]
    let file: ObjectDump

    init?(_ object: PDFObject?, in file: ObjectDump) {
        guard case .dictionary(let entries) = file.resolve(object) else { return nil }
        self.entries = entries
        self.file = file
    }

    subscript(key: String) -> PDFObject { file.resolve(entries[key]) }

    func dictionary(_ key: String) -> PDFDictionary? { PDFDictionary(entries[key], in: file) }

    func array(_ key: String) -> [PDFObject]? {
        guard case .array(let items) = self[key] else { return nil }
        return items
    }

    /// Returns the numbers of an array; nil without an array or when an item is not a finite number.
    func numbers(_ key: String) -> [Double]? {
        guard let items = array(key) else { return nil }
        let numbers = items.compactMap { file.resolve($0).number }
        return numbers.count == items.count ? numbers : nil
    }

    /// Returns a text that is not empty.
    func text(_ key: String) -> String? {
        self[key].string.flatMap { $0.isEmpty ? nil : $0 }
    }
}

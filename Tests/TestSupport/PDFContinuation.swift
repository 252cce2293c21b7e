import Foundation

/// An incremental update of a ``SmallPDF``, as a program that appends writes it.
package struct PDFContinuation {
    private let original: [UInt8]
    /// New and changed objects, by number.
    package var objects: [Int: String] = [:]

    package init(of original: [UInt8]) { self.original = original }

    /// Gives the first page other annotations.
    package mutating func setPage(annotations: [Int]) {
        let text = String(decoding: original, as: UTF8.self)
        guard let start = text.range(of: "4 0 obj\n"),
            let end = text.range(of: "\nendobj", range: start.upperBound..<text.endIndex)
        else { return }
        var page = String(text[start.upperBound..<end.lowerBound])
        if let list = page.range(of: #"/Annots\[[^\]]*\]"#, options: .regularExpression) { page.removeSubrange(list) }
        let list = annotations.map { "\($0) 0 R" }.joined(separator: " ")
        objects[4] = page.dropLast(2) + "/Annots[\(list)]>>"
    }

    package var bytes: [UInt8] {
        var (file, places): ([UInt8], [(Int, Int)]) = (original, [])
        for (number, body) in objects.sorted(by: { $0.key < $1.key }) {
            places.append((number, file.count))
            file += "\(number) 0 obj\n\(body)\nendobj\n".utf8
        }
        let table = file.count
        file += "xref\n".utf8
        for (number, place) in places {
            let digits = String(place)
            file += "\(number) 1\n\(String(repeating: "0", count: 10 - digits.count))\(digits) 00000 n \n".utf8
        }
        let text = String(decoding: original, as: UTF8.self)
        let previous = text.components(separatedBy: "startxref\n").last?.prefix { $0.isNumber } ?? "0"
        let size = max((objects.keys.max() ?? 0) + 1, 400)
        file += "trailer<</Size \(size)/Root 1 0 R/Prev \(previous)>>\nstartxref\n\(table)\n%%EOF\n".utf8
        return file
    }
}

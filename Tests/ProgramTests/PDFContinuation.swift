import Foundation
import TestSupport

/// An incremental update of a ``SmallPDF``, as a program that appends writes it.
struct PDFContinuation {
    private let original: [UInt8]
    /// New and changed objects, by number.
    var objects: [Int: String] = [:]

    init(of original: [UInt8]) { self.original = original }

    /// Gives the first page other annotations.
    mutating func setPage(annotations: [Int]) {
        let text = String(decoding: original, as: UTF8.self)
        guard let start = text.range(of: "4 0 obj\n"),
            let end = text.range(of: "\nendobj", range: start.upperBound..<text.endIndex)
        else { return }
        var page = String(text[start.upperBound..<end.lowerBound])
        if let list = page.range(of: #"/Annots\[[^\]]*\]"#, options: .regularExpression) { page.removeSubrange(list) }
        let list = annotations.map { "\($0) 0 R" }.joined(separator: " ")
        objects[4] = page.dropLast(2) + "/Annots[\(list)]>>"
    }

    var bytes: [UInt8] {
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

/// The annotations of a PDF, as qpdf reads them.
struct PDFAnnotations {
    /// `text|author|text of the annotation that it answers`, sorted.
    private(set) var all: [String] = []
    /// The rectangles, by the texts.
    private(set) var boxes: [String: [Double]] = [:]

    init(_ path: String) throws {
        let run = try Program.run(
            ["--json=2", "--json-key=qpdf", path], environment: [:], executable: "/usr/bin/qpdf")
        let whole = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        let objects = (whole?["qpdf"] as? [[String: Any]])?.last ?? [:]
        func object(_ value: Any?) -> [String: Any]? {
            guard let name = value as? String else { return value as? [String: Any] }
            return (objects["obj:" + name] as? [String: Any])?["value"] as? [String: Any]
        }
        func text(_ value: Any?) -> String { String((value as? String ?? "").dropFirst(2)) }
        for case let entry as [String: Any] in objects.values {
            guard let page = entry["value"] as? [String: Any], page["/Type"] as? String == "/Page" else { continue }
            let list = page["/Annots"].flatMap { $0 as? [Any] } ?? []
            for item in list {
                guard let annotation = object(item) else { continue }
                let words = text(annotation["/Contents"])
                all.append("\(words)|\(text(annotation["/T"]))|\(text(object(annotation["/IRT"])?["/Contents"]))")
                boxes[words] = (annotation["/Rect"] as? [Any])?.compactMap { ($0 as? NSNumber)?.doubleValue }
            }
        }
        all.sort()
    }
}

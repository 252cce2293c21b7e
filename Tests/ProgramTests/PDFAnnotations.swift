import Foundation
import TestSupport

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

import Annotations
import App
import InstantCore
import PDFPages

/// A small document with a layer and its services.
enum Sample {
    /// A page of short lines, with characters 6 points wide and lines 12 points high, 14 points apart.
    static func page(_ lines: [String], width: Double = 612, height: Double = 792) -> PageText {
        var words: [PageText.Word] = []
        for (line, text) in lines.enumerated() {
            var column = 0
            for word in text.split(separator: " ", omittingEmptySubsequences: false) {
                defer { column += word.count + 1 }
                guard !word.isEmpty else { continue }
                let box = Rect(
                    left: 72 + 6 * Double(column), top: 72 + 14 * Double(line), width: 6 * Double(word.count),
                    height: 12)
                words.append(PageText.Word(text: String(word), box: box, line: line, block: 0, flow: 0))
            }
        }
        return PageText(width: width, height: height, words: words)
    }

    static let lines = [
        "This calls for a rethink of how we approach the instruction set. In",
        "this paper we highlight some of the challenges arising from an",
        "accelerating rate of change and discuss ways in which systems",
        "software can adapt. The number of transistors doubles.",
    ]

    static func services() -> FakeServices {
        let services = FakeServices()
        services.pages = [page(lines), page(["A second page.", "It has two lines."]), page([])]
        services.records = [
            markup(
                "h1", "highlight", page: 0, line: 1, from: 24, count: 22, text: "Which ones?", by: "ana", minutes: 5),
            markup("h2", "highlight", page: 0, line: 2, from: 0, count: 27, text: "", by: "ben", minutes: 120),
            markup("u1", "underline", page: 0, line: 3, from: 9, count: 9, text: "", by: "mia", minutes: 1440),
            note("n1", page: 1, top: 90, text: "Compare with the 2019 paper, section 4", by: "ana", minutes: 4320),
        ]
        services.unread = ["h1"]
        return services
    }

    static func markup(
        _ id: String, _ type: String, page: Int, line: Int, from: Int, count: Int, text: String, by author: String,
        minutes: Int64
    ) -> Record {
        let box = Rect(
            left: 72 + 6 * Double(from), top: 72 + 14 * Double(line), width: 6 * Double(count), height: 12)
        return record(id, "pspdfkit/markup/\(type)", page, box, author, minutes) {
            $0["rects"] = [box.json]
            if !text.isEmpty { $0["note"] = .string(text) }
        }
    }

    static func note(_ id: String, page: Int, top: Double, text: String, by author: String, minutes: Int64) -> Record {
        record(id, "pspdfkit/note", page, Rect(left: 400, top: top, width: 32, height: 32), author, minutes) {
            $0["text"] = .string(text)
        }
    }

    private static func record(
        _ id: String, _ type: String, _ page: Int, _ box: Rect, _ author: String, _ minutes: Int64,
        _ fill: (inout JSONObject) -> Void
    ) -> Record {
        var object = JSONObject()
        object["v"] = 1
        object["type"] = .string(type)
        object["pageIndex"] = .number(JSONNumber(Int64(page)))
        object["bbox"] = box.json
        object["creatorName"] = .string(author)
        object["createdAt"] = .string((Timestamp.noon + -minutes * 60_000).iso8601)
        fill(&object)
        return Record(id: id, content: Content(object), createdBy: author)
    }
}

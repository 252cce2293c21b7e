import AsyncHTTPClient
import EngineSupport
import Foundation

/// One file on its way through the server.
struct Examination {
    let file: String
    let server: ServerProcess
    let folder: URL
    let pages: Int

    private static let words = "Read by a corpus run"

    /// A record as the server answers it.
    private struct Entry {
        var id: String
        var content: [String: Any]

        var type: String { content["type"] as? String ?? "" }
        /// The kind in the PDF if Instant JSON has no type for it.
        var subtype: String? { (content["postilla"] as? [String: Any])?["pdfSubtype"] as? String }
        var kind: String { subtype ?? String(type.split(separator: "/").last ?? "") }
        var page: Int { content["pageIndex"] as? Int ?? 0 }
    }

    func run() async -> Result {
        var result = Result(file: file, bytes: ResultFile.bytes(of: file))
        let document = "corpus-" + UUID().uuidString
        do {
            try await examine(document, &result)
        } catch { result.agree(result.done.last == nil ? .upload : .export, ["\(error)"]) }
        _ = try? await server.send(server.request("documents/\(document)", .DELETE))
        return result
    }

    private func examine(_ document: String, _ result: inout Result) async throws {
        let original = try QPDFFile(file, in: folder)
        do {
            try await server.upload(Array(Data(contentsOf: URL(fileURLWithPath: file))), as: document)
        } catch let trouble as ServerTrouble {
            let readable = try original != nil && Tool.run("pdfinfo", [file], in: folder).status == 0
            if readable { result.agree(.upload, [trouble.description]) } else { result.refusal = trouble.description }
            return
        }
        guard let original else { return result.agree(.upload, ["accepted, although qpdf cannot read it"]) }
        result.agree(.upload)
        let entries = try await list(document)
        result.records = entries.count
        compare(entries, with: original, &result)
        let edited = try await edit(entries, document, &result)
        let copy = folder.appendingPathComponent("copy.pdf").path
        let pdf: [UInt8]
        do { pdf = try await server.send(server.request("documents/\(document)/pdf")) } catch {
            return result.agree(.export, ["\(error)"])
        }
        result.agree(.export)
        try Data(pdf).write(to: URL(fileURLWithPath: copy))
        try readBack(copy, original, edited, &result)
        let count = min(pages, original.pages.count)
        let spots = edited.compactMap(Self.spot)
        result.agree(
            .pixels, try Pictures(folder: folder).differences(file, copy, pages: count, except: spots))
    }

    private func list(_ document: String) async throws -> [Entry] {
        var request = server.request("documents/\(document)/annotations")
        request.headers.add(name: "Accept", value: "application/x-ndjson")
        let body = Data(try await server.send(request))
        return try body.split(separator: 0x0A).map { line in
            guard let object = try JSONSerialization.jsonObject(with: line) as? [String: Any],
                let id = object["id"] as? String, let content = object["content"] as? [String: Any]
            else { throw CorpusProblem("a record is not an object") }
            return Entry(id: id, content: content)
        }
    }

    // MARK: Listing

    /// The PDF's kind of each type of Instant JSON; comments are notes.
    private static let subtypes = [
        "highlight": "Highlight", "underline": "Underline", "strikeout": "StrikeOut", "squiggly": "Squiggly",
        "note": "Text", "comment-marker": "Text", "comment": "Text", "text": "FreeText", "ink": "Ink", "line": "Line",
        "rectangle": "Square", "ellipse": "Circle", "polygon": "Polygon", "polyline": "PolyLine", "stamp": "Stamp",
        "image": "Stamp", "link": "Link", "widget": "Widget", "redaction": "Redact", "media": "RichMedia",
        "caret": "Caret", "file": "FileAttachment", "sound": "Sound", "movie": "Movie", "screen": "Screen", "3d": "3D",
        "projection": "Projection", "watermark": "Watermark", "printers-mark": "PrinterMark", "trap-network": "TrapNet",
    ]

    private func compare(_ entries: [Entry], with original: QPDFFile, _ result: inout Result) {
        let expected = original.kinds
        var found: [String: Int] = [:]
        for entry in entries { found[entry.subtype ?? Self.subtypes[entry.kind] ?? entry.kind, default: 0] += 1 }
        // Comments are not listed with the annotations.
        let total = expected.values.reduce(0, +)
        let replies = original.pages.joined().count { $0.dictionary["/IRT"] != nil }
        let isComplete = (total - replies...total).contains(entries.count)
        result.agree(.list, isComplete ? [] : ["\(entries.count) records for \(total) annotations"])
        var sentences: [String] = []
        for kind in Set(expected.keys).union(found.keys).sorted() {
            let (wanted, count) = (expected[kind] ?? 0, found[kind] ?? 0)
            let answers = original.pages.joined().count {
                $0.dictionary["/IRT"] != nil && original.resolve($0.dictionary["/Subtype"]) as? String == "/" + kind
            }
            if !(wanted - answers...wanted).contains(count) { sentences.append("\(kind): \(count) of \(wanted)") }
        }
        result.agree(.kinds, sentences)
    }

    // MARK: Editing

    /// Changes the words of the first record of each kind, but for form fields.
    ///
    /// - Returns: the records that were changed.
    private func edit(_ entries: [Entry], _ document: String, _ result: inout Result) async throws -> [Entry] {
        var edited: [Entry] = []
        var sentences: [String] = []
        for entry in entries
        where entry.kind != "Widget" && entry.kind != "widget" && !edited.contains(where: { $0.kind == entry.kind }) {
            var content = entry.content
            let member = ["note", "text"].contains(entry.kind) && entry.subtype == nil ? "text" : "note"
            content[member] = Self.words
            var request = server.request("documents/\(document)/annotations/\(entry.id)", .PUT)
            request.headers.add(name: "Content-Type", value: "application/json")
            let body = try JSONSerialization.data(withJSONObject: ["content": content], options: [.sortedKeys])
            request.body = .bytes(body)
            do {
                _ = try await server.send(request)
                edited.append(entry)
            } catch { sentences.append("\(entry.kind) \(entry.id): \(error)") }
        }
        result.edited = edited.map(\.kind)
        result.agree(.edit, sentences)
        return edited
    }

    private static func spot(_ entry: Entry) -> Pictures.Spot? {
        guard let box = (entry.content["bbox"] as? [Any])?.compactMap({ ($0 as? NSNumber)?.doubleValue }),
            box.count == 4, box.allSatisfy({ abs($0) < 1e6 })
        else { return nil }
        return Pictures.Spot(page: entry.page, left: box[0], top: box[1], width: box[2], height: box[3])
    }

    // MARK: Reading back

    private func readBack(
        _ copy: String, _ original: QPDFFile, _ edited: [Entry], _ result: inout Result
    ) throws {
        let before = try Tool.run("qpdf", ["--check", file], in: folder).status
        let after = try Tool.run("qpdf", ["--check", copy], in: folder).status
        let isSound = after <= before || after == 0
        result.agree(.check, isSound ? [] : ["qpdf --check exits with \(after), before with \(before)"])
        guard let written = try QPDFFile(copy, in: folder) else {
            return result.agree(.edited, ["qpdf cannot read the result"])
        }
        var sentences: [String] = []
        let names = Set(edited.map { "\($0.id) 0 R" })
        for entry in edited {
            guard let annotation = written.annotation("\(entry.id) 0 R") else {
                // Written directly into its page, or an object of a later generation.
                if Int(entry.id) != nil { sentences.append("\(entry.kind) \(entry.id) is missing") }
                continue
            }
            let words = written.contents(annotation)
            if words != Self.words { sentences.append("\(entry.kind) \(entry.id) says \(words ?? "nothing")") }
            // What is not about the words stays, but for the drawing.
            let old = original.annotation("\(entry.id) 0 R") ?? [:]
            let changing: Set = ["/Contents", "/RC", "/M", "/AP", "/AS", "/Rect", "/T", "/DS"]
            let gone = Set(old.keys).subtracting(annotation.keys).subtracting(changing)
            if !gone.isEmpty { sentences.append("\(entry.kind) \(entry.id) lost \(gone.sorted())") }
        }
        result.agree(.edited, sentences)
        var changed: [String] = []
        for (index, page) in original.pages.enumerated() {
            guard written.pages.indices.contains(index) else {
                changed.append("page \(index + 1) is gone")
                break
            }
            let others = written.pages[index]
            for (name, dictionary) in page {
                guard let name, !names.contains(name) else { continue }
                // The pop-up of an edited annotation loses its copy of the words.
                if original.resolve(dictionary["/Subtype"]) as? String == "/Popup" { continue }
                guard let now = others.first(where: { $0.name == name }) else {
                    changed.append("\(name) is gone")
                    continue
                }
                if QPDFFile.text(dictionary) != QPDFFile.text(now.dictionary) { changed.append("\(name) changed") }
            }
        }
        result.agree(.untouched, changed)
        let texts = try [file, copy].map { try Tool.run("pdftotext", ["-q", "-layout", $0, "-"], in: folder) }
        // Poppler prints the drawings of annotations too, so that only status and length can be compared.
        let isSame = texts[0].status == texts[1].status && texts[1].output.isEmpty == texts[0].output.isEmpty
        result.agree(.text, isSame ? [] : ["pdftotext exits with \(texts[1].status), before with \(texts[0].status)"])
    }
}

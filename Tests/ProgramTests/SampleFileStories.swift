import Foundation
import TestSupport
import TestThreads
import Testing

/// Real files, where available: each is uploaded, listed and shown.
@Suite(
    .onOwnThreads,
    .enabled(if: !Repository.samples.isEmpty && FileManager.default.isExecutableFile(atPath: "/usr/bin/qpdf")))
struct SampleFileStories {
    @Test func everySampleIsUploadedListedAndShown() throws {
        let engine = try EngineProcess()
        for (index, sample) in Repository.samples.filter({ $0.name.hasSuffix(".pdf") }).enumerated() {
            let document = "sample-\(index)"
            try engine.upload(sample.path, document: document)
            let ana = try Person(at: engine, token: try engine.token { $0.document = document })
            let list = try ana.run(["list", engine.url, "--token-file", ana.tokenFile, "--format", "json"])
            #expect(list.status == 0, "\(sample.name): \(list.messages)")
            #expect(try Self.markup(listed: list.output) == Self.markup(inFile: sample.path), "\(sample.name)")
            let terminal = try ana.start(rows: 40, columns: 140)
            try terminal.see("1 of ")
            try terminal.see("synced")
            #expect(try terminal.quit() == [], "\(sample.name)")
        }
    }

    /// The number of records of each markup kind.
    private static func markup(listed: String) throws -> [String: Int] {
        let records = try JSONSerialization.jsonObject(with: Data(listed.utf8)) as? [[String: Any]] ?? []
        let types = records.compactMap { ($0["content"] as? [String: Any])?["type"] as? String }
        let names = [
            "highlight": "/Highlight", "underline": "/Underline", "strikeout": "/StrikeOut", "squiggly": "/Squiggly",
        ]
        let found = types.compactMap { type in
            type.hasPrefix("pspdfkit/markup/") ? names[String(type.dropFirst(16)).lowercased()] : nil
        }
        return Dictionary(grouping: found) { $0 }.mapValues(\.count)
    }

    /// The same count by qpdf: markup annotations on a page.
    private static func markup(inFile path: String) throws -> [String: Int] {
        let run = try Program.run(
            ["--json", "--json-key=qpdf", path], environment: [:], executable: "/usr/bin/qpdf")
        let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        let objects = (json?["qpdf"] as? [Any])?.last as? [String: Any] ?? [:]
        func resolved(_ value: Any?) -> Any? {
            guard let text = value as? String, text.hasSuffix(" R") else { return value }
            return (objects["obj:\(text)"] as? [String: Any])?["value"]
        }
        var counts: [String: Int] = [:]
        for object in objects.values {
            guard let page = (object as? [String: Any])?["value"] as? [String: Any], page["/Type"] as? String == "/Page"
            else { continue }
            for annotation in resolved(page["/Annots"]) as? [Any] ?? [] {
                let subtype = (resolved(annotation) as? [String: Any])?["/Subtype"] as? String
                if let subtype, ["/Highlight", "/Underline", "/StrikeOut", "/Squiggly"].contains(subtype) {
                    counts[subtype, default: 0] += 1
                }
            }
        }
        return counts
    }
}

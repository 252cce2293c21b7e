import Foundation

/// A PDF as `qpdf --json` prints it, read with Foundation's parser: independent of the code that is examined.
struct QPDFFile {
    private let objects: [String: Any]
    /// The annotations of each page: the object's name, or nil for one written directly into its page.
    private(set) var pages: [[(name: String?, dictionary: [String: Any])]] = []

    /// - Returns: nil if qpdf cannot read the file.
    init?(_ path: String, in folder: URL) throws {
        let options = ["--json=2", "--json-key=pages", "--json-key=qpdf", "--no-warn"]
        let run = try Tool.run("qpdf", options + [path], in: folder)
        guard run.status == 0 || run.status == 3,
            let root = try? JSONSerialization.jsonObject(with: run.output) as? [String: Any],
            let parts = root["qpdf"] as? [Any], let objects = parts.last as? [String: Any],
            let list = root["pages"] as? [[String: Any]]
        else { return nil }
        self.objects = objects
        pages = list.map { page in
            guard let name = page["object"] as? String, let page = dictionary(name),
                let items = resolve(page["/Annots"]) as? [Any]
            else { return [] }
            return items.compactMap { item in
                let dictionary = resolve(item) as? [String: Any]
                return dictionary.map { (item as? String, $0) }
            }
        }
    }

    private func dictionary(_ name: String) -> [String: Any]? {
        (objects["obj:" + name] as? [String: Any])?["value"] as? [String: Any]
    }

    func resolve(_ value: Any?) -> Any? {
        var value = value
        for _ in 0..<8 {
            guard let name = value as? String, name.hasSuffix(" R"), let object = objects["obj:" + name] else { break }
            let entry = object as? [String: Any]
            value = entry?["value"] ?? entry?["stream"]
        }
        return value
    }

    /// Its annotations without pop-ups, each object once: how often each kind occurs.
    var kinds: [String: Int] {
        var seen: Set<String> = []
        var counts: [String: Int] = [:]
        for (name, dictionary) in pages.joined() {
            if let name, !seen.insert(name).inserted { continue }
            let kind = (resolve(dictionary["/Subtype"]) as? String).map { String($0.dropFirst()) } ?? ""
            if kind != "Popup" { counts[kind, default: 0] += 1 }
        }
        return counts
    }

    func annotation(_ name: String) -> [String: Any]? {
        pages.joined().first { $0.name == name }?.dictionary
    }

    /// The text that a person sees, as qpdf prints it: `u:` and text, or `b:` and bytes.
    func contents(_ dictionary: [String: Any]) -> String? {
        guard let text = resolve(dictionary["/Contents"]) as? String else { return nil }
        return text.hasPrefix("u:") ? String(text.dropFirst(2)) : text
    }

    /// A canonical form, to compare.
    static func text(_ value: Any) -> String {
        guard JSONSerialization.isValidJSONObject([value]),
            let data = try? JSONSerialization.data(withJSONObject: [value], options: [.sortedKeys])
        else { return "\(value)" }
        return String(decoding: data, as: UTF8.self)
    }
}

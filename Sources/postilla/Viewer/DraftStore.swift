import Annotations
import App

/// Texts that were being written, kept in one small file for each layer until they are saved or dropped. A crash or a
/// closed terminal loses none of them.
struct DraftStore {
    private let path: String
    private(set) var drafts: [DraftKey: String] = [:]

    /// - Parameter path: a file that need not exist; one that cannot be read holds no drafts.
    init(path: String) {
        self.path = path
        guard let text = try? PrivateFile.read(path, limit: 16 << 20), let json = try? JSON(parsing: text) else {
            return
        }
        for draft in json.array ?? [] {
            guard let text = draft["text"]?.string else { continue }
            if let id = draft["record"]?.string { drafts[.record(id)] = text }
            if let page = draft["page"]?.integer { drafts[.note(page: Int(clamping: page))] = text }
            if let root = draft["root"]?.string { drafts[.reply(root)] = text }
            if let page = draft["thread"]?.integer { drafts[.comment(page: Int(clamping: page))] = text }
            if let ids = draft["records"]?.array { drafts[.together(ids.compactMap(\.string))] = text }
        }
    }

    /// - Throws: ``CommandFailure`` when the file cannot be written.
    mutating func keep(_ text: String?, for key: DraftKey) throws {
        guard drafts[key] != text else { return }
        drafts[key] = text
        let items = drafts.map { key, text -> JSON in
            switch key {
            case .record(let id): ["record": .string(id), "text": .string(text)]
            case .note(let page): ["page": .number(JSONNumber(Int64(page))), "text": .string(text)]
            case .reply(let root): ["root": .string(root), "text": .string(text)]
            case .comment(let page): ["thread": .number(JSONNumber(Int64(page))), "text": .string(text)]
            case .together(let ids): ["records": .array(ids.map(JSON.string)), "text": .string(text)]
            }
        }
        try PrivateFile.write(JSON.array(items).text + "\n", to: path)
    }
}

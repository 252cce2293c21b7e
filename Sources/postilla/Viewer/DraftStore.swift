import Annotations
import App
import Dispatch
import Synchronization

/// Texts that were being written, kept in one small file for each layer until they are saved or dropped. A crash or a
/// closed terminal loses none of them. Files are written in the order of the calls, beside the thread of the screen.
final class DraftStore: Sendable {
    private let path: String
    private let queue: DispatchQueue
    private let kept: Mutex<[DraftKey: String]>

    /// - Parameters:
    ///   - path: a file that need not exist; one that cannot be read holds no drafts.
    ///   - queue: serial.
    init(path: String, queue: DispatchQueue) {
        self.path = path
        self.queue = queue
        kept = Mutex(Self.read(path))
    }

    var drafts: [DraftKey: String] { kept.withLock { $0 } }

    /// - Parameters:
    ///   - text: nil: it is forgotten.
    ///   - tell: a sentence, when the file cannot be written.
    func keep(_ text: String?, for key: DraftKey, or tell: @escaping @Sendable (String) -> Void) {
        queue.async { [self] in
            let drafts: [DraftKey: String]? = kept.withLock { kept in
                guard kept[key] != text else { return nil }
                kept[key] = text
                return kept
            }
            guard let drafts else { return }
            do { try PrivateFile.write(Self.json(drafts).text + "\n", to: path) } catch { tell("\(error)") }
        }
    }

    private static func json(_ drafts: [DraftKey: String]) -> JSON {
        .array(
            drafts.map { key, text in
                switch key {
                case .record(let id): ["record": .string(id), "text": .string(text)]
                case .note(let page): ["page": .number(JSONNumber(Int64(page))), "text": .string(text)]
                case .reply(let root): ["root": .string(root), "text": .string(text)]
                case .comment(let page): ["thread": .number(JSONNumber(Int64(page))), "text": .string(text)]
                case .together(let ids): ["records": .array(ids.map(JSON.string)), "text": .string(text)]
                }
            })
    }

    private static func read(_ path: String) -> [DraftKey: String] {
        guard let text = try? PrivateFile.read(path, limit: 16 << 20), let json = try? JSON(parsing: text) else {
            return [:]
        }
        var drafts: [DraftKey: String] = [:]
        for draft in json.array ?? [] {
            guard let text = draft["text"]?.string else { continue }
            if let id = draft["record"]?.string { drafts[.record(id)] = text }
            if let page = draft["page"]?.integer { drafts[.note(page: Int(clamping: page))] = text }
            if let root = draft["root"]?.string { drafts[.reply(root)] = text }
            if let page = draft["thread"]?.integer { drafts[.comment(page: Int(clamping: page))] = text }
            if let ids = draft["records"]?.array { drafts[.together(ids.compactMap(\.string))] = text }
        }
        return drafts
    }
}

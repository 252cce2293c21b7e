import App
import Screen

// What the viewer logs: the names of messages and effects, never what they hold.
extension DebugLog {
    func note(_ message: Message, of tab: Bool = false) {
        switch message {
        case .at(_, let message): note(message, of: true)
        case .key(let key): note(key)
        case .tick: break
        case .status(let status):
            note(
                "message",
                [
                    "name": "status", "connection": Self.name(status.connection), "unsent": "\(status.unsent)",
                    "parked": "\(status.parked)", "conflicts": "\(status.conflicts)", "refused": "\(status.refused)",
                ])
        case .rows(let window):
            note("message", ["name": "rows", "offset": "\(window.offset)", "total": "\(window.total)"])
        case .resize(let size):
            note("message", ["name": "resize", "rows": "\(size.rows)", "columns": "\(size.columns)"])
        case .recordsChanged(let ids, _, let others, let mentions):
            note(
                "message",
                [
                    "name": "recordsChanged", "count": "\(ids.count)", "byOthers": "\(others.count)",
                    "mentions": "\(mentions.count)",
                ])
        default: note("message", ["name": Self.name(message)])
        }
    }

    func note(_ effect: Effect) {
        switch effect {
        case .loadPage(let page), .loadPageRows(let page):
            note("effect", ["name": Self.name(effect), "page": "\(page + 1)"])
        case .perform(let step):
            note(
                "effect",
                [
                    "name": "perform", "step": "\(step.id)",
                    "edits": Set(step.edits.map { Self.name($0) }).sorted().joined(separator: ","),
                    "count": "\(step.edits.count)",
                ])
        case .undo(let step): note("effect", ["name": "undo", "step": "\(step)"])
        default: note("effect", ["name": Self.name(effect)])
        }
    }

    /// A typed character may belong to a token or a draft.
    private func note(_ key: Key) {
        switch key {
        case .named(let name, _): note("key", ["name": name.rawValue])
        case .function(let number, _): note("key", ["name": "f\(number)"])
        case .character, .control, .alt, .paste, .click, .wheelUp, .wheelDown: note("key", ["name": Self.name(key)])
        }
    }

    /// The name of an enum's case.
    private static func name(_ value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .enum else { return "\(type(of: value))" }
        // A case without values describes itself.
        return mirror.children.first.map { $0.label ?? "" } ?? "\(value)"
    }
}

/// Services that log the effects that they pass on.
final class LoggedServices: AppServices {
    private let services: any AppServices
    private let log: DebugLog

    init(_ services: any AppServices, _ log: DebugLog) { (self.services, self.log) = (services, log) }

    func perform(_ effect: Effect, post: @escaping @Sendable (Message) -> Void) {
        log.note(effect)
        services.perform(effect, post: post)
    }
}

import Annotations
import InstantCore
import SyncProtocol
import TestSupport

/// Something on the way to the server that takes some texts for an attack.
enum Firewall {
    static func stops(_ push: PushRequest) -> Bool { push.changes.contains { $0.content.map(stops) ?? false } }

    /// Every seventh text.
    private static func stops(_ content: Content) -> Bool {
        Remark.text(of: content).split(separator: " ").compactMap { Int($0.filter(\.isNumber)) }.contains {
            $0 % 7 == 3
        }
    }

    /// Whether what waits cannot be sent, and there is nothing else that could show it.
    static func holdsUp(_ layer: Layer) throws -> Bool {
        let waiting = try layer.outbox().filter { $0.stage == .waiting || $0.stage == .sealed }
        let stopped = Set(waiting.filter { $0.content.map(stops) ?? false }.map { ByteOrdered($0.id) })
        return waiting.allSatisfy { entry in
            let root = entry.content?["rootId"]?.string
            return stopped.contains(ByteOrdered(entry.id)) || root.map { stopped.contains(ByteOrdered($0)) } ?? false
        }
    }
}

extension Universe {
    /// Answers in the server's place: without asking it, after it has answered, or not at all.
    func block(_ id: ProcessID, _ request: SyncRequest, _ token: IssuedToken) throws {
        guard case .push(let push) = request.kind else { return }
        let way = isQuiet ? 0 : later.pick([0, 0, 1, 2])
        if way == 2 { return try fail(id, request, "the connection was closed") }
        if way == 1 { _ = try host.answer(request.kind, body: push.bytes, token: token, at: time) }
        wire.append(.answer(id, request, .blocked))
    }
}

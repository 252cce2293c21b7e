import Annotations
import EngineCore
import SyncProtocol
import TestSupport

/// The changes that the customer's backend makes to a layer, without permission checks.
extension Host {
    func writeSomething(_ text: String, at time: Timestamp) throws {
        guard let layer = try storedLayers().randomElement(using: &dice) else { return }
        // A backend cannot change the values of form fields either.
        let live = book(layer).live.filter { $0.contentType != .formFields }.sorted {
            $0.id.utf8.lexicographicallyPrecedes($1.id.utf8)
        }
        let choice = Int.random(in: 0..<4, using: &dice)
        let group = dice.pick(Rights.groups)
        let id = ULID.make(at: time, using: &dice)
        guard choice > 0, !live.isEmpty else {
            trace("the backend creates \(id): \(text)")
            return try backend(layer, at: time) {
                try $0.create(id, Remark.annotation("pspdfkit/markup/highlight", text), user: "backend", group: group)
            }
        }
        let record = dice.pick(live)
        trace("the backend \(choice == 1 ? "deletes" : "writes \(text) into") \(record.id)")
        try backend(layer, at: time) { writer in
            if choice == 1 {
                try writer.delete(record.id, user: "backend")
            } else {
                let content = Remark.changed(record.record.content, to: text)
                try writer.replace(record.id, content, user: "backend", group: nil)
            }
        }
    }

    /// Moves a record to another group: into and out of views.
    func moveSomething(at time: Timestamp) throws {
        guard let layer = try storedLayers().randomElement(using: &dice) else { return }
        // A backend cannot change the values of form fields either.
        let live = book(layer).live.filter { $0.contentType != .formFields }.sorted {
            $0.id.utf8.lexicographicallyPrecedes($1.id.utf8)
        }
        guard !live.isEmpty else { return }
        let record = dice.pick(live)
        let group = dice.pick(Rights.groups)
        trace("the backend moves \(record.id) to \(group ?? "no group")")
        try backend(layer, at: time) {
            try $0.replace(record.id, record.record.content, user: "backend", group: .some(group))
        }
    }

    private func backend(
        _ layer: EngineCore.ServerLayer, at time: Timestamp, _ body: (inout BackendWriter) throws -> Void
    ) throws {
        let now = now(time)
        let commit = try disk.write { store in
            var writer = BackendWriter(layer, in: store, now: now)
            try body(&writer)
            return writer.commit
        }
        write(commit, by: nil)
        publish(commit)
    }
}

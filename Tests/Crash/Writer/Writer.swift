import Annotations
import Foundation
import Instant
import InstantCore
import TestSupport

/// Edits the user's own records at random, follows orders, and reports each step in a line.
///
/// One reader handles orders and events in turn, so reports are in the order of events.
final class Writer {
    private enum Input: Sendable {
        case order(Order)
        case event(InstantEvent)
        /// The next edit is due.
        case edit
    }

    private enum Mode {
        case resting, editing, settling
        case showing(Int64)
    }

    /// The limit of unsent edits: an unlimited queue would only make the waits longer.
    private static let mostUnsent = 20
    private static let mostRecords = 40

    private let client: InstantClient
    private let user: String
    private let launch: Int
    private let lies: Bool
    private let bearsFailures: Bool
    private var random: SeededRandom
    private var descriptor: InstantDocumentDescriptor?
    private var mode = Mode.resting
    private var isEditDue = false
    private var texts: [String: String] = [:]
    private var number = 0

    init(client: InstantClient, user: String, launch: Int, seed: UInt64, lies: Bool, bearsFailures: Bool) {
        (self.client, self.user, self.launch, self.lies) = (client, user, launch, lies)
        self.bearsFailures = bearsFailures
        random = SeededRandom(seed: seed)
    }

    func run(_ orders: AsyncStream<Order>) async throws {
        let (inputs, queue) = AsyncStream.makeStream(of: Input.self)
        Task {
            for await order in orders { queue.yield(.order(order)) }
            queue.finish()
        }
        // A local layer can be edited before there is a token.
        if let known = try client.localDocumentDescriptors().first { try begin(known, queue) }
        say(.needsToken)
        for await input in inputs {
            switch input {
            case .order(let order): try take(order, queue)
            case .event(let event): take(event)
            case .edit:
                isEditDue = false
                do { try edit() } catch {
                    guard bearsFailures else { throw error }
                    FileHandle.standardError.write(Data("\(error)\n".utf8))
                }
            }
            makeEditDue(queue)
        }
    }

    private func begin(_ descriptor: InstantDocumentDescriptor, _ queue: AsyncStream<Input>.Continuation) throws {
        self.descriptor = descriptor
        descriptor.delayForSyncingLocalChanges = .zero
        let events = descriptor.events
        Task { for await event in events { queue.yield(.event(event)) } }
        descriptor.startListeningForServerChanges()
        for row in try rows() where row.createdBy == user { texts[row.id] = row.text }
    }

    private func take(_ order: Order, _ queue: AsyncStream<Input>.Continuation) throws {
        switch order {
        case .token(let jwt):
            if descriptor == nil { try begin(try client.documentDescriptor(forJWT: jwt), queue) }
            do throws(InstantError) { try descriptor?.download(usingJWT: jwt) } catch {
                guard error.kind == .alreadyDownloaded else { throw error }
                descriptor?.reauthenticate(withJWT: jwt)
            }
        case .edit: mode = .editing
        case .settle:
            mode = .settling
            // Only once: any later failure must be retried without help.
            descriptor?.retryNow()
            tellProgress()
        case .show(let revision):
            mode = .showing(revision)
            tellProgress()
        }
    }

    private func take(_ event: InstantEvent) {
        switch event {
        case .didFailAuthentication: say(.needsToken)
        case .didLoseAccess(let why): say(.trouble("access was lost: \(why)"))
        case .didFailDownload where bearsFailures: say(.needsToken)
        case .didFailDownload(let error): say(.trouble("the download failed: \(error)"))
        default: tellProgress()
        }
    }

    /// Reports the awaited state as soon as it is reached.
    private func tellProgress() {
        guard let descriptor, let revision = try? descriptor.layer.metadata().cursor?.revision else { return }
        switch mode {
        case .settling:
            guard descriptor.isDownloaded, descriptor.documentState == .clean,
                case let status = descriptor.status, status.unsent == 0, status.parked == 0,
                status.connection == .live
            else { return }
            mode = .resting
            // What the server has confirmed may not have come back as a change yet.
            let own = (try? descriptor.layer.store.read { try $0.ownWrites(after: nil, limit: .max) }) ?? []
            say(.settled(revision: own.reduce(revision) { max($0, $1.revision) }))
        case .showing(let wanted):
            guard revision >= wanted else { return }
            mode = .resting
            show()
        case .resting, .editing: break
        }
    }

    private func show() {
        do {
            for row in try rows() { say(.row(id: row.id, text: row.text)) }
        } catch { return say(.trouble("rows cannot be read: \(error)")) }
        let status = descriptor?.status
        say(.shown(conflicts: status?.conflicts ?? 0, refused: status?.refused ?? 0))
    }

    private func rows() throws -> [ListRow] { try descriptor?.layer.rows(ListQuery(), offset: 0, limit: 10_000) ?? [] }

    private func say(_ report: Report) {
        let bytes = Array((report.line + "\n").utf8)
        // Unbuffered: reports made before a kill are delivered.
        _ = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}

extension Writer {
    private func makeEditDue(_ queue: AsyncStream<Input>.Continuation) {
        guard case .editing = mode, !isEditDue, let descriptor, descriptor.isDownloaded,
            descriptor.status.unsent < Self.mostUnsent
        else { return }
        isEditDue = true
        queue.yield(.edit)
    }

    private func edit() throws {
        guard let descriptor, case .editing = mode else { return }
        number += 1
        let text = "\(user)-\(launch)-\(number)"
        let kind = Int.random(in: 0..<10, using: &random)
        guard let (id, _) = pick(), texts.count >= Self.mostRecords || kind >= 4 else {
            say(.tried(.create(text: text)))
            return keep(try descriptor.create(Self.note(text)).id, text)
        }
        if lies, number.isMultiple(of: 10) { return keep(id, text) }
        guard kind >= 8 || texts.count >= Self.mostRecords else {
            say(.tried(.update(id: id, text: text)))
            _ = try descriptor.update(id, content: Self.note(text))
            return keep(id, text)
        }
        try delete(id, descriptor)
    }

    /// Deletes a record, and sometimes undoes that at once.
    private func delete(_ id: String, _ descriptor: InstantDocumentDescriptor) throws {
        let text = texts[id] ?? ""
        say(.tried(.delete(id: id)))
        let receipt = try descriptor.delete(id)
        texts[id] = nil
        say(.gone(id: id))
        guard random.chance(1, of: 4) else { return }
        say(.tried(.update(id: id, text: text)))
        do { _ = try descriptor.undo(receipt) } catch is EditError { return }
        keep(id, text)
    }

    private func keep(_ id: String, _ text: String) {
        texts[id] = text
        say(.kept(id: id, text: text))
    }

    private func pick() -> (String, String)? {
        texts.isEmpty ? nil : random.pick(texts.sorted { $0.key < $1.key })
    }

    private static func note(_ text: String) -> Content {
        let content: JSON = [
            "v": 2, "type": "pspdfkit/note", "pageIndex": 0, "bbox": [72, 72, 24, 24], "text": .string(text),
        ]
        return Content(content.object ?? JSONObject())
    }
}

import Annotations
import EngineSupport
import FaultProxy
import Foundation
import Instant
import InstantCore
import Synchronization
import TestSupport

/// A person with a store of their own, who reaches the server through a proxy.
final class NetworkPerson {
    let name: String
    let proxy: FaultProxy
    let descriptor: InstantDocumentDescriptor
    private let client: InstantClient
    private let jwt: String
    /// The texts of the person's own notes as the person left them; nil: deleted.
    private(set) var notes: [Record.ID: String?] = [:]
    private let requests = RequestCount()

    init(_ name: String, _ server: ServerProcess, document: String, folder: URL) async throws {
        self.name = name
        proxy = try await FaultProxy(to: server.port)
        guard let url = URL(string: proxy.url) else { throw Failure("\(proxy.url) is not an address") }
        jwt = try server.mint.token(document: document, layer: "review", user: name)
        var environment = Environment.system
        environment.patience = .seconds(5)
        environment.requestEnded = { [requests] _ in requests.count.withLock { $0 += 1 } }
        client = try InstantClient(
            serverURL: url, dataDirectory: folder.appendingPathComponent(name), environment: environment)
        descriptor = try client.documentDescriptor(forJWT: jwt)
        descriptor.startListeningForServerChanges()
        try await descriptor.downloadAndWait(usingJWT: jwt)
    }

    var requestCount: Int { requests.count.withLock { $0 } }

    // MARK: Edits

    func add(_ text: String, file: Data? = nil) throws {
        var content = Content.note(onPage: 0, at: Point(x: 72, y: 72), text: text)
        if let file {
            let id = try descriptor.editableDocument.addAttachment(file)
            content = content.changing {
                $0["type"] = "pspdfkit/image"
                $0["imageAttachmentId"] = .string(id.hex)
                $0["contentType"] = "image/png"
            }
        }
        notes[try descriptor.create(content).id] = text
    }

    func change(_ id: Record.ID, to text: String) throws {
        guard let content = try descriptor.editableDocument.record(id)?.record.content else {
            throw Failure("\(name) does not have \(id)")
        }
        _ = try descriptor.update(
            id, content: content.changing { $0["text"] = ["format": "plain", "value": .string(text)] })
        notes[id] = text
    }

    func delete(_ id: Record.ID) throws {
        _ = try descriptor.delete(id)
        notes[id] = .some(nil)
    }

    /// The notes that the person has, in a fixed order.
    var own: [Record.ID] { notes.filter { $0.value != nil }.keys.sorted { "\($0)" < "\($1)" } }

    // MARK: Waiting

    /// Whether everything is sent that nothing refuses.
    var isSettled: Bool {
        let status = descriptor.status
        return status.connection == .live && status.unsent == 0 && descriptor.documentState == .clean
    }

    /// Does what a person does who waits: tries again, and enters the token once more if a damaged request made the server
    /// refuse it.
    func settle(within seconds: Int, _ isDone: () throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while try !isDone() {
            guard ContinuousClock.now < end else {
                let requests = descriptor.recentRequests.prefix(12).map { "\($0)" }.joined(separator: "\n")
                throw Failure("\(name) does not come to rest: \(descriptor.status), \(try unsent())\n\(requests)")
            }
            switch descriptor.status.connection {
            case .offline: descriptor.retryNow()
            case .needsToken: descriptor.reauthenticate(withJWT: jwt)
            default: break
            }
            await timePassed(.milliseconds(500))
        }
    }

    func unsent() throws -> [UnsentEdit] { try descriptor.unsentEdits() }

    /// The texts of all notes that the person sees.
    func texts() throws -> [String] {
        try descriptor.layer.rows(ListQuery(), offset: 0, limit: 10_000).map(\.text).sorted()
    }
}

private final class RequestCount: Sendable {
    let count = Mutex(0)
}

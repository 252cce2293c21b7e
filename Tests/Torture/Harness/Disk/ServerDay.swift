import Annotations
import Children
import EngineSupport
import Foundation
import SyncProtocol
import TestSupport

/// A day in the life of a server: uploads, attachments, changes, copies, deletions, revocations, backups and restarts,
/// one after the other. Whatever is refused is tried again, so that each day ends in the same state.
final class ServerDay: DiskTrial {
    private(set) var tally = DiskTally()
    private let faults: DiskFaults
    private let fault: DiskFaults.Fault?
    private let only: String?
    private let postilla: String
    private let folder: URL
    private let server: ServerProcess
    private var maker: RequestMaker
    private var acked: [String: Int64] = [:]
    private static let limits = ["requests-per-second=0", "free-disk-bytes=0"].flatMap { ["--limit", $0] }

    /// - Parameters:
    ///   - only: The server's operations that count; nil: all, and those of backups.
    ///   - fault: nil: nothing fails, and the log of the faults names every operation.
    init(postilla: String, folder: URL, library: URL, only: String?, fault: DiskFaults.Fault?) throws {
        (self.postilla, self.folder, self.only, self.fault) = (postilla, folder, only, fault)
        faults = try DiskFaults(library: library, folder: folder.appendingPathComponent("faults"))
        let place = folder.appendingPathComponent("server")
        server = try ServerProcess(
            postilla: postilla, folder: place, options: Self.limits,
            environment: faults.environment(
                watching: place.appendingPathComponent("data").path, hasDisk: true, only: only,
                traces: fault == nil),
            starts: false)
        maker = RequestMaker(secret: server.secret, document: DiskState.document, prefix: "day")
        if let fault { try faults.arm(fault) }
    }

    var operations: [String] { faults.operationNames }

    func play() throws -> [DayEnd] {
        defer { server.kill() }
        do {
            try steps()
            try faults.disarm()
            let running = try DiskState(of: server)
            tally.faults = try faults.failures
            server.kill()
            try checkLog()
            return [
                DayEnd(when: "at the end of the day", lines: running.lines),
                DayEnd(when: "after a power failure", lines: try afterPowerFailure().lines),
            ]
        } catch {
            throw Failure(
                """
                \(error)
                --- failed operations
                \(faults.log.prefix(20).joined(separator: "\n"))
                --- the server: \(server.ending ?? "running"); the end of its log
                \(server.log.suffix(3_000))
                """)
        }
    }

    // MARK: The steps

    private func steps() throws {
        let plans = DiskState.document
        try start()
        try upload(plans, DiskState.pdfs[0])
        try push("ana", [.create("a1"), .create("a2", size: 9_000), .create("marker", .marker)])
        try push("ana", [.create("reply", .reply(to: "marker")), .update("a1", base: 1), .delete("a2", base: 2)])
        try attach()
        try push("ben", [.create("picture", .picture), .create("b1", size: 200)])
        if only?.hasSuffix("postilla.sqlite") == true { try fillLog() }
        try create(["backend1", "backend2"])
        try perform(
            json("documents/\(plans)/layers", ["name": "copy", "source_layer_name": .string(DiskState.layer)]),
            ifDone: "already_exists")
        try perform(json("revoke", ["jwts": [.string(DiskState.revokedToken)]]))
        try perform(
            json("copy_document", ["document_id": .string(plans), "new_document_id": "second"]), mayKill: false)
        try upload(plans, DiskState.pdfs[1], overwrites: true)
        try push("ben", [.update("b1", base: 8), .create("b2", size: 5_000)])
        try backUp()
        server.terminate()
        guard let end = server.waitUntilEnd(), end == "status 0" else {
            throw Failure("the server did not stop in order: \(server.ending ?? "running")")
        }
        try start()
        try push("ana", [.create("a3"), .create("a4")])
        try perform(backend("DELETE", "documents/\(plans)/layers/copy"), ifDone: "layer_deleted", "not_found")
        try upload("third", DiskState.pdfs[0])
        try perform(backend("DELETE", "documents/third"), ifDone: "document_not_found", "not_found")
        try backUp()
        try push("ana", [.update("a3", base: 13), .delete("a4", base: 14)])
    }

    /// Starts the server. If that fails, it has to state a reason.
    private func start() throws {
        let tries = 6
        for attempt in 1...tries {
            let (failures, length) = (try faults.failures, server.log.utf8.count)
            do { return try server.start() } catch {
                let end = server.waitUntilEnd() ?? "nothing"
                let log = String(decoding: server.log.utf8.dropFirst(length), as: UTF8.self)
                guard try faults.failures > failures else { throw Failure("it does not start: \(end)\n\(log)") }
                guard end == "status 1", log.contains("postilla: ") else {
                    throw Failure("it ends with \(end) and the log: \(log)")
                }
                tally.failedStarts += 1
                if attempt == tries / 2 { try faults.heal() }
            }
        }
        throw Failure("it does not start")
    }

    private func upload(_ document: String, _ pdf: [UInt8], overwrites: Bool = false) throws {
        var request = backend(
            "POST", "documents?document_id=\(document)" + (overwrites ? "&overwrite_existing_document=true" : ""))
        request.fields.append(("Content-Type", "application/pdf"))
        request.body = pdf
        try perform(request, ifDone: "already_exists")
    }

    private func attach() throws {
        var request = Request(
            "attach", "PUT", "/instant/v1/attachments/\(DiskState.attachmentName)", .status([200]))
        request.fields = [("Authorization", "Bearer \(try token("ben"))")]
        request.body = DiskState.attachment
        try perform(request)
    }

    private func create(_ ids: [String]) throws {
        let list = ids.map { id in
            ["id": .string(id), "user_id": "backend", "content": .object(Content.plainNote(id).object)] as JSON
        }
        // Killing the server would leave open whether they exist.
        try perform(
            json(
                "documents/\(DiskState.document)/layers/\(DiskState.layer)/annotations", ["annotations": .array(list)]),
            mayKill: false)
    }

    /// Writes more than SQLite keeps in its log without a checkpoint: thousands of operations, so only on days on which
    /// nothing but those on the database counts.
    private func fillLog() throws {
        for number in 1...5 { try push("cy", to: "large", [.create("large\(number)", size: 1_000_000)]) }
    }

    private func push(_ user: String, to layer: String = DiskState.layer, _ changes: [DayChange]) throws {
        let first = acked[user, default: 0] + 1
        let list = zip(first..., changes).map { $1.change(n: $0) }
        let message = PushRequest(clientID: user, acked: first - 1, cursor: nil, changes: list)
        let request = maker.push(0, message, token: try token(user, layer), framing: .plain)
        let answer = try perform(request, edits: changes.count)
        let results = try PushAnswer(bytes: answer.body).results
        guard results.map(\.status) == list.map({ _ in .applied }) else {
            throw Failure("a push of \(user) has the results \(results)")
        }
        acked[user] = first + Int64(changes.count) - 1
    }

    private func backUp() throws {
        let place = folder.appendingPathComponent("backup").path
        for _ in 0..<6 {
            let failures = try faults.failures
            let process = ChildProcess()
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: postilla)
            process.arguments = ["backup", place, "--data", server.folder.appendingPathComponent("data").path]
            process.environment = faults.environment(watching: place, hasDisk: false, only: only, traces: fault == nil)
            process.standardOutput = FileHandle.nullDevice
            process.standardError = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            let hasFailed = try faults.failures > failures
            if process.terminationStatus == 0 { return try checkBackup(place, isSuspect: hasFailed) }
            guard hasFailed, process.terminationReason == .exit, process.terminationStatus == 1,
                text.hasPrefix("postilla: ")
            else { throw Failure("the backup ends with \(process.terminationStatus): \(text)") }
            tally.failedBackups += 1
            try faults.heal()
        }
        throw Failure("the backup fails again and again")
    }

    /// A backup that reports success can be restored.
    private func checkBackup(_ place: String, isSuspect: Bool) throws {
        guard isSuspect || fault == nil else { return }
        let target = folder.appendingPathComponent("restored-\(UUID().uuidString)").path
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: postilla)
        process.arguments = ["restore", place, "--data", target]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure("a backup that succeeded cannot be restored") }
    }

    // MARK: Requests

    private func token(_ user: String, _ layer: String = DiskState.layer) throws -> String {
        try server.mint.token(document: DiskState.document, layer: layer, user: user)
    }

    private func backend(_ method: String, _ target: String) -> Request {
        var request = Request("day", method, "/api/" + target, .status([200]))
        request.fields = [("Authorization", "Token token=\"\(server.secret)\"")]
        return request
    }

    private func json(_ target: String, _ value: JSON) -> Request {
        var request = backend("POST", target)
        request.fields.append(("Content-Type", "application/json"))
        request.body = Array(value.text.utf8)
        return request
    }

    /// Sends a request until it is carried out.
    ///
    /// - Parameters:
    ///   - reasons: The errors that mean that an earlier attempt was carried out although its answer left that open.
    ///   - mayKill: Whether the server may be killed after a refusal.
    @discardableResult
    private func perform(
        _ request: Request, edits: Int = 1, ifDone reasons: String..., mayKill: Bool = true
    ) throws -> Answer {
        var isOpen = false
        let tries = 10
        for attempt in 1...tries {
            let failures = try faults.failures
            let answer = try request.answer(from: server.port)
            let reason = answer.status == 200 ? nil : try ErrorAnswer(bytes: answer.body).reason
            if reason == nil || isOpen && reasons.contains(reason ?? "") {
                tally.acknowledged += edits
                return answer
            }
            let isNamed = reason == "unavailable" || reason == "storage_full" && fault?.kind.isFullDisk == true
            guard answer.status == 503, isNamed, answer["retry-after"].flatMap({ Int($0) }) != nil else {
                throw Failure("\(answer.status) for \(request.method) \(request.target): \(answer.text)")
            }
            guard try faults.failures > failures else {
                throw Failure("refused without a fault: \(request.method) \(request.target): \(answer.text)")
            }
            tally.refusals[reason ?? "", default: 0] += 1
            if reason == "unavailable" { isOpen = true }
            try checkReading()
            if mayKill, attempt == 1, (fault?.at ?? 0) % 3 == 0 {
                try faults.disarm()
                server.kill()
                tally.kills += 1
                try start()
            } else if attempt == 3 {
                try faults.heal()
            }
        }
        throw Failure("\(request.method) \(request.target) is refused again and again")
    }

    /// What does not need the disk works on.
    private func checkReading() throws {
        for request in [Request("health", "GET", "/healthcheck", .status([200])), backend("GET", "documents")] {
            let answer = try request.answer(from: server.port)
            guard answer.status == 200 else {
                throw Failure("\(answer.status) for \(request.method) \(request.target): \(answer.text)")
            }
        }
    }

    private func checkLog() throws {
        let log = server.log
        for text in ["request failed", "Fatal error", "restored from a backup", "is damaged"] where log.contains(text) {
            throw Failure("the log has: \(text)")
        }
    }

    // MARK: Power failure

    /// Starts another server on what the disk holds.
    private func afterPowerFailure() throws -> DiskState {
        let place = folder.appendingPathComponent("after")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: faults.filesOnDisk, to: place.appendingPathComponent("data"))
        let after = try ServerProcess(
            postilla: postilla, folder: place, mint: server.mint, secret: server.secret, options: Self.limits)
        defer { after.kill() }
        let state: DiskState
        do { state = try DiskState(of: after) } catch {
            throw Failure(
                "after a power failure, server \(after.ending ?? "running"): \(error)\n\(after.log.suffix(1_000))")
        }
        guard !after.log.contains("restored from a backup"), !after.log.contains("is damaged") else {
            throw Failure("after a power failure: \(after.log)")
        }
        return state
    }
}

/// One change of a scripted push.
struct DayChange {
    private enum Step {
        case create(Content), update(Revision), delete(Revision)
    }

    private var id: String
    private var step: Step

    static func create(_ id: String, size: Int = 0) -> DayChange { create(id, .plainNote(id, size: size)) }
    static func create(_ id: String, _ content: Content) -> DayChange { DayChange(id: id, step: .create(content)) }
    static func update(_ id: String, base: Revision) -> DayChange { DayChange(id: id, step: .update(base)) }
    static func delete(_ id: String, base: Revision) -> DayChange { DayChange(id: id, step: .delete(base)) }

    func change(n: Int64) -> Change {
        switch step {
        case .create(let content): Change(n: n, kind: .create, id: id, baseRevision: 0, content: content)
        case .update(let base):
            Change(n: n, kind: .update, id: id, baseRevision: base, content: .plainNote("\(id), changed"))
        case .delete(let base): Change(n: n, kind: .delete, id: id, baseRevision: base)
        }
    }
}

extension Content {
    static var marker: Content { Content(ChangeMaker.object("pspdfkit/comment-marker")) }

    static func reply(to root: String) -> Content {
        var object = JSONObject()
        object["v"] = 2
        object["type"] = "pspdfkit/comment"
        object["rootId"] = .string(root)
        object["pageIndex"] = 0
        object["text"] = ["format": "plain", "value": "a reply"]
        return Content(object)
    }

    static var picture: Content {
        var object = ChangeMaker.object("pspdfkit/image")
        object["contentType"] = "image/png"
        object["imageAttachmentId"] = .string(DiskState.attachmentName)
        return Content(object)
    }
}

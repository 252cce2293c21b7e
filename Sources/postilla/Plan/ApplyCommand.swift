import Annotations
import ArgumentParser
import FoundationEssentials
import Instant
import InstantCore
import Interchange

struct ApplyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Carry out a plan, if nothing has changed since it was made.",
        discussion: """
            A plan is what add, edit, reply, state and delete print with --dry-run, and what import writes with --plan. \
            If the layer was recreated, a record of the plan was changed or deleted, a comment was added to a thread \
            that would be deleted, or a new id is taken, nothing is changed, and the exit code is 6. The server checks \
            each change again when it arrives.

            Prints one line of JSON for each change, after the server's response:
              {"id":…,"op":"create|update|delete","status":"applied|waiting|conflict|denied|invalid","reason"?}

            Examples:
              postilla list --kind stamp --json id --format ndjson | postilla delete - --dry-run > plan
              postilla apply plan
            """)

    @Argument(help: ArgumentHelp("The plan; - is standard input.", valueName: "file"), completion: .file())
    var file: String

    @Option(help: ArgumentHelp("Author of new annotations, if the token names none.", valueName: "name"))
    var author: String?

    @OptionGroup var server: ServerOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var tokens: TokenOptions
    @OptionGroup var choice: LayerChoice

    func run() async throws {
        let (session, plan) = try await LayerSession.open(
            LayerOptions(server, data, tokens, choice), reading: read)
        try await session.synchronize()
        do {
            try session.check(plan)
            let creates = plan.changes.contains { if case .create = $0 { true } else { false } }
            let author = creates ? try session.author(author) : nil
            try session.store(plan.attachments)
            var outcomes: [EditOutcome] = []
            for part in plan.changes.chunks(of: AddLines.atOnce) {
                outcomes += try await apply(Array(part), session, author)
            }
            let failed = outcomes.count { $0.exit != .done }
            guard failed == 0 else {
                throw CommandFailure("\(failed) of \(outcomes.count) changes were not made", outcomes.exit)
            }
        } catch { throw CommandFailure(reading: error) }
    }

    private func read() async throws -> Plan {
        let bytes = try await ContentFile.read(file, limit: 256 << 20)
        return try Plan(bytes, from: file == "-" ? "standard input" : file)
    }

    /// Makes changes, and prints the server's answers.
    private func apply(
        _ changes: [Plan.Change], _ session: LayerSession, _ author: String?
    ) async throws -> [EditOutcome] {
        var refused: [ByteOrdered: EditOutcome] = [:]
        for change in changes {
            do { try session.perform(change, author: author) } catch let problem as EditError {
                refused[ByteOrdered(change.id)] = EditOutcome(problem)
            }
        }
        let sent = changes.map(\.id).filter { refused[ByteOrdered($0)] == nil }
        var problem: (any Error)?
        do { _ = try await session.deliver(sent) } catch { problem = error }
        let outcomes = try changes.map {
            try refused[ByteOrdered($0.id)] ?? session.answer(for: $0.id, isSettled: problem == nil)
        }
        for (change, outcome) in zip(changes, outcomes) {
            Output.json(
                JSONWriter.text {
                    $0.member("id", change.id)
                    $0.member("op", change.word)
                    $0.member("status", outcome.status)
                    if let reason = outcome.reason { $0.member("reason", reason) }
                })
        }
        if let problem { throw problem }
        return outcomes
    }
}

extension Plan.Change {
    /// The word that scripts read.
    fileprivate var word: String {
        switch self {
        case .create: "create"
        case .update: "update"
        case .delete: "delete"
        }
    }
}

extension LayerSession {
    /// - Throws: ``CommandFailure`` if the plan is for another layer (usage), or no longer fits this one (conflict);
    ///   then it names everything that changed.
    fileprivate func check(_ plan: Plan) throws {
        let place = try planPlace()
        guard place.document.isExactly(plan.place.document), place.layer.isExactly(plan.place.layer) else {
            throw CommandFailure(
                "the plan is for \(plan.place.document) / \(plan.place.layer.isEmpty ? "(default)" : plan.place.layer), "
                    + "not for the layer of this token", .usage)
        }
        guard place.generation == plan.place.generation else {
            throw CommandFailure(
                "the layer was recreated or restored after the plan was made; nothing changed", .conflict)
        }
        let problems = try plan.changes.compactMap(problem)
        guard problems.isEmpty else {
            throw CommandFailure(problems.joined(separator: "\n") + "\nNothing changed; make a new plan", .conflict)
        }
    }

    /// - Returns: nil if the record is as it was.
    private func problem(_ change: Plan.Change) throws -> String? {
        switch change {
        case .create(let id, _, _, let root):
            if try descriptor.layer.record(id) != nil { return "\(id): exists already" }
            return try root.flatMap(problem(with:))
        case .update(let version, _): return try problem(with: version)
        case .delete(let version, let with):
            if let problem = try problem(with: version) { return problem }
            let now = try descriptor.layer.deletions(of: [version.id]).first?.records.dropFirst().map(\.id) ?? []
            guard Set(now.map(ByteOrdered.init)) == Set(with.map { ByteOrdered($0.id) }) else {
                return "\(version.id): its thread has changed"
            }
            return try with.lazy.compactMap(problem(with:)).first
        }
    }

    private func problem(with version: Plan.Version) throws -> String? {
        guard try descriptor.layer.record(version.id) != nil else { return "\(version.id): deleted" }
        return try self.version(of: version.id) == version ? nil : "\(version.id): changed"
    }

    /// Stores the attached files, to be sent before the records that name them.
    fileprivate func store(_ attachments: [AttachmentID: [UInt8]]) throws {
        for (id, bytes) in attachments {
            let stored: AttachmentID
            do throws(InstantError) { stored = try descriptor.editableDocument.addAttachment(Data(bytes)) } catch {
                throw CommandFailure(error)
            }
            guard stored == id else { throw CommandFailure("the plan is damaged: the bytes of \(id.hex) are others") }
        }
    }

    fileprivate func perform(_ change: Plan.Change, author: String?) throws {
        switch change {
        case .create(let id, let group, let content, _):
            let choice = group.map(LayerMetadata.GroupChoice.init(group:))
            _ = try descriptor.create(content, id: id, group: choice, author: author)
        case .update(let version, let content): _ = try descriptor.update(version.id, content: content)
        case .delete(let version, let with): _ = try descriptor.delete(version.id, with: with.map(\.id))
        }
    }
}

import Annotations
import ArgumentParser
import Instant
import InstantCore
import Interchange

/// The option of commands that can print what they would do.
struct DryRunOption: ParsableArguments {
    @Flag(help: "Change nothing; print a plan of the changes for postilla apply. Not with a PDF.")
    var dryRun = false
}

/// Collects the changes of a command that only plans them.
struct DryRun {
    private let session: LayerSession
    private var planner: ImportPlanner
    private var plan: Plan
    private var created: Set<ByteOrdered> = []

    /// - Throws: ``CommandFailure`` if the layer is that of a PDF.
    init(_ session: LayerSession) throws {
        guard let grant = session.descriptor.status.grant else { throw EditError.noGrant }
        self.session = session
        plan = Plan(place: try session.planPlace())
        planner = try ImportPlanner(session.descriptor, grant: grant)
    }

    /// Plans a new record or a changed one.
    ///
    /// - Parameter id: nil for a new id.
    /// - Returns: The id.
    /// - Throws: ``CommandFailure`` if the token does not permit it, or it is invalid.
    @discardableResult
    mutating func put(_ content: Content, id: Record.ID? = nil, group: String?? = nil) throws -> Record.ID {
        var random = SystemRandomNumberGenerator()
        let id = id ?? ULID.make(at: .now, using: &random)
        var item = InstantJSONFile.item(id, content)
        item.group = group
        let step = try planner.plan(item)
        if case .skip(let why) = step.action {
            throw CommandFailure("\(id): \(why.reason ?? "not possible"); nothing planned", why.exit)
        }
        try add(step)
        return id
    }

    mutating func add(_ step: ImportPlanner.Step) throws {
        if step.action == .create { created.insert(ByteOrdered(step.id)) }
        if let change = try session.change(step, created) { plan.changes.append(change) }
    }

    mutating func add(_ step: ImportPlanner.Step, _ attachments: [AttachmentID: [UInt8]]) throws {
        guard [.create, .update].contains(step.action) else { return }
        try add(step)
        if let id = step.item.content.attachmentID, let bytes = attachments[id] { attach(id, bytes) }
    }

    mutating func add(_ deletion: PlannedDeletion) throws {
        if let change = try session.change(deletion) { plan.changes.append(change) }
    }

    mutating func attach(_ id: AttachmentID, _ bytes: [UInt8]) { plan.attachments[id] = bytes }

    /// The plan as text.
    var text: String { plan.lines.map { $0 + "\n" }.joined() }

    func write() { for line in plan.lines { Output.json(line) } }
}

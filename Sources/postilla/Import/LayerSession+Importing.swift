import Annotations
import FoundationEssentials
import Instant
import InstantCore

extension InstantDocumentDescriptor {
    /// Stores the attached files that the next records name; they are sent before the records.
    func add(_ attachments: [AttachmentID: [UInt8]], for steps: [ImportPlanner.Step]) throws {
        guard !attachments.isEmpty else { return }
        let document = editableDocument
        for step in steps where [.create, .update].contains(step.action) {
            guard let id = step.item.content.attachmentID, let bytes = attachments[id] else { continue }
            // Under another name, the record is refused because its file is missing.
            _ = try document.addAttachment(Data(bytes))
        }
    }
}

/// Steps that are stored on this machine, and whose answers did not arrive.
struct UnconfirmedSteps: Error {
    let outcomes: [ByteOrdered: EditOutcome]
    let failure: CommandFailure
}

extension LayerSession {
    /// Performs the steps, and waits for the server's answers.
    ///
    /// - Throws: ``UnconfirmedSteps``, ``CommandFailure``
    func perform(_ steps: [ImportPlanner.Step], author: String?) async throws -> [ByteOrdered: EditOutcome] {
        var outcomes: [ByteOrdered: EditOutcome] = [:]
        var sent: [Record.ID] = []
        for step in steps {
            do {
                switch step.action {
                case .create:
                    let group = step.item.group.map(LayerMetadata.GroupChoice.init(group:))
                    _ = try descriptor.create(step.item.content, id: step.id, group: group, author: author)
                case .update: _ = try descriptor.update(step.id, content: step.item.content)
                case .unchanged, .skip: continue
                }
                sent.append(step.id)
            } catch let problem as EditError { outcomes[ByteOrdered(step.id)] = EditOutcome(problem) }
        }
        do {
            for (id, outcome) in zip(sent, try await deliver(sent)) { outcomes[ByteOrdered(id)] = outcome }
        } catch let failure as CommandFailure where failure.status == .unconfirmed {
            for id in sent { outcomes[ByteOrdered(id)] = .waiting }
            throw UnconfirmedSteps(outcomes: outcomes, failure: failure)
        }
        // Failed records are still in the file.
        try dropFailed(sent)
        return outcomes
    }
}

extension Array {
    func chunks(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min(count, $0 + size)] }
    }
}

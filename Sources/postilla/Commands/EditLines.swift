import Annotations
import Instant
import InstantCore

/// The `edit --ndjson` command: `{"id","content"}` or `{"id","text"}` per line, answered in order like `add --ndjson`.
struct EditLines {
    let session: LayerSession

    /// - Throws: ``CommandFailure`` with the status of all lines together, or with the error that stopped the command.
    func run() async throws {
        var outcomes: [EditOutcome] = []
        while case let lines = try await StandardInput.shared.lines(
            maxCount: AddLines.atOnce, maxBytes: AddLines.maxBytes), !lines.isEmpty
        {
            let made = lines.compactMap(edit)
            let waiting = made.compactMap { $0.outcome == nil ? $0.id : nil }
            var problem: CommandFailure?
            do { _ = try await session.deliver(waiting) } catch let failure as CommandFailure { problem = failure }
            for one in made {
                let outcome = try one.outcome ?? session.answer(for: one.id ?? "", isSettled: problem == nil)
                await session.answer(AddLines.answer(one.id, outcome))
                outcomes.append(outcome)
            }
            if let problem { throw problem }
        }
        let failed = outcomes.count { $0.exit != .done }
        guard failed == 0 else {
            let failure = CommandFailure("\(failed) of \(outcomes.count) records not changed", outcomes.exit)
            throw await session.finish(despite: failure, outcomes)
        }
    }

    /// The local result: without an outcome, the server decides.
    private typealias Made = (id: Record.ID?, outcome: EditOutcome?)

    /// Changes one record. Returns nil for an empty line.
    private func edit(_ line: StandardInput.Line) -> Made? {
        guard case .line(let bytes) = line else {
            return (nil, .invalid("line longer than \(AddLines.maxBytes) bytes"))
        }
        guard bytes.contains(where: { $0 > 0x20 }) else { return nil }
        var id: Record.ID?
        do {
            let change = try RecordChange(json: bytes)
            let found = try session.id(of: change.id)
            id = found
            guard let record = try session.descriptor.layer.record(found) else {
                return (found, .conflict("no annotation \(found) in this layer"))
            }
            guard let content = try change.content(over: record) else { return (found, .applied) }
            // Given content replaces the current content, including changes by others.
            let seen: Content? = if case .text = change.value { record.content } else { nil }
            _ = try session.descriptor.update(found, content: content, over: seen)
            return (found, nil)
        } catch let problem as EditError {
            return (id, EditOutcome(problem))
        } catch let failure as CommandFailure {
            return (id, .invalid(failure.message))
        } catch { return (id, .invalid("\(error)")) }
    }
}

/// A changed record as scripts pass it: an id with the whole content, or with a new text.
struct RecordChange {
    enum Value {
        case content(Content)
        case text(String)
    }

    var id: Record.ID
    var value: Value

    /// - Throws: ``JSONError`` with the position, or ``CommandFailure`` that describes the invalid value.
    init(json bytes: [UInt8]) throws {
        let value = try JSONReader.parse(bytes)
        guard let id = value["id"]?.string, !id.isEmpty else {
            throw CommandFailure(#"not a change: expected {"id","content"} or {"id","text"}"#)
        }
        self.id = id
        switch (value["content"], value["text"]) {
        case (.object(let content)?, nil): self.value = .content(Content(content))
        case (nil, .string(let text)?): self.value = .text(text)
        default: throw CommandFailure(#"a change needs either "content", an object, or "text", a string"#)
        }
    }

    /// - Returns: nil if the text is unchanged.
    func content(over record: Record) throws -> Content? {
        switch value {
        case .content(let content): return content
        case .text(let text):
            guard !text.isExactly(Annotation(record).text) else { return nil }
            try record.check(newText: text)
            return try record.content.replacingText(with: text)
        }
    }
}

extension Record {
    /// - Throws: ``CommandFailure`` for an empty text of a record that is nothing but a text. The remark of a mark may be
    ///   removed.
    func check(newText: String) throws {
        let kind = Annotation(self).kind
        guard contentType == .comments || kind == .note || kind == .text, newText.isBlank else {
            return
        }
        throw CommandFailure(
            "\(id): \(contentType == .comments ? "a comment" : kind.withArticle) needs a text; postilla delete removes it",
            .usage)
    }
}

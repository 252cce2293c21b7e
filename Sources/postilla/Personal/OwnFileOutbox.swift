import Annotations
import Dispatch
import Glibc
import Instant
import SyncProtocol

/// A change that is not in its PDF, as a row of `postilla outbox`.
struct OwnFileChange: Hashable, Sendable {
    var id: Record.ID
    /// As the file has it; nil: not at all.
    var base: Record?
    /// As the layer has it; nil: deleted.
    var mine: Record?
    /// Why it waits for a choice; nil: it does not.
    var conflict: String?

    var isConflict: Bool { conflict != nil }
    var edit: String { mine == nil ? "delete" : base == nil ? "create" : "update" }
    var state: String { isConflict ? "conflict" : "kept" }
    var reason: String { conflict ?? "not in the file" }
    /// The time of the last change, as the record tells it.
    private var made: String? {
        let content = mine?.content
        return content?["updatedAt"]?.string ?? content?["createdAt"]?.string
    }

    var fields: [String] {
        let shown = (mine ?? base).map { Annotation($0) }
        return [
            id, edit, shown?.pageIndex.map { "\($0 + 1)" } ?? "", shown?.kind.name ?? "", made ?? "", state, reason,
            shown?.text ?? "",
        ]
    }

    var json: String {
        JSONWriter.text {
            $0.member("id", id)
            $0.member("edit", edit)
            $0.member("state", state)
            $0.member("reason", reason)
            $0.member("made", orNull: made)
            if let mine { $0.member("content", source: mine.content.text) }
        }
    }
}

extension OwnFileSession {
    /// Returns the changes that are not in the file.
    ///
    /// - Throws: ``CommandFailure``
    func changes() async throws -> [OwnFileChange] {
        let (report, changes): (FileReport, [FileAnswer.Change])
        do { (report, changes) = try await link.changes() } catch let refusal as EngineRefusal {
            throw CommandFailure("\(link.name.onOneLine): \(refusal.message)")
        }
        var reasons: [ByteOrdered: String] = [:]
        for conflict in report.conflicts { reasons[ByteOrdered(conflict.id)] = conflict.reason }
        return changes.map {
            OwnFileChange(id: $0.id, base: $0.base, mine: $0.mine, conflict: reasons[ByteOrdered($0.id)])
        }
    }

    /// Waits until the engine has on disk what it has accepted.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be asked.
    func settle() async throws {
        do { _ = try await link.report() } catch let refusal as EngineRefusal {
            throw CommandFailure("\(link.name.onOneLine): \(refusal.message)")
        }
    }
}

extension LayerSession {
    /// Runs a command that says line by line what was done. If a signal ends it before the lines are in the PDF, it says
    /// that they are kept.
    func answeringLines(_ body: () async throws -> Void) async throws {
        guard let own else { return try await body() }
        let signals = [SIGINT, SIGTERM].filter { !Self.isIgnored($0) }.map { number -> any DispatchSourceSignal in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                Task {
                    await own.tellWhatIsKept()
                    exit(128 + number)
                }
            }
            source.resume()
            return source
        }
        defer { for signal in signals { signal.cancel() } }
        try await body()
    }

    private static func isIgnored(_ number: CInt) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

extension OwnFileSession {
    /// Says what is kept and not in the file, if the engine answers within two seconds.
    fileprivate func tellWhatIsKept() async {
        let report = await withTaskGroup(of: FileReport?.self) { group in
            group.addTask { try? await link.report() }
            group.addTask {
                try? await Task.sleep(for: .seconds(2))
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let report else {
            return Output.message("\(link.name.onOneLine): what was added is kept; see postilla outbox --pdf FILE")
        }
        if report.unwritten > 0 { Output.message(Self.kept(report.unwritten, link.name)) }
    }
}

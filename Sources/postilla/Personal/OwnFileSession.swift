import Annotations
import App
import DocumentEngine
import FoundationEssentials
import Glibc
import Instant
import InstantCore
import SyncProtocol

/// A PDF of the person as the layer of one command.
struct OwnFileSession: Sendable {
    let link: OwnFileLink
    /// The file, or a copy of it as it was if it is missing.
    let pdf: String
    /// Whether changes stay in the engine.
    let keepsChanges: Bool
    /// The marks whose words the file's text does not have any more.
    let lost: [LostMark]
    /// What is kept for the file and cannot be read.
    let damaged: [OwnFileDamage]

    /// Returns the path of the file that a command works on; nil: it works on a layer of a server.
    static func path(_ options: LayerOptions, target: String?) throws -> String? {
        let named = target.flatMap(file)
        if let pdf = options.pdf, let named {
            throw CommandFailure(
                "two PDFs are named: \(named.onOneLine), and \(pdf.onOneLine) with --pdf; leave one out", .usage)
        }
        guard let path = options.pdf ?? named else { return nil }
        guard options.server.server == nil, !options.offline else {
            throw CommandFailure("a PDF is not on a server; leave out --server and --offline", .usage)
        }
        return path
    }

    /// An argument with a scheme is a server, and one that names a file or ends in `.pdf` is a PDF.
    private static func file(_ target: String) -> String? {
        guard !target.contains(scalars: "://") else { return nil }
        return target.lowercased().ends(with: ".pdf") || access(target, F_OK) == 0 ? target : nil
    }

    /// - Throws: ``CommandFailure`` if a command's output would replace the PDF that it works on, by whatever name.
    static func check(output: String?, _ options: LayerOptions, target: String? = nil) throws {
        guard let output, let path = try path(options, target: target), isSame(output, path) else { return }
        let name = output.isExactly(path) ? "" : " (\(path.onOneLine))"
        throw CommandFailure(
            "\(output.onOneLine) is the PDF itself\(name), which it would replace; name another file", .usage)
    }

    /// Whether two paths name one file, also one that is missing.
    static func isSame(_ one: String, _ other: String) -> Bool {
        if let identity = FileIdentity(one), identity == FileIdentity(other) { return true }
        func real(_ path: String) -> String { FilePaths.resolved(OwnFileLink.absolute(path)) }
        return real(one).isExactly(real(other))
    }

    /// Writes the command's changes into the file, unless they are to be kept.
    ///
    /// - Parameter decided: The record whose conflict the command has decided; nil: it decides none. Conflicts of other
    ///   records are only named then.
    /// - Throws: ``CommandFailure`` if the file has not got all of them. They are kept.
    func finish(decided: Record.ID? = nil) async throws {
        for one in damaged { Output.warning(one.sentence) }
        if keepsChanges {
            let report = try await link.report()
            if report.unwritten > 0 { Output.message(Self.kept(report.unwritten, link.name)) }
            return
        }
        let (written, report): (WrittenFile, FileReport)
        do { (written, report) = try await link.write() } catch let refusal as EngineRefusal {
            let count = (try? await link.report().unwritten) ?? 0
            let isSaid = refusal.message.contains(scalars: "kept")
            let kept =
                count > 0 && !isSaid
                ? "; \(Wording.count(count, "change")) kept (postilla write \(link.name.shellWord))" : ""
            throw CommandFailure("\(link.name.onOneLine): not written: \(refusal.message)" + kept)
        }
        let isLeft = decided.map { id in report.conflicts.contains { $0.id.isExactly(id) } } ?? true
        let failsForConflicts = written.conflicts > 0 && isLeft
        for remark in written.remarks(link.name, report) where !failsForConflicts {
            Output.message("\(link.name.onOneLine): \(remark)")
        }
        if failsForConflicts {
            let remarks = written.remarks(link.name, report).joined(separator: "; ")
            throw CommandFailure("\(link.name.onOneLine): \(remarks)", .conflict)
        }
        if !written.unwritten.isEmpty { throw CommandFailure("\(link.name.onOneLine): not every change was written") }
    }

    /// Hands the engine the edits that a command could not hand over (exit code 8). They are in the command's store.
    ///
    /// - Throws: ``CommandFailure`` if the engine does not take them. They go on waiting.
    static func sendWaiting(to link: OwnFileLink, _ document: String, _ token: String) async throws {
        let folder = URL(filePath: link.engine.place.layers)
        guard let url = URL(string: link.engine.place.server),
            let stored = try? InstantClient.listCacheEntries(in: folder)
        else { return }
        for entry in stored where entry.documentIdentifier.isExactly(document) {
            if let problem = entry.problem ?? entry.damage {
                Output.warning("\(link.name.onOneLine): edits that wait for the engine may be missing: \(problem)")
            }
        }
        guard stored.contains(where: { $0.documentIdentifier.isExactly(document) && $0.unsent > 0 }) else { return }
        do throws(InstantError) {
            let client = try InstantClient(serverURL: url, dataDirectory: folder, environment: .program(nil))
            let session = LayerSession(
                client: client, descriptor: try client.documentDescriptor(forJWT: token),
                tokens: TokenSupply(.engine(link, first: token), document: nil, layer: nil),
                stopWatch: StopWatch { [client] }, token: token, patience: .seconds(10))
            do { try await session.synchronize(sends: true) } catch {
                throw InstantError(.editsNotSent, "edits wait that the engine does not take: \(error)")
            }
        } catch { throw CommandFailure("\(link.name.onOneLine): \(error.message)", .unconfirmed) }
    }

    static func kept(_ count: Int, _ name: String) -> String {
        "\(name.onOneLine): \(Wording.count(count, "change")) kept, not in the file; "
            + "run postilla write \(name.shellWord)"
    }

    /// The author of new annotations if nobody said another one: the person's name on this machine.
    static func chosenAuthor() throws -> String? {
        let setting = try Preferences.use().text(.author)
        return setting.isEmpty ? author : setting
    }

    /// The person's name for the system.
    static var login: String? {
        guard let user = getpwuid(geteuid()) else { return nil }
        let name = String(cString: user.pointee.pw_name)
        return name.isEmpty ? nil : name
    }

    static var author: String? {
        guard let user = getpwuid(geteuid()) else { return nil }
        let full = String(cString: user.pointee.pw_gecos).split(scalar: ",").first.map(String.init)?.trimmed ?? ""
        let name = full.isEmpty ? String(cString: user.pointee.pw_name) : full
        return name.isEmpty ? nil : name
    }
}

extension LayerSession {
    /// Which records of a PDF are not in the file as they are in the layer, and which are in conflict with it. Records
    /// that are in it are left out.
    func statesInFile() async throws -> [ByteOrdered: DeliveryState] {
        guard let own else { return [:] }
        let (report, changes): (FileReport, [FileAnswer.Change])
        do { (report, changes) = try await own.link.changes() } catch let refusal as EngineRefusal {
            throw CommandFailure("\(own.link.name.onOneLine): \(refusal.message)")
        }
        var states: [ByteOrdered: DeliveryState] = [:]
        for change in changes { states[ByteOrdered(change.id)] = .unsent }
        for conflict in report.conflicts { states[ByteOrdered(conflict.id)] = .conflict }
        return states
    }

    /// What a person should know of where a PDF comes from; nil: nothing.
    static func origin(of path: String, _ report: FileReport) -> String? {
        if let from = report.movedFrom {
            return "\(path.onOneLine): continues \(from.onOneLine), which is gone; its changes come along"
        }
        return report.twin.map { twin in
            "\(path.onOneLine): the same bytes as \(twin.onOneLine), which is gone and has changes that are not in it; to have "
                + "them here, run postilla write \(twin.shellWord) --to \(path.shellWord) --force"
        }
    }

    /// Opens a PDF of the person in the engine.
    ///
    /// - Parameter reads: Whether the command only reads it.
    static func open(file path: String, _ options: LayerOptions, reads: Bool = false) async throws -> LayerSession {
        let folders = try Folders(dataDirectory: options.dataDir)
        let (link, report, token) = try await OwnFileLink.open(path, folders, reads: reads)
        guard let url = URL(string: link.engine.place.server) else {
            throw CommandFailure("the engine's socket has no address: \(link.engine.place.server)")
        }
        if let problem = report.problem ?? (report.isMissing ? "the file is missing" : nil) {
            let reason = problem.ends(with: ".") ? String(problem.dropLast(scalars: 1)) : problem
            Output.warning("\(path.onOneLine): \(reason); this is what is kept of it")
        }
        if let origin = origin(of: path, report) { Output.message(origin) }
        let log = try options.server.debugLog()
        do throws(InstantError) {
            let client = try InstantClient(
                serverURL: url, dataDirectory: URL(filePath: link.engine.place.layers), environment: .program(log))
            let descriptor = try client.documentDescriptor(forJWT: token)
            let stopWatch = StopWatch { [client] }
            return LayerSession(
                client: client, descriptor: descriptor,
                tokens: TokenSupply(.engine(link, first: token), document: nil, layer: nil), stopWatch: stopWatch,
                token: token,
                patience: options.server.patience,
                own: OwnFileSession(
                    link: link, pdf: report.pdf,
                    keepsChanges: options.noWrite, lost: report.lostMarks,
                    damaged: report.damaged.map(OwnFileDamage.init)))
        } catch { throw CommandFailure(error) }
    }
}

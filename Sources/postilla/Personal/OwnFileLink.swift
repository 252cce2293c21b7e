import Annotations
import App
import DocumentEngine
import FoundationEssentials
import Glibc
import InstantCore
import Interchange
import PDFPages
import SyncProtocol

/// A PDF that this process has open in the engine.
struct OwnFileLink: Hashable, Sendable {
    let engine: PersonalEngine
    /// The engine's random id of the file.
    let document: String
    /// As the person gave it.
    let name: String
    /// Absolute, without links, as the engine has it.
    let path: String

    /// Opens a file in the engine, which is started if necessary.
    ///
    /// - Parameters:
    ///   - name: a path, as the person gave it.
    ///   - isPrivate: whether changes are kept in memory only.
    ///   - reads: whether the file is only read, which also works where the data folder cannot be written.
    /// - Throws: ``CommandFailure``
    static func open(
        _ name: String, _ folders: Folders, isPrivate: Bool = false, reads: Bool = false
    ) async throws -> (link: OwnFileLink, report: FileReport, token: String) {
        let (engine, answer): (_, FileAnswer) = try await request(name, folders, isPrivate: isPrivate, reads: reads)
        guard let token = answer.token else { throw CommandFailure("the engine gave no token") }
        let report = answer.report
        let link = OwnFileLink(engine: engine, document: report.document, name: name, path: report.path)
        return (link, report, token)
    }

    /// Fails as opening would if the file is open otherwise, without opening it.
    ///
    /// - Throws: ``CommandFailure``
    static func check(_ name: String, _ folders: Folders, isPrivate: Bool) async throws {
        let _: (_, Checked) = try await request(name, folders, isPrivate: isPrivate, onlyChecks: true)
    }

    /// The answer to a question that only fails.
    private struct Checked: WireMessage {
        func write(to json: inout JSONWriter) { json.object { _ in } }
        init(from reader: inout JSONReader) throws(JSONError) { try reader.skip() }
    }

    private static func request<Answer: WireMessage>(
        _ name: String, _ folders: Folders, isPrivate: Bool, reads: Bool = false, onlyChecks: Bool = false
    ) async throws -> (PersonalEngine, Answer) {
        if isPrivate { try PrivateSession.check() }
        let folder = EngineFolder(folders)
        let path = try place(name)
        var attempt = 0
        while true {
            attempt += 1
            let engine: PersonalEngine
            do { engine = try await PersonalEngine.use(folder) } catch let problem as EngineFolder.Unwritable {
                guard reads else { throw problem.failure }
                let reading = try ReadingFolder(of: folder, for: path)
                do { engine = try await PersonalEngine.use(reading.engine, reading: reading) } catch {
                    reading.remove()
                    throw error
                }
            }
            do {
                let answer: Answer = try await engine.ask("open", as: path) { seen, _ in
                    FileOpening(path: path, isPrivate: isPrivate, onlyChecks: onlyChecks, seen: seen)
                }
                return (engine, answer)
            } catch let refusal as EngineRefusal {
                let isMissing = refusal.problem == .missing
                let reason = isMissing ? missing(name) : refusal.reason ?? refusal.message
                // Changes to it may be kept all the same.
                let damage = isMissing ? OwnFileList(folders).failure(about: name) : nil
                var failure = CommandFailure("\(name.onOneLine): \(reason)" + (damage.map { "; \($0)" } ?? ""))
                failure.problem = refusal.problem
                throw failure
            } catch let failure as CommandFailure {
                // An idle engine may end between two requests, or be killed.
                guard attempt < attempts else { throw failure }
            }
        }
    }

    private static let attempts = 3

    /// Returns the absolute path of a file that another process can use.
    ///
    /// - Throws: ``CommandFailure`` if the path names something of this process only, such as `/dev/fd/3`.
    private static func place(_ name: String) throws -> String {
        let path = absolute(name)
        if let place = try? FilePlace(of: path), place.isOfThisProcess {
            throw CommandFailure(
                "\(name.onOneLine) is a name within one process only; name the file itself", .usage)
        }
        return path
    }

    /// Returns the reason why the file was not found.
    private static func missing(_ name: String) -> String {
        // Arguments are text. What was no UTF-8 in them has been replaced, so the file cannot be named any more.
        guard name.unicodeScalars.contains("\u{FFFD}") else { return "no such file" }
        return "no such file; a name that is not UTF-8 cannot be used, so rename the file"
    }

    /// The absolute path, with its symlinks.
    static func absolute(_ path: String) -> String {
        if path.begins(with: "/") { return path }
        // FileManager knows no folder whose path is longer than 1,024 bytes.
        guard let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }

    // MARK: Questions

    // All throw EngineRefusal and CommandFailure.

    private func ask(_ what: String, changes: Bool = false) async throws -> FileAnswer {
        try await engine.ask(what, FileQuestion(document: document, asksForChanges: changes))
    }

    func report() async throws -> FileReport { try await ask("state").report }

    /// Returns the records that are not in the file as they are in the layer, too.
    func changes() async throws -> (report: FileReport, [FileAnswer.Change]) {
        let answer = try await ask("state", changes: true)
        return (answer.report, answer.changes ?? [])
    }

    func token() async throws -> String? { try await ask("token").token }

    /// Gives up what is not in the file.
    func revert() async throws -> (report: FileReport, count: Int) {
        let answer = try await ask("revert")
        return (answer.report, answer.reverted ?? 0)
    }

    /// Ends a conflict as it was shown.
    func resolve(_ conflict: FileReport.Conflict, _ choice: FileResolution.Choice) async throws -> FileReport {
        let answer: FileAnswer = try await engine.ask(
            "resolve",
            FileResolution(
                document: document, id: conflict.id, choice: choice, mine: conflict.mine, theirs: conflict.theirs))
        return answer.report
    }

    /// Ends the use of the file. An engine that has ended does not have to know.
    func close() async {
        let _: ClosedFile? = try? await engine.ask("close", FileQuestion(document: document))
    }

    /// Writes what is not in the file yet.
    ///
    /// - Parameters:
    ///   - copy: a path as the person gave it; nil: the file itself.
    ///   - isForced: whether another file is replaced, or a missing one is written again.
    ///   - replacesOthers: whether root replaces the file of another account.
    /// - Throws: ``EngineRefusal``, ``CommandFailure``
    func write(
        to copy: String? = nil, isForced: Bool = false, replacesOthers: Bool = false, isCompact: Bool = false
    ) async throws -> (WrittenFile, report: FileReport) {
        let destination = try copy.map(Self.place)
        func ask(_ path: String) async throws -> FileAnswer {
            try await engine.ask("write", as: path, target: destination) { seen, target in
                FileWriting(
                    document: document, copy: destination, seen: seen, target: target,
                    mask: FileMask.current, isForced: isForced, replacesOthers: replacesOthers,
                    isCompact: isCompact)
            }
        }
        let answer: FileAnswer
        do { answer = try await ask(path) } catch let refusal as EngineRefusal {
            // Another window may have opened it where it is now.
            guard refusal.problem == .otherFile, case let now = try await report().path, !now.isExactly(path)
            else { throw refusal }
            answer = try await ask(now)
        }
        guard let written = answer.written else { throw CommandFailure("the engine's answer cannot be read") }
        return (written, answer.report)
    }
}

extension FileReport.Conflict {
    var sides: Conflict.Sides { Conflict.Sides(mine: mine?.content, theirs: theirs?.content) }

    /// Why it waits for a choice.
    var reason: String {
        guard let daysLeft else { return "another program changed it in the file" }
        return
            "\(theirs == nil ? "not in" : "another version in") the new file, whose program may not have seen it; "
            + "\(Wording.count(daysLeft, "day")) left to choose"
    }
}

extension FileReport {
    /// The path of the file, or of a copy of it as it was if it is missing.
    var pdf: String { isMissing ? copy ?? path : path }

    var pages: ShownPages.File { ShownPages.File(version: version, pagesSince: pagesSince) }

    var lostMarks: [App.LostMark] {
        lost.map {
            App.LostMark(id: $0.id, kind: AnnotationKind(type: $0.type), pageIndex: $0.pageIndex, words: $0.words)
        }
    }

    /// What the last merge brought.
    var merge: FileMerge {
        FileMerge(
            added: merged.added, changed: merged.changed, deleted: merged.deleted, conflicts: merged.conflicts,
            lostMarks: merged.lostMarks, hasNewPages: merged.hasNewPages)
    }
}

extension WrittenFile {
    /// What a PDF cannot hold, one phrase for each kind.
    var leftOut: [String] { left?.split(scalar: ",").map { String($0).trimmed } ?? [] }

    private static let maxLost = 20

    /// What else the person should know, in sentences.
    func remarks(_ name: String, _ report: FileReport) -> [String] {
        var remarks: [String] = []
        if merged > 0 { remarks.append("merged \(Wording.count(merged, "change")) of another program") }
        if conflicts > 0 {
            remarks.append(
                "\(Wording.count(conflicts, "annotation")) not written: another program changed "
                    + "\(conflicts == 1 ? "it" : "them") too; choose with postilla conflicts --pdf \(name.shellWord)")
        }
        remarks += report.lostMarks.prefix(Self.maxLost).map(\.sentence)
        if report.lost.count > Self.maxLost { remarks.append("and \(report.lost.count - Self.maxLost) more marks") }
        if let left { remarks.append("a PDF cannot hold \(left); kept, not in the file") }
        if let phrase = LeftOut.phrase(groups: groups) { remarks.append("a PDF cannot hold \(phrase)") }
        for item in unwritten.prefix(Self.maxLost) {
            remarks.append("annotation \(item.id.escapingInvisible) not written, and kept: \(item.why)")
        }
        if unwritten.count > Self.maxLost { remarks.append("and \(unwritten.count - Self.maxLost) more not written") }
        if otherNames > 0 {
            let verb = otherNames == 1 ? "has" : "have"
            remarks.append("the file's \(Wording.count(otherNames, "other name")) still \(verb) the old contents")
        }
        if breaksSignature { remarks.append("the signature is not valid in this copy") }
        if holdsDeleted {
            remarks.append("the file still contains what was deleted; postilla write --compact removes it")
        }
        return remarks
    }
}

/// Words that several commands use.
enum Wording {
    /// `3 changes`
    static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}

extension LostMark {
    /// `highlight 01HV… on page 2 was at “some words”, which the text does not have any more`
    var sentence: String {
        let page = pageIndex.map { " on page \($0 + 1)" } ?? ""
        let place =
            words.isEmpty
            ? "has lost its place in the text"
            : "was at “\(words.prefix(scalars: 60))”, which is not in the text any more"
        return "\(kind.name) \(id)\(page) \(place)"
    }
}

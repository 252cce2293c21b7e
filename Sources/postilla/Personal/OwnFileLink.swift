import Annotations
import App
import DocumentEngine
import FoundationEssentials
import Glibc
import Interchange
import PDFPages

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
    ) async throws -> (link: OwnFileLink, state: OwnFileReport) {
        let (engine, answer) = try await request(name, folders, isPrivate: isPrivate, reads: reads)
        guard let report = OwnFileReport(answer) else { throw CommandFailure("the engine's answer cannot be read") }
        let link = OwnFileLink(engine: engine, document: report.document, name: name, path: report.path)
        return (link, report)
    }

    /// Fails as opening would if the file is open otherwise, without opening it.
    ///
    /// - Throws: ``CommandFailure``
    static func check(_ name: String, _ folders: Folders, isPrivate: Bool) async throws {
        _ = try await request(name, folders, isPrivate: isPrivate, onlyChecks: true)
    }

    private static func request(
        _ name: String, _ folders: Folders, isPrivate: Bool, reads: Bool = false, onlyChecks: Bool = false
    ) async throws -> (PersonalEngine, JSON) {
        if isPrivate { try PrivateSession.check() }
        let folder = EngineFolder(folders)
        let path = try place(name)
        var body = JSONObject()
        body["path"] = .string(path)
        body["private"] = .bool(isPrivate)
        if onlyChecks { body["check"] = true }
        var (engine, answer) = (PersonalEngine(place: EnginePlace(runtime: "")), JSON.null)
        for attempt in 1...3 {
            do { engine = try await PersonalEngine.use(folder) } catch let problem as EngineFolder.Unwritable {
                guard reads else { throw problem.failure }
                let reading = try ReadingFolder(of: folder, for: path)
                do { engine = try await PersonalEngine.use(reading.engine, reading: reading) } catch {
                    reading.remove()
                    throw error
                }
            }
            do {
                answer = try await engine.ask(.POST, "open", body, as: path)
                break
            } catch let refusal as EngineRefusal {
                let reason = refusal.problem == "missing" ? missing(name) : refusal.reason ?? refusal.message
                // Changes to it may be kept all the same.
                let damage = refusal.problem == "missing" ? OwnFileList(folders).failure(about: name) : nil
                throw CommandFailure("\(name.onOneLine): \(reason)" + (damage.map { "; \($0)" } ?? ""))
            } catch let failure as CommandFailure {
                // An idle engine may end between two requests, or be killed.
                guard attempt < 3 else { throw failure }
            }
        }
        return (engine, answer)
    }

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

    /// Asks the engine something about the file.
    ///
    /// - Throws: ``EngineRefusal``, ``CommandFailure``
    @discardableResult
    func ask(_ what: String, _ more: JSONObject = JSONObject()) async throws -> (report: OwnFileReport?, JSON) {
        var body = more
        body["document"] = .string(document)
        let answer = try await engine.ask(.POST, what, body)
        return (OwnFileReport(answer), answer)
    }

    func token() async throws -> String? { try await ask("token").report?.token }

    /// Writes what is not in the file yet.
    ///
    /// - Parameters:
    ///   - copy: a path as the person gave it; nil: the file itself.
    ///   - isForced: whether another file is replaced, or a missing one is written again.
    ///   - replacesOthers: whether root replaces the file of another account.
    /// - Throws: ``EngineRefusal``, ``CommandFailure``
    func write(
        to copy: String? = nil, isForced: Bool = false, replacesOthers: Bool = false, isCompact: Bool = false
    ) async throws -> OwnFileWritten {
        var body = JSONObject()
        let target = try copy.map(Self.place)
        body["to"] = target.map(JSON.string)
        body["umask"] = .number(JSONNumber(Int64(FileMask.current)))
        body["force"] = .bool(isForced)
        body["others"] = .bool(replacesOthers)
        body["compact"] = .bool(isCompact)
        body["document"] = .string(document)
        let answer: JSON
        do { answer = try await engine.ask(.POST, "write", body, as: path, target: target) } catch let refusal
            as EngineRefusal
        {
            // Another window may have opened it where it is now.
            guard refusal.problem.isExactly("other_file"), let now = try await ask("state").report?.path,
                !now.isExactly(path)
            else { throw refusal }
            answer = try await engine.ask(.POST, "write", body, as: now, target: target)
        }
        let report = OwnFileReport(answer)
        guard let report, let written = OwnFileWritten(answer["written"], report) else {
            throw CommandFailure("the engine's answer cannot be read")
        }
        return written
    }
}

/// What the engine says of a file.
struct OwnFileReport: Hashable, Sendable {
    struct Conflict: Hashable, Sendable {
        var id: Record.ID
        var base: Record?
        /// nil: deleted.
        var mine: Record?
        var theirs: Record?
        /// Days until the file's version counts, if a program has rewritten the file without having seen this record.
        var daysLeft: Int?

        /// Why it waits for a choice.
        var reason: String {
            guard let daysLeft else { return "another program changed it in the file" }
            return
                "\(theirs == nil ? "not in" : "another version in") the new file, whose program may not have seen it; "
                + "\(OwnFileWritten.count(daysLeft, "day")) left to choose"
        }
    }

    var document: String
    var path: String
    var token: String?
    var unwritten: Int
    var isMissing: Bool
    var isPrivate: Bool
    /// Why the file cannot be read now; nil: it can, or is missing.
    var problem: String?
    /// Where the file was before, if it was found at another path.
    var movedFrom: String?
    /// A copy of a missing file, as it was.
    var base: String?
    var conflicts: [Conflict]
    /// The marks whose words the file's text does not have any more.
    var lost: [LostMark] = []
    /// What is kept for the file and cannot be read.
    var damaged: [OwnFileDamage] = []
    /// How many windows have the file open.
    var windows = 1
    /// How often the engine has merged the file.
    var merges = 0
    var pages = ShownPages.File(version: "", pagesSince: "")
    /// What the last merge brought.
    var merged = FileMerge()

    init?(_ json: JSON) {
        guard let document = json["document"]?.string, let path = json["path"]?.string,
            let unwritten = json["unwritten"]?.integer
        else { return nil }
        (self.document, self.path, self.unwritten) = (document, path, Int(unwritten))
        token = json["token"]?.string
        isMissing = json["missing"]?.bool == true
        isPrivate = json["private"]?.bool == true
        problem = json["problem"]?.string
        movedFrom = json["movedFrom"]?.string
        base = json["base"]?.string
        damaged = (json["damaged"]?.array ?? []).compactMap { OwnFileDamage($0) }
        windows = Int(json["windows"]?.integer ?? 1)
        merges = Int(json["merges"]?.integer ?? 0)
        pages = ShownPages.File(
            version: json["version"]?.string ?? "", pagesSince: json["pagesSince"]?.string ?? "")
        if let found = json["merged"] {
            func count(_ key: String) -> Int { Int(found[key]?.integer ?? 0) }
            merged = FileMerge(
                added: count("added"), changed: count("changed"), deleted: count("deleted"),
                conflicts: count("conflicts"), lostMarks: count("lostMarks"),
                hasNewPages: found["newPages"]?.bool == true)
        }
        lost = (json["lost"]?.array ?? []).compactMap { mark in
            guard let id = mark["id"]?.string else { return nil }
            return LostMark(
                id: id, kind: AnnotationKind(type: mark["type"]?.string ?? ""),
                pageIndex: mark["pageIndex"]?.integer.flatMap { Int(exactly: $0) }, words: mark["words"]?.string ?? "")
        }
        conflicts = (json["conflicts"]?.array ?? []).compactMap { entry in
            guard let id = entry["id"]?.string else { return nil }
            return Conflict(
                id: id, base: Record(json: entry["base"]), mine: Record(json: entry["mine"]),
                theirs: Record(json: entry["theirs"]), daysLeft: entry["daysLeft"]?.integer.map { Int($0) })
        }
    }
}

extension Record {
    /// Reads what the engine says of a file; nil for anything else.
    init?(json: JSON?) {
        guard let json, let id = json["id"]?.string, let content = json["content"]?.object else { return nil }
        self.init(
            id: id, content: Content(content), createdBy: json["createdBy"]?.string,
            updatedBy: json["updatedBy"]?.string, group: json["group"]?.string)
    }
}

/// What writing a file has done.
struct OwnFileWritten: Sendable {
    /// After links.
    var path: String
    var records: Int
    var conflicts: Int
    /// What a PDF cannot hold, such as `1 sound`.
    var left: String?
    /// How many records were written without their groups, which a PDF cannot hold.
    var groups: Int
    var merged: Int
    var otherNames: Int
    var isRewritten: Bool
    var holdsDeleted: Bool
    /// Whether a signature is not valid in the copy.
    var breaksSignature: Bool
    /// The records that could not be written as they are, with the reason.
    var unwritten: [(id: Record.ID, why: String)]
    var report: OwnFileReport

    init?(_ json: JSON?, _ report: OwnFileReport) {
        guard let json, let path = json["path"]?.string, let records = json["records"]?.integer else { return nil }
        self.path = path
        self.records = Int(records)
        conflicts = Int(json["conflicts"]?.integer ?? 0)
        left = json["left"]?.string
        groups = Int(json["groups"]?.integer ?? 0)
        merged = Int(json["merged"]?.integer ?? 0)
        otherNames = Int(json["otherNames"]?.integer ?? 0)
        isRewritten = json["rewritten"]?.bool == true
        holdsDeleted = json["holdsDeleted"]?.bool == true
        breaksSignature = json["breaksSignature"]?.bool == true
        unwritten = (json["unwritten"]?.array ?? []).compactMap { item in
            item["id"]?.string.map { ($0, item["why"]?.string ?? "") }
        }
        self.report = report
    }

    /// Whether the file itself was written, not a copy.
    var isOwnFile: Bool { path.isExactly(report.path) }

    /// What a PDF cannot hold, one phrase for each kind.
    var leftOut: [String] { left?.split(scalar: ",").map { String($0).trimmed } ?? [] }

    private static let maxLost = 20

    /// What else the person should know, in sentences.
    func remarks(_ name: String) -> [String] {
        var remarks: [String] = []
        if merged > 0 { remarks.append("merged \(Self.count(merged, "change")) of another program") }
        if conflicts > 0 {
            remarks.append(
                "\(Self.count(conflicts, "annotation")) not written: another program changed "
                    + "\(conflicts == 1 ? "it" : "them") too; choose with postilla conflicts --pdf \(name.shellWord)")
        }
        remarks += report.lost.prefix(Self.maxLost).map(\.sentence)
        if report.lost.count > Self.maxLost { remarks.append("and \(report.lost.count - Self.maxLost) more marks") }
        if let left { remarks.append("a PDF cannot hold \(left); kept, not in the file") }
        if let phrase = LeftOut.phrase(groups: groups) { remarks.append("a PDF cannot hold \(phrase)") }
        for item in unwritten.prefix(Self.maxLost) {
            remarks.append("annotation \(item.id.escapingInvisible) not written, and kept: \(item.why)")
        }
        if unwritten.count > Self.maxLost { remarks.append("and \(unwritten.count - Self.maxLost) more not written") }
        if otherNames > 0 {
            let verb = otherNames == 1 ? "has" : "have"
            remarks.append("the file's \(Self.count(otherNames, "other name")) still \(verb) the old contents")
        }
        if breaksSignature { remarks.append("the signature is not valid in this copy") }
        if holdsDeleted {
            remarks.append("the file still contains what was deleted; postilla write --compact removes it")
        }
        return remarks
    }

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

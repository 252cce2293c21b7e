import Annotations
import FileCore
import Foundation
import Glibc
import PDFPages
import TestSupport

@testable import DocumentEngine

/// A PDF on a real disk with the real core, whose effects ``FileWork`` performs. Its database is in memory.
final class LocalFileScene {
    typealias Core = LocalFileCore

    let folder: TemporaryFolder
    /// Of the folder, without links.
    let root: String
    let path: String
    let work: FileWork
    let copies: KeptCopy
    var core: Core
    var now = Timestamp(seconds: 1_000_000)

    /// The database: what is not a row, and the rows.
    private(set) var meta = LocalFileState()
    private(set) var rows: [ByteOrdered: LocalFileState.Row] = [:]
    private var frames: [PageFrame] = []
    private var exists = false

    private(set) var answers: [Core.Caller: Core.Answer] = [:]
    private(set) var news = FileNews()
    /// What the last effects have told besides.
    private(set) var details: FileWork.Details?
    private(set) var error: OwnFileError?
    private(set) var looked: FileWork.Looked?
    var order = FileWork.Order()
    /// The engine is killed before an effect for which this is true.
    var isKilled: (Core.Effect) -> Bool = { _ in false }
    private var lastCaller = 0

    static let note = "<</Type/Annot/Subtype/Text/Rect[100 700 120 720]/Contents(first)/NM(the-first-of-all-notes)>>"

    /// - Parameter disk: the folder of the file; nil: a temporary one.
    init(
        _ annotations: [String] = [note], words: String = "Word", file: String = "paper.pdf", on disk: String? = nil
    ) throws {
        folder = try TemporaryFolder()
        let real = realpath(folder.path, nil).map { String(cString: $0) } ?? folder.path
        root = disk ?? real
        path = root + "/" + file
        copies = KeptCopy(data: real + "/data", runtime: real + "/run")
        try FileManager.default.createDirectory(atPath: real + "/scratch", withIntermediateDirectories: true)
        let name = "01J5Z3V6S8Q4T2W0X9Y7A1B3C5"
        work = FileWork(name: name, setup: .init(tools: PDFTools(), work: nil, scratchFolder: real + "/scratch"))
        core = Core(path: path, name: name, policy: work.matching)
        try replace(SmallPDF(annotations: annotations, word: words).bytes)
    }

    // MARK: The file

    var bytes: [UInt8] { (try? Data(contentsOf: URL(filePath: path))).map { Array($0) } ?? [] }

    /// As an editor saves: by another file.
    func replace(_ bytes: [UInt8]) throws {
        let other = root + "/~"
        try Data(bytes).write(to: URL(filePath: other))
        guard rename(other, path) == 0 else { throw OwnFileError.failed(errno) }
    }

    /// As another program that appends.
    func append(_ id: Record.ID, _ text: String) async throws {
        try await foreign { annotated in
            for record in annotated.records { _ = annotated.keep(record.id) }
            _ = try annotated.add(Self.note(id, text))
        }
    }

    /// As another program that changes annotations; what it does not keep is removed.
    func foreign(of source: [UInt8]? = nil, _ change: (inout AnnotatedPDF) throws -> Void) async throws {
        let (from, to, notes) = (path + ".from", path + ".to", path + ".notes")
        try Data(source ?? bytes).write(to: URL(filePath: from))
        for file in [to, notes] { try Data().write(to: URL(filePath: file)) }
        try await PDFTools().annotate(from, into: to, notes: notes) { try change(&$0) }
        let new = try Data(contentsOf: URL(filePath: to))
        for file in [from, to, notes] { unlink(file) }
        try replace(Array(new))
    }

    func texts(at path: String? = nil) async throws -> [String] {
        try await PDFTools().annotations(of: path ?? self.path).records.map { Annotation($0).text }.sorted()
    }

    /// The files in the folder that should not be there.
    var hidden: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return names.filter { $0.hasSuffix(".postilla") }
    }

    // MARK: The layer

    static func note(_ id: Record.ID, _ text: String, y: Int = 72) -> Record {
        let source = #"{"type":"pspdfkit/note","v":1,"pageIndex":0,"bbox":[72,\#(y),32,32],"text":"\#(text)"}"#
        return Record(id: id, content: Content(checked: source))
    }

    var layer: [String: String] {
        var texts: [String: String] = [:]
        for (id, row) in rows { if let local = row.local { texts[id.text] = Annotation(local).text } }
        return texts
    }

    func record(_ id: Record.ID) -> Record? { rows[ByteOrdered(id)]?.local }

    var unwritten: Int { core.state.unwritten }

    // MARK: What people do

    @discardableResult
    func open() async throws -> Core.Answer? {
        try await ask { .opened($0, FileUser(pid: 1, start: 1), isPrivate: false) }
    }

    func edit(_ id: Record.ID, _ text: String?) async throws {
        var record = text.map { Self.note(id, $0) }
        if let text, let known = rows[ByteOrdered(id)]?.local {
            record = known
            record?.content = known.content.changing { $0["text"] = .string(text) }
        }
        let synced = rows[ByteOrdered(id)].map { [ByteOrdered(id): $0] } ?? [:]
        try await ask { .pushed($0, [Core.Edit(id: id, record: record)], synced: synced) }
    }

    @discardableResult
    func write(_ order: Core.WriteOrder = .init()) async throws -> Core.Answer? {
        try await ask { .writeAsked($0, order) }
    }

    @discardableResult
    func look() async throws -> FileNews {
        news = FileNews()
        try await send(.changedOnDisk)
        return news
    }

    @discardableResult
    private func ask(_ input: (Core.Caller) -> Core.Input) async throws -> Core.Answer? {
        lastCaller += 1
        let caller = lastCaller
        try await send(input(caller))
        return answers[caller]
    }

    // MARK: The engine

    /// Another engine begins with what is in the database.
    func restart() async throws {
        isKilled = { _ in false }
        core = Core(path: path, name: work.name, policy: work.matching)
        var state = meta
        for (id, row) in rows where meta.isNeeded(id, row) { state.apply(.row(id, row)) }
        try await send(.started(exists ? state : nil, .data, alive: []))
        try await open()
    }

    func send(_ input: Core.Input) async throws {
        var inputs = [input]
        while !inputs.isEmpty {
            for effect in core.handle(inputs.removeFirst(), now: now) {
                if isKilled(effect) { return }
                if let input = try await perform(effect) { inputs.append(input) }
            }
        }
    }

    private func perform(_ effect: Core.Effect) async throws -> Core.Input? {
        switch effect {
        case .look(let ticket, let known):
            let written = rows.filter(\.value.isWritten)
            let context = FileWork.LookContext(copies: copies, frames: frames, synced: { written })
            let looked = await work.look(at: path, known: known, context)
            if let contents = looked.contents { frames = contents.frames }
            (self.looked, error) = (looked, looked.error)
            return .looked(ticket, looked.look, beside: looked.beside)
        case .store(let ticket, let changes, let place):
            try store(changes, place)
            return .stored(ticket)
        case .prepare(let ticket, let plan):
            let made = await work.prepare(plan, at: path, bases: bases, order, context)
            (details, error) = (made.details, made.error)
            return .prepared(ticket, made.prepared)
        case .copy(let ticket, let plan, let target, let isForced):
            let made = await work.copy(plan, of: path, to: target, isForced: isForced, bases: bases, order, context)
            (details, error) = (made.details, made.error)
            return .copied(ticket, made.prepared)
        case .exchange(let ticket, let intent, let expected):
            let (exchange, error) = await work.exchange(intent, replacing: expected, at: path)
            self.error = error
            return .exchanged(ticket, exchange)
        case .putBack(let ticket, let intent): return .exchanged(ticket, await work.putBack(intent, at: path).0)
        case .inspect(let ticket, let intent): return .inspected(ticket, await work.inspect(intent, at: path).0)
        case .remove(let ticket, let paths): return .removed(ticket, isGone: await work.remove(paths))
        case .forget(let ticket):
            (meta, rows, exists) = (LocalFileState(), [:], false)
            return .forgotten(ticket, true)
        case .removeEarlier: return nil
        case .publish(let news):
            self.news = news
            return nil
        case .answer(let caller, let answer):
            answers[caller] = answer
            return nil
        }
    }

    private var bases: [Record] { rows.sorted { $0.key < $1.key }.compactMap(\.value.base) }
    private var context: FileWork.WriteContext { .init(copies: copies, frames: frames) }

    private func store(_ changes: [LocalFileState.Change], _ place: Core.Place) throws {
        exists = true
        for change in changes {
            if case .row(let id, let row) = change {
                rows[id] = row == LocalFileState.Row() ? nil : row
            } else {
                meta.apply(change)
            }
        }
        guard let version = meta.version?.contents else { return }
        try copies.keep(version, of: path, in: place, hasMarks: true)
        copies.dropOthers(than: version, in: place)
    }
}

extension LocalFileCore.Answer {
    /// How many records were written; nil: it is another answer.
    var records: Int? {
        if case .written(let written) = self { written.records } else { nil }
    }
}

/// True once.
final class Once: @unchecked Sendable {
    private let lock = NSLock()
    private var isOver = false

    var isFirst: Bool {
        lock.withLock {
            defer { isOver = true }
            return !isOver
        }
    }
}

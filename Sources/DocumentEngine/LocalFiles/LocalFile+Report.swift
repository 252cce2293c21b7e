import Annotations
import FileCore
import SyncProtocol

extension LocalFile {
    /// What is known of the file now. Looks at nothing on the disk of the file, which may not answer, but blocks briefly.
    ///
    /// - Parameter damage: what is kept and cannot be read.
    func report(damage: [DamagedKeptFile]) -> FileReport {
        let (state, news, windows, processes, disk, number) = inner.withLock {
            ($0.core.state, $0.news, $0.core.windows, $0.core.processes.count, $0.disk, $0.number)
        }
        var report = FileReport(
            document: document, path: path, version: state.version?.text ?? "", pagesSince: news.pagesSince,
            isPrivate: state.isPrivate, unwritten: state.unwritten, isMissing: disk.isMissing, windows: windows,
            processes: processes)
        report.number = number
        report.isSilent = disk.isSilent
        report.problem = news.problem
        switch news.origin {
        case .here: break
        case .movedFrom(let path): report.movedFrom = path
        case .twin(let path): report.twin = path
        }
        if disk.isMissing { report.copy = state.version.flatMap { copies.path(of: $0.contents) } }
        report.damaged = damage.map { FileReport.Damage(path: $0.path, problem: $0.problem, file: $0.pdf) }
        report.merges = news.merges
        report.merged = FileReport.Merged(news.merged)
        report.lost = lost(state)
        report.conflicts = state.conflicts.sorted { $0.key < $1.key }.map { id, conflict in
            let sides = state.sides(of: id)
            return FileReport.Conflict(
                id: id.text, base: conflict.base, mine: sides?.local, theirs: sides?.remote,
                daysLeft: conflict.daysLeft, further: conflict.further)
        }
        return report
    }

    /// The marks without their words, in the order of their pages.
    private func lost(_ state: LocalFileState) -> [FileReport.LostMark] {
        guard !state.lost.isEmpty else { return [] }
        let written = state.lost.keys.filter { state.rows[$0] == nil }
        let rows = (try? store.read { try FileTables($0).rows(written) }) ?? [:]
        return state.lost.compactMap { id, mark in
            guard let record = (state.rows[id] ?? rows[id])?.local, mark.isStill(record) else { return nil }
            return FileReport.LostMark(
                id: record.id, type: record.content["type"]?.string ?? "",
                pageIndex: record.content["pageIndex"]?.integer.flatMap { Int(exactly: $0) },
                words: mark.words.joined(separator: " "))
        }.sorted { ($0.pageIndex ?? -1, $0.id) < ($1.pageIndex ?? -1, $1.id) }
    }

    /// The records that are not in the file as they are in the layer.
    var changes: [FileAnswer.Change] {
        let state = state
        return state.rows.filter { !$0.value.isWritten || state.conflicts[$0.key] != nil }
            .sorted { $0.key < $1.key }
            .map { FileAnswer.Change(id: $0.key.text, base: $0.value.base, mine: $0.value.local) }
    }
}

extension FileReport.Merged {
    fileprivate init(_ merged: LocalFile.Merged) {
        self.init()
        (added, changed, deleted) = (merged.news.added, merged.news.changed, merged.news.deleted)
        (conflicts, lostMarks) = (merged.news.conflicts, merged.lostMarks)
        hasNewPages = merged.hasNewPages
    }
}

extension WrittenFile {
    init(_ written: LocalFile.Written) {
        let (details, news) = (written.details, written.merged)
        self.init(path: details.path, records: written.records)
        conflicts = written.conflicts
        left = details.left.text
        groups = details.groups
        merged = news.added + news.changed + news.deleted
        otherNames = details.otherNames
        isRewritten = details.isRewritten
        holdsDeleted = details.holdsDeleted
        breaksSignature = details.breaksSignature
        unwritten = details.unwritten.map { Left(id: $0.id, why: $0.why) }
    }
}

import Annotations
import Authorization
import EngineCore
import SyncProtocol

/// An independent check of one server commit: permissions, order and cascades.
struct Audit {
    let book: Chronicle
    let rights: Rights
    let client: String
    let commit: Commit
    /// Changes decided in this commit, with their answers; repeated answers are excluded.
    let fresh: [(change: Change, result: ChangeResult)]
    /// Files that were uploaded in this layer.
    let uploads: Set<SentFile>

    func check() throws {
        try checkNumbers()
        for record in commit.records {
            try check(record)
            try checkThread(of: record)
            try checkFile(of: record)
        }
        for (change, result) in fresh { try check(change, result) }
    }

    private func checkNumbers() throws {
        try require(rights.reads && rights.writes, "a push was accepted without the right to write")
        var seen: Set<Revision> = []
        for record in commit.records {
            try require(
                record.revision > book.head && record.revision <= commit.layer.head
                    && seen.insert(record.revision).inserted, "revision \(record.revision) was assigned twice or late")
        }
    }

    private func applied(_ id: Record.ID) -> [Change] {
        fresh.filter { $0.change.id == id && $0.result.status == .applied }.map(\.change)
    }

    // MARK: What was written

    private func check(_ new: EngineCore.ServerRecord) throws {
        let old = book.known(new.id)
        if let old {
            try require(old.record.createdBy == new.record.createdBy, "the creator of \(new.id) changed")
        }
        if let change = applied(new.id).last {
            switch (change.kind, new.isLive) {
            case (.create, true): return try checkCreated(new, change)
            case (.update, true): return try checkUpdated(new, old, change)
            case (.restore, true): return try checkRestored(new, old)
            // The root was deleted with its last comment: the comment's delete was based on a newer state of the root
            // than this delete.
            case (.delete, false) where new.removal?.cascade != nil && wentAlong(new, old ?? new): return
            case (.delete, false): return try checkDeleted(new, old, change)
            // Caused by another change in the request, as part of a thread.
            case (.create, false), (.update, false), (.restore, false), (.delete, true): break
            }
        }
        try require(
            new.isLive ? cameAlong(new, old) : wentAlong(new, old ?? new),
            "no change explains the new state of \(new.id)")
    }

    private func checkCreated(_ new: EngineCore.ServerRecord, _ change: Change) throws {
        try require(book.known(new.id) == nil, "\(new.id) was created over another record")
        try require(new.record.createdBy == rights.user, "\(new.id) was created under another name")
        try require(new.record.group == change.group, "\(new.id) is not in the group it was created in")
        try require(
            rights.mayPlace(new.contentType, in: change.group), "\(new.id) was created in a group without the right to")
        guard let rootID = new.rootID else { return }
        guard let root = book.known(rootID) ?? commit.records.first(where: { $0.id == rootID }) else {
            throw Violation("\(new.id) replies to nothing")
        }
        let isFirst = !remains(in: rootID)
        try require(rights.mayReply(to: root.subject, isFirst: isFirst), "the reply \(new.id) was not allowed")
        try require(rights.sees(root.subject), "\(new.id) replies to a root that its writer may not see")
    }

    private func checkUpdated(
        _ new: EngineCore.ServerRecord, _ old: EngineCore.ServerRecord?, _ change: Change
    ) throws {
        guard let old, old.isLive else { throw Violation("\(new.id) was updated but does not exist") }
        try require(rights.sees(old.subject), "\(new.id) was updated unseen")
        try require(rights.may("edit", old.subject), "\(new.id) was updated against the rules")
        if change.group != old.record.group {
            var target = old.subject
            target.group = change.group
            try require(rights.may("set-group", target), "\(new.id) was moved against the rules")
        }
        try require(
            book.isUnbroken(new.id, since: change.baseRevision, by: client), "\(new.id): someone else was first")
        try require(
            change.content.map { text($0) == text(new.record.content) } ?? false, "\(new.id) got a different text")
    }

    private func checkRestored(_ new: EngineCore.ServerRecord, _ old: EngineCore.ServerRecord?) throws {
        guard let removal = old?.removal else { throw Violation("\(new.id) was restored but was not deleted") }
        try require(removal.by == rights.user, "\(new.id) was restored by someone who had not deleted it")
    }

    private func checkDeleted(
        _ new: EngineCore.ServerRecord, _ old: EngineCore.ServerRecord?, _ change: Change
    ) throws {
        guard let old = old ?? applied(new.id).first.map({ _ in new }) else {
            throw Violation("\(new.id) was deleted but did not exist")
        }
        try require(rights.sees(old.subject), "\(new.id) was deleted unseen")
        try require(rights.may("delete", old.subject), "\(new.id) was deleted against the rules")
        try require(
            book.isUnbroken(new.id, since: change.baseRevision, by: client), "\(new.id): someone else was first")
        // A thread with newer comments by others stays. A client has seen every comment that it wrote last, because it
        // could only build on the latest state.
        let seen = change.threadRevision ?? change.baseRevision
        for comment in book.thread(of: new.id) where comment.revision > seen && applied(comment.id).isEmpty {
            try require(
                book.wroteLast(comment.id, client),
                "\(new.id) was deleted with a comment that its deleter had not seen")
        }
    }

    /// Whether it was deleted with its thread's root, or is the root of a deleted last comment.
    private func wentAlong(_ new: EngineCore.ServerRecord, _ old: EngineCore.ServerRecord) -> Bool {
        if let root = new.rootID, applied(root).contains(where: { $0.kind == .delete }) { return true }
        let last = fresh.first {
            $0.result.status == .applied && $0.change.kind == .delete && rootID($0.change.id) == new.id
        }
        guard let last, rights.may("delete", old.subject) else { return false }
        // Only a root made for the thread: not a markup, and not an annotation of the PDF.
        guard old.record.content["type"]?.string == "pspdfkit/comment-marker", book.base[new.id] == nil else {
            return false
        }
        return book.isUnbroken(
            new.id, since: max(last.change.baseRevision, last.change.threadRevision ?? 0), by: client)
            && !remains(in: new.id)
    }

    /// Whether it was restored by the cascade of another change.
    private func cameAlong(_ new: EngineCore.ServerRecord, _ old: EngineCore.ServerRecord?) -> Bool {
        guard let cascade = old?.removal?.cascade else { return false }
        return fresh.contains {
            $0.result.status == .applied && $0.change.kind == .restore
                && book.known($0.change.id)?.revision == cascade
        }
    }

    private func rootID(_ id: Record.ID) -> Record.ID? {
        (book.known(id) ?? commit.records.first { $0.id == id })?.rootID
    }

    private func remains(in root: Record.ID) -> Bool {
        book.thread(of: root).contains { comment in
            !commit.records.contains { $0.id == comment.id && !$0.isLive }
        }
    }

    /// Checks that a deleted root leaves no comments.
    private func checkThread(of root: EngineCore.ServerRecord) throws {
        guard root.contentType == .annotations, !root.isLive else { return }
        try require(!remains(in: root.id), "\(root.id) was deleted without its thread")
    }

    /// Checks that a file is referenced only by its uploader or by a user who sees a record that names it.
    private func checkFile(of new: EngineCore.ServerRecord) throws {
        guard new.isLive, let file = new.record.content.attachmentID,
            book.past(new.id).allSatisfy({ $0.record.content.attachmentID != file })
        else { return }
        let isUploaded = uploads.contains { $0.file == file && $0.user == rights.user }
        let isSeen = book.live.contains { $0.record.content.attachmentID == file && rights.sees($0.subject) }
        // Another change in the request may have restored such a record.
        let isBack = commit.records.contains {
            $0.record.content.attachmentID == file && book.known($0.id)?.isLive == false && rights.sees($0.subject)
        }
        try require(isUploaded || isSeen || isBack, "\(new.id) names a file that its writer does not have")
    }

    // MARK: What was answered

    private func check(_ change: Change, _ result: ChangeResult) throws {
        let touched = Set(commit.records.map(\.id) + commit.records.compactMap(\.rootID))
        let root = change.content?["rootId"]?.string
        // A record that another change in the same request touched differs from the book.
        if result.status != .applied, touched.contains(change.id) || root.map(touched.contains) ?? false { return }
        let old = book.known(change.id)
        let isSeen = old.map { rights.sees($0.subject) } ?? true
        switch result.status {
        case .applied:
            try require(
                touched.contains(change.id) || (change.kind == .delete && old?.isLive == false),
                "\(change.kind) of \(change.id) was answered as applied but did nothing")
        case .conflict:
            try require(isSeen, "a conflict reveals \(change.id), which is out of sight")
            try require(old != nil, "\(change.id) conflicts with nothing")
            if change.kind == .create {
                try require(isAllowed(change, old), "a denied create reveals that \(change.id) is taken")
            }
        case .denied:
            // A create looks the id up last: its denial reveals nothing about it.
            try require(isSeen || change.kind == .create, "a refusal reveals \(change.id), which is out of sight")
            try require(!isAllowed(change, old), "\(change.kind) of \(change.id) is allowed but was denied")
        case .gone:
            let isGone = old.map { !$0.isLive || !isSeen } ?? (change.kind != .create)
            let isThreadGone = root.map { book.known($0).map { !$0.isLive || !rights.sees($0.subject) } ?? true }
            try require(
                isGone || isThreadGone == true || change.kind == .restore,
                "\(change.id) was answered as gone but exists")
            if change.kind == .create, isThreadGone != true {
                try require(isAllowed(change, old), "a denied create reveals that \(change.id) is taken")
            }
        case .invalid, .gap, .mismatch: break
        }
    }

    private func isAllowed(_ change: Change, _ old: EngineCore.ServerRecord?) -> Bool {
        switch change.kind {
        case .create:
            guard let content = change.content else { return false }
            guard let rootID = content["rootId"]?.string else {
                return rights.mayPlace(.annotations, in: change.group)
            }
            guard let root = book.known(rootID) else { return false }
            return rights.mayReply(to: root.subject, isFirst: book.thread(of: rootID).isEmpty)
                && rights.mayPlace(.comments, in: change.group)
        case .update:
            guard let old else { return false }
            var target = old.subject
            target.group = change.group
            return rights.may("edit", old.subject)
                && (change.group == old.record.group || rights.may("set-group", target))
        case .delete: return old.map { rights.may("delete", $0.subject) } ?? false
        case .restore: return old?.removal.map { $0.by == rights.user && rights.user != nil } ?? false
        }
    }

    private func text(_ content: Content) -> String { Annotation(id: "", content: content).text }
}

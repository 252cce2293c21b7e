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
        for (change, result) in fresh {
            try check(change, result)
            try checkLast(change, result)
        }
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
        let group = target(of: change, nil)
        try require(new.record.group == group, "\(new.id) is not in the group it was created in")
        try require(
            rights.mayPlace(new.contentType, in: group), "\(new.id) was created in a group without the right to")
        try Remark.checkUsers(new.record.content.object, new.id)
        guard let rootID = new.rootID else { return }
        guard let root = book.known(rootID) ?? commit.records.first(where: { $0.id == rootID }) else {
            throw Violation("\(new.id) replies to nothing")
        }
        let isFirst = book.thread(of: rootID).allSatisfy { comment in
            commit.records.contains { $0.id == comment.id && !$0.isLive }
        }
        let content = new.record.content
        try require(rights.mayAdd(content, to: root.subject, isFirst: isFirst), "the reply \(new.id) was not allowed")
        try require(rights.sees(root.subject), "\(new.id) replies to a root that its writer may not see")
    }

    private func checkUpdated(
        _ new: EngineCore.ServerRecord, _ old: EngineCore.ServerRecord?, _ change: Change
    ) throws {
        // Another change in the request may have brought it back with a comment.
        guard let old, old.isLive || cameAlong(new, old) else {
            throw Violation("\(new.id) was updated but does not exist")
        }
        try require(rights.sees(old.subject), "\(new.id) was updated unseen")
        try require(
            rights.mayChange(old.record.content, old.subject), "\(new.id) was updated against the rules")
        try require(
            Remark.isState(old.record.content) == Remark.isState(new.record.content),
            "\(new.id) became a state, or was one")
        try require(
            old.contentType == new.contentType && old.rootID == new.rootID, "\(new.id) became a record of another kind")
        try Remark.checkOrigin(old.record.content, new.record.content, new.id)
        let group = target(of: change, old)
        if group != old.record.group {
            var moved = old.subject
            moved.group = group
            try require(rights.may("set-group", moved), "\(new.id) was moved against the rules")
        }
        if applied(new.id).count == 1 {
            try require(new.record.group == group, "\(new.id) is in a group that nobody asked for")
        }
        try require(
            book.isUnbroken(new.id, since: change.baseRevision, by: client), "\(new.id): someone else was first")
        try require(
            change.content.map { text($0) == text(new.record.content) } ?? false, "\(new.id) got a different text")
    }

    private func checkRestored(_ new: EngineCore.ServerRecord, _ old: EngineCore.ServerRecord?) throws {
        guard let old, let removal = old.removal else { throw Violation("\(new.id) was restored but was not deleted") }
        try require(removal.by == rights.user, "\(new.id) was restored by someone who had not deleted it")
        guard let root = new.rootID.flatMap(after), !root.isLive, rights.sees(root.subject) else { return }
        let wasThere = new.rootID.flatMap(book.known).map { $0.revision < old.revision } ?? true
        try require(
            wasThere || commit.records.contains { $0.id == root.id },
            "\(new.id) was restored although its root was deleted later")
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
        try require(
            newerComment(under: new.id, change) == nil,
            "\(new.id) was deleted with a comment that its deleter had not seen")
    }

    /// Returns a visible comment by someone else that is newer than what a deletion of the root claims to have seen. A
    /// client has seen every comment that it wrote last, because it could only build on the latest state.
    private func newerComment(under root: Record.ID, _ change: Change) -> EngineCore.ServerRecord? {
        let seen = change.threadRevision ?? change.baseRevision
        return book.thread(of: root).first { comment in
            rights.sees(comment.subject) && comment.revision > seen && applied(comment.id).isEmpty
                && !book.wroteLast(comment.id, client)
        }
    }

    /// Whether it is a visible comment that was deleted with its root, or the root of a deleted last comment.
    private func wentAlong(_ new: EngineCore.ServerRecord, _ old: EngineCore.ServerRecord) -> Bool {
        if let root = new.rootID, applied(root).contains(where: { $0.kind == .delete }) {
            return rights.sees(new.subject)
        }
        return !remains(in: new.id)
            && fresh.contains {
                $0.result.status == .applied && $0.change.kind == .delete && rootID($0.change.id) == new.id
                    && takesRoot($0.change, old)
            }
    }

    /// Whether the deletion of a last comment deletes this root: only one created for its thread, as the user saw it.
    private func takesRoot(_ change: Change, _ root: EngineCore.ServerRecord) -> Bool {
        let seen = change.threadRevision ?? change.baseRevision
        return seen >= 0 && rights.sees(root.subject) && rights.may("delete", root.subject) && isMadeForThread(root)
            && book.isUnbroken(root.id, since: seen, by: client)
    }

    /// Whether a root is a comment marker, or its first content said that it is the root of a thread. Neither counts for
    /// an annotation of the PDF.
    private func isMadeForThread(_ root: EngineCore.ServerRecord) -> Bool {
        guard book.base[root.id] == nil else { return false }
        let first = book.creation(of: root.id) ?? root
        return root.record.content["type"]?.string == "pspdfkit/comment-marker"
            || first.record.content["isCommentThreadRoot"] == true
    }

    /// Checks that the root was deleted with its last comment if the rules require it. A request that changes more of
    /// the thread is not judged.
    private func checkLast(_ change: Change, _ result: ChangeResult) throws {
        guard change.kind == .delete, result.status == .applied, let comment = book.known(change.id), comment.isLive,
            let root = comment.rootID.flatMap(book.known), root.isLive, !remains(in: root.id)
        else { return }
        let others = fresh.filter {
            $0.result.status == .applied && ($0.change.id == root.id || rootID($0.change.id) == root.id)
        }
        guard others.count == 1, takesRoot(change, root) else { return }
        try require(after(root.id)?.isLive == false, "\(root.id) outlived the last comment of its thread")
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

    private func remains(in root: Record.ID) -> Bool { !left(by: root).isEmpty }

    /// Returns the comments that are live after the commit.
    private func left(by root: Record.ID) -> [EngineCore.ServerRecord] {
        let before = book.thread(of: root).filter { comment in !commit.records.contains { $0.id == comment.id } }
        return before + commit.records.filter { $0.isLive && $0.rootID == root }
    }

    /// Returns the state of a record after the commit.
    private func after(_ id: Record.ID) -> EngineCore.ServerRecord? {
        commit.records.first { $0.id == id } ?? book.known(id)
    }

    /// Returns the group that a change requests.
    private func target(of change: Change, _ old: EngineCore.ServerRecord?) -> String? {
        if let group = change.group { return group == "" ? nil : group }
        return change.kind == .create ? rights.group : old?.record.group
    }

    /// Checks that a deleted root leaves only comments that its deleter does not see.
    private func checkThread(of root: EngineCore.ServerRecord) throws {
        guard root.contentType == .annotations, !root.isLive else { return }
        let seen = left(by: root.id).first { comment in
            // It may have been restored after its root was deleted, by someone who does not see the root.
            rights.sees(comment.subject) && !applied(comment.id).contains { $0.kind == .restore }
        }
        try require(seen == nil, "\(root.id) was deleted without its comment \(seen?.id ?? "")")
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
        // A record that another change in the same request changed differs from the chronicle.
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
            if change.kind == .delete, let old {
                try require(
                    !isBasedOnNewest(change, old) || newerComment(under: change.id, change) != nil,
                    "the conflict of \(change.id) has no reason that may be told")
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
                return rights.mayPlace(.annotations, in: target(of: change, nil))
            }
            guard let root = book.known(rootID) else { return false }
            return rights.mayAdd(content, to: root.subject, isFirst: book.thread(of: rootID).isEmpty)
                && rights.mayPlace(.comments, in: target(of: change, nil))
        case .update:
            guard let old else { return false }
            var moved = old.subject
            moved.group = target(of: change, old)
            return rights.mayChange(old.record.content, old.subject)
                && (moved.group == old.record.group || rights.may("set-group", moved))
        case .delete: return old.map { rights.may("delete", $0.subject) } ?? false
        case .restore: return old?.removal.map { $0.by == rights.user && rights.user != nil } ?? false
        }
    }

    /// Whether a change is based on the record's newest state, or on one since which only its client has written. A
    /// deletion ends that.
    private func isBasedOnNewest(_ change: Change, _ old: EngineCore.ServerRecord) -> Bool {
        if change.baseRevision == old.revision { return true }
        let isOwnSince = book.past(old.id).filter { $0.revision > change.baseRevision }.allSatisfy(\.isLive)
        return change.baseRevision < old.revision && isOwnSince
            && book.isUnbroken(old.id, since: change.baseRevision, by: client)
    }

    private func text(_ content: Content) -> String { Annotation(id: "", content: content).text }
}

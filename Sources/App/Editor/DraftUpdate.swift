import Annotations
import InstantCore

/// A sentence about a draft, told once the draft is stored.
struct DraftToTell: Equatable, Sendable {
    var key: DraftKey
    var sentence: String
    var kind: Notice.Kind

    init(_ key: DraftKey, _ sentence: String, _ kind: Notice.Kind = .done) {
        (self.key, self.sentence, self.kind) = (key, sentence, kind)
    }
}

// Drafts: texts that are not saved as edits.
extension AppState {
    /// Stores the text being written, unless it is unchanged, empty or contains a token.
    mutating func keepDraft() -> [Effect] {
        guard let editor = document?.editor, editor.isWritten, !editor.input.isEmpty,
            !TokenText.isIn(editor.input.text)
        else { return [] }
        document?.editor?.saved = editor.input.text
        document?.editor?.savedAt = now
        return keep(editor.input.text, as: editor.draftKey)
    }

    /// Makes a text a draft.
    mutating func keep(_ text: String, as key: DraftKey) -> [Effect] {
        document?.drafts[key] = text
        return store(text, as: key)
    }

    mutating func forgetDraft(_ key: DraftKey) -> [Effect] {
        document?.drafts.removeValue(forKey: key) == nil ? [] : store(nil, as: key)
    }

    /// - Parameters:
    ///   - text: nil removes the stored draft.
    ///   - id: The record that the text creates.
    mutating func store(_ text: String?, as key: DraftKey, becoming id: Record.ID? = nil) -> [Effect] {
        document?.draftsAsked += 1
        return [.saveDraft(key, text, becoming: id)]
    }

    /// What was asked of the disk is done, or has failed. Only then is a draft called kept.
    mutating func draftKept(_ key: DraftKey, _ fate: DraftFate) {
        guard let document else { return }
        self.document?.draftsAsked = max(0, document.draftsAsked - 1)
        let told = document.draftToTell.flatMap { $0.key == key ? $0 : nil }
        if told != nil { self.document?.draftToTell = nil }
        switch fate {
        case .failed where told == nil && document.drafts[key] == nil:
            // A draft whose text is saved elsewhere could not be removed: nothing is lost.
            self.document?.unkept[key] = nil
        case .failed(let why):
            let before = self.document?.unkept.updateValue(why, forKey: key)
            if told != nil || before == nil { notice = .error("Draft not kept: \(why)") }
        case .stored, .inMemory:
            // What failed before is written together with this.
            self.document?.unkept = [:]
            guard let told else { return }
            let end = fate == .inMemory ? ", until you leave: nothing of this file is written" : ""
            notice = Notice(text: told.sentence + end, kind: told.kind)
        }
    }

    /// How the draft of a closed editor is opened again.
    func wayBack(to key: DraftKey) -> String {
        if document?.isGone(key) == true { return "Draft kept in the outbox (\(keyName(of: .outbox)))" }
        if case .merge = key { return "Draft kept; \(keyName(of: .merge)) in the conflict resumes it" }
        return "Draft kept; press the same key to resume"
    }

    // MARK: Drafts without their record

    /// Requests a look at the records of all drafts, and of the text being written.
    func findGoneDrafts() -> [Effect] {
        guard let document, document.knowsRecords else { return [] }
        var keys = document.drafts.keys.filter { !$0.records.isEmpty }
        if let key = document.editor?.draftKey, !key.records.isEmpty, !keys.contains(key) { keys.append(key) }
        return keys.isEmpty ? [] : [.findGoneDrafts(keys)]
    }

    mutating func goneDraftsCame(_ gone: [DraftKey], of asked: [DraftKey]) {
        guard let document else { return }
        // What is being created is not stored yet.
        let lost = gone.filter { key in
            !key.records.contains { document.pending.applied(to: nil, $0) != nil || document.pending.isSaving($0) }
        }
        let new = lost.filter { !document.gone.contains($0) }
        self.document?.gone.subtract(asked)
        self.document?.gone.formUnion(lost)
        guard let key = new.first else { return }
        if document.editor?.draftKey == key {
            notice = .warning("What you are writing about is gone; Esc keeps your text in the outbox")
        } else if new.count == 1 {
            notice = .warning(
                "The annotation of a draft is gone; your text is in the outbox",
                hint: .init(command: .outbox, effect: "to save or drop it"))
        } else {
            notice = .warning(
                "The annotations of \(new.count) drafts are gone; your texts are in the outbox",
                hint: .init(command: .outbox, effect: "to save or drop them"))
        }
    }
}

extension DocumentState {
    /// Whether all records that exist are on this machine, so that a missing one is gone.
    fileprivate var knowsRecords: Bool { isLocal ? !isReading : status.lastSync != nil }

    /// Whether no key opens the draft any more.
    func isGone(_ key: DraftKey) -> Bool {
        if gone.contains(key) { return true }
        if let page = key.page { return pageCount.map { page >= max(1, $0) } ?? false }
        guard case .merge(let id, let versions) = key else { return false }
        // The conflict is resolved, or is one of other versions by now.
        return !outbox.items.contains { $0.id.isExactly(id) && $0.merge?.name == versions }
    }

    /// The drafts that no key opens any more, in a fixed order.
    var goneDrafts: [DraftKey] {
        guard !drafts.isEmpty else { return [] }
        return drafts.filter { isGone($0.key) }.sorted {
            ($0.key.name, $0.key.page ?? 0, ByteOrdered($0.value)) < (
                $1.key.name, $1.key.page ?? 0, ByteOrdered($1.value)
            )
        }.map(\.key)
    }

    /// Why drafts are not stored; nil if all are.
    var draftProblem: String? { unkept.values.min() }
}

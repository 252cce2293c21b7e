import Annotations
import InstantCore

// The layer's own PDF: writing it, going back to it, and what happens to it on disk.
extension AppState {
    /// Puts the changes into the layer's file or into a copy.
    ///
    /// - Parameters:
    ///   - words: `[--compact] [FILE.pdf]`, as typed.
    ///   - leaves: Whether the tab closes once everything is written.
    mutating func write(_ words: String, isForced: Bool, leaves: Bool = false) -> [Effect] {
        guard let document else { return [] }
        if let why = document.denialOfWritingFile { return only(.warning(why.asSentence)) }
        guard let write = FileWrite(words, isForced: isForced) else {
            return only(.warning("Usage: w [--compact] [FILE.pdf]"))
        }
        self.document?.offeredPath = nil
        self.document?.writesAsked += 1
        if leaves { departure = .tab }
        return [.writeFile(write)]
    }

    mutating func fileWritten(_ written: FileWritten) -> [Effect] {
        guard let document else { return [] }
        self.document?.writesAsked = max(0, document.writesAsked - 1)
        if written.form == .unchanged, let file = document.file, file.conflicts > 0 {
            stay()
            notice = .warning(
                "Nothing written: \(file.conflicts) of yours in conflict with \(file.name)",
                hint: .init(command: .outbox, effect: "to compare"))
            return []
        }
        let text = written.sentence
        notice = written.leftOut.isEmpty && written.groups == 0 ? .done(text) : .warning(text)
        if departure != nil { self.document?.writtenLast = text }
        // Leaving would lose what the file cannot hold.
        if document.file?.isPrivate == true, !written.leftOut.isEmpty { stay() }
        return []
    }

    mutating func fileRefused(_ refusal: FileRefusal) {
        let asked = document?.writesAsked ?? 0
        document?.writesAsked = max(0, asked - 1)
        stay()
        document?.offeredPath = refusal.otherPath
        refused = .file(refusal)
        notice = .error(refusal.sentence)
    }

    // MARK: Going back to the file

    mutating func askToRevert() {
        guard let document, let file = document.file else { return }
        if let why = document.denialOfReverting { return notice = .warning(why.asSentence) }
        guard file.unwritten > 0 else { return notice = .done("Nothing to revert: \(file.name) has every change") }
        prompt = Prompt(
            .confirm(.revertFile), label: "Discard \(file.unwrittenChanges) not in \(file.name)? y/N ")
    }

    mutating func fileReverted(_ count: Int) {
        // The steps led to records that no longer exist.
        document?.history.forget()
        refresh()
        notice = .done(
            "Discarded \(FileStatus.changes(count)); the annotations are those of \(document?.file?.name ?? "the file")"
        )
    }

    // MARK: The file on disk

    mutating func fileCame(_ status: FileStatus) -> [Effect] {
        guard let old = document?.file else { return [] }
        document?.file = status
        if old.conflicts != status.conflicts { document?.outbox.isStale = true }
        if old.condition != status.condition, let new = status.news(since: old.condition) { notice = new }
        if status.isPrivate, !old.isPrivate { notice = .warning(FileStatus.privateSession) }
        return releaseHeldKeys()
    }

    mutating func fileMerged(_ merge: FileMerge) {
        guard let file = document?.file else { return }
        document?.outbox.isStale = true
        let text = merge.sentence(file.name)
        notice =
            merge.conflicts > 0
            ? .warning(text, hint: .init(command: .outbox, effect: "to compare (nothing is lost)"))
            : merge.lostMarks > 0 ? .warning(text) : .done(text)
    }

    /// Lists the marks whose words the file no longer has.
    mutating func showLostMarks() {
        guard let file = document?.file, !file.lostMarks.isEmpty else {
            return notice = .done("No mark is known to have lost its words")
        }
        picker = Picker(
            "Marks whose words were not found", label: "Mark: ",
            items: file.lostMarks.map { mark in
                Picker.Item(
                    name: "\(mark.kind.name) “\(mark.words)”",
                    detail: mark.pageIndex.map { "was on page \($0 + 1)" } ?? "", choice: .record(mark.id))
            })
    }
}

extension FileWrite {
    static let compactOption = "--compact"

    /// Reads `[--compact] [FILE.pdf]`; nil if there is an unknown option. A path may contain blanks and may stand in
    /// quotation marks.
    init?(_ words: String, isForced: Bool) {
        var rest = words.trimmed
        let option = rest.prefix(whileScalar: { $0 != " " })
        let isCompact = option == Self.compactOption
        if isCompact { rest = String(rest[option.endIndex...]).trimmed }
        guard !rest.begins(with: "--") else { return nil }
        rest = rest.withoutQuotes
        self.init(copy: rest.isEmpty ? nil : rest, isForced: isForced, isCompact: isCompact)
    }
}

extension DocumentState {
    /// Why the file cannot be asked for; nil if it can. Whether it can be written, only the attempt shows.
    var denialOfWritingFile: String? {
        guard let file else { return FileDenial.onServer }
        return switch file.condition {
        case .opening: EditDenial.opening.description
        case .readOnly(let why): EditDenial.fileReadOnly(why).description
        case .ready, .writing, .merging, .silent, .missing, .unwritable: nil
        }
    }

    var denialOfReverting: String? {
        if let why = denialOfWritingFile { return why }
        return file?.condition == .missing ? "\(file?.name ?? "") is missing: there is nothing to go back to" : nil
    }
}

/// Why commands for files or for servers are unavailable.
enum FileDenial {
    static let onServer = "this layer is on a server, not in a file; postilla export writes a PDF"
    static let ownFile = "this is a file of your own, not a layer on a server"
}

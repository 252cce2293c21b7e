import Annotations
import ArgumentParser
import Instant
import InstantCore
import Interchange
import PDFPages

struct MergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge", abstract: "Merge annotated copies of a PDF.",
        discussion: """
            Merges what several people did to copies of one PDF: BASE is the original, the other files are copies of it \
            that were annotated in any program, or XFDF, FDF and Instant JSON files of their annotations. The result is \
            OUT: BASE with the annotations of all. With --into, it is the layer that the token names; BASE is then the \
            layer's PDF, and all files are copies.

            The same annotation is taken once: it has the same name (NM), or the same author, kind, place (within 1 pt) \
            and text. Changes of several people to one annotation are merged, texts word by word. Where two changed \
            the same words, the text of the earlier file stays, and the other one becomes a reply to it. Other members \
            that contradict each other, such as colours, stay as in the earlier file and are listed. An annotation that \
            one deleted and another changed or answered stays.

            A deletion counts only in a PDF that continues the bytes of BASE or of another copy. What is missing in any \
            other file is kept and listed, because programs and formats drop annotations. A copy of another edition of \
            the text is aligned by its words: marks are moved to the same words, and those without any are listed.

            --author NAME=FILE gives the annotations that FILE adds an author if they have none; those with an author \
            keep it. A reply made of a text of FILE gets this author too. With --into, the server may set the author.

            Merging the same files into the result again changes nothing. OUT keeps the bytes of BASE, and so its \
            signatures; where a signature forbids it, nothing is written. A file that exists is replaced only with \
            --force, in one step.

            Prints a line for each change: {"id","action":"create|update|delete|conflict|missing|skip|incomplete",\
            "file","reason"?,"members"?,"kept"?,"other"?,"replies"?,"status"?}, and a summary of each file on standard \
            error.

            Exit codes: 4 a change to the layer was denied, 6 there are conflicts (the result is written), 1 a part of \
            a file cannot be merged (the rest is), or a file cannot be read (nothing is written).

            Examples:
              postilla merge paper.pdf ana.pdf ben.xfdf -o reviewed.pdf
              postilla merge paper.pdf scan1.pdf --author 'Ana=scan1.pdf' -o reviewed.pdf --dry-run
              postilla merge ana.pdf ben.pdf --into
            """)

    @Argument(
        help: ArgumentHelp("BASE and its copies; with --into, only copies.", valueName: "file"), completion: .file())
    var files: [String]

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Write the result to this new PDF.", valueName: "file"),
        completion: .file(extensions: ["pdf"]))
    var output: String?

    @Flag(help: "Merge into the layer that the token names.")
    var into = false

    @Option(
        help: ArgumentHelp("Author of what a file adds without one; can be repeated.", valueName: "name=file"))
    var author: [String] = []

    @Flag(help: "Report the changes without making any.")
    var dryRun = false

    @Flag(help: "Replace OUT if it exists, even if it is one of the files.")
    var force = false

    @OptionGroup var listing: ListingOptions
    @OptionGroup var layer: LayerOptions

    func validate() throws {
        guard into || output != nil || dryRun else {
            throw ValidationError("No place for the result. Use -o FILE, or --into for a layer.")
        }
        guard !into || output == nil else { throw ValidationError("Use either -o FILE or --into, not both.") }
        guard into || files.count > 1 else {
            throw ValidationError("Nothing to merge. Name the original and at least one copy.")
        }
        guard files.filter({ $0 == "-" }).count <= 1, into || files.first != "-" else {
            throw ValidationError("Only one copy can be standard input.")
        }
        _ = try authors()
    }

    func run() async throws {
        if into { return try await mergeIntoLayer() }
        let copies = Array(files.dropFirst())
        try checkOutput()
        let document = try await MergeDocument(reading: files[0])
        let read = try await read(copies, into: document)
        var merge = CopyMerge(document.records, pages: document.frames, writesPDF: true)
        for file in read { merge.add(file.copy) }
        var result = MergedPDF(document, read, merge)
        if !dryRun, let output { try await result.write(to: output, isForced: force) }
        let unwritten = Dictionary(result.unwritten.map { (ByteOrdered($0.id), $0.why) }) { first, _ in first }
        try report(merge, read, result.problems) { record in
            unwritten[ByteOrdered(record.id)].map { .invalid("not written: \($0)") }
        }
        // Some have no row in the report, such as an annotation of which a copy has the same part.
        let told = Set(merge.entries.map { ByteOrdered($0.record.id) })
        try Unwritten.fail(result.unwritten.filter { !told.contains(ByteOrdered($0.id)) }, in: output ?? files[0])
    }

    private func mergeIntoLayer() async throws {
        let session = try await LayerSession.open(layer)
        try await session.synchronize()
        do {
            let target = try LayerMerge(session.descriptor)
            let document = try await MergeDocument(reading: session.pdf())
            var read = try await read(files, into: document)
            var merge = CopyMerge(
                document.records, into: try await target.records(), pages: document.frames, writesPDF: false)
            for file in read { merge.add(file.copy) }
            try await LayerMerge.addFiles(to: &merge, of: &read)
            let outcomes = try await target.apply(merge, of: read, in: session, isDryRun: dryRun)
            func end(isWritten: Bool) throws {
                try report(merge, read, []) { outcomes[ByteOrdered($0.id)]?.kept(isWritten: isWritten) }
            }
            if dryRun { try end(isWritten: true) } else { try await session.finish(andReport: end) }
        } catch { throw CommandFailure(reading: error) }
    }

    private func read(_ copies: [String], into document: MergeDocument) async throws -> [MergeFile] {
        let authors = try authors()
        var (reader, seen): (MergeReader, Set<FileIdentity>) = (MergeReader(document), [])
        for path in copies {
            // A file given twice adds nothing.
            if let identity = FileIdentity(path), !seen.insert(identity).inserted {
                Output.message("\(path) is given more than once; merged once")
                continue
            }
            try await reader.read(path, author: authors[ByteOrdered(path)])
            for warning in reader.files.last?.warnings ?? [] { Output.message("warning: \(warning)") }
        }
        return reader.files
    }

    private func report(
        _ merge: CopyMerge, _ files: [MergeFile], _ others: [(copy: Int, problem: FileProblem)],
        _ outcome: (Record) -> EditOutcome?
    ) throws {
        var report = try MergeReport(listing, of: files, isDryRun: dryRun)
        for place in files.indices {
            for entry in merge.entries where entry.copy == place {
                let isChange =
                    switch entry.finding {
                    case .added, .changed, .deleted: true
                    case .missing, .keptDeleted, .conflict: false
                    }
                report.tell(entry, isChange ? outcome(entry.record) : nil)
            }
            for problem in files[place].problems { report.tell(problem, of: place) }
            for (copy, problem) in others where copy == place { report.tell(problem, of: place) }
        }
        report.end(merge.counts)
        try report.check()
    }

    // MARK: Arguments

    private func authors() throws -> [ByteOrdered: String] {
        var authors: [ByteOrdered: String] = [:]
        for text in author {
            guard let sign = text.unicodeScalars.firstIndex(of: "="), sign > text.startIndex else {
                throw ValidationError("--author \(text): expected NAME=FILE.")
            }
            let (name, path) = (String(text[..<sign]).trimmed, String(text[text.unicodeScalars.index(after: sign)...]))
            guard !name.isEmpty else { throw ValidationError("--author \(text): the name is empty.") }
            let copies = into ? files[...] : files.dropFirst()
            guard copies.contains(where: { $0.isExactly(path) }) else {
                throw ValidationError("--author \(text): \(path) is not one of the copies.")
            }
            guard authors.updateValue(name, forKey: ByteOrdered(path)) == nil else {
                throw ValidationError("--author: \(path) has two names.")
            }
        }
        return authors
    }

    private func checkOutput() throws {
        guard let output, !force, let identity = FileIdentity(output) else { return }
        guard let path = files.first(where: { FileIdentity($0) == identity }) else {
            guard !dryRun else { return }
            throw CommandFailure(
                "\(output): another file is already there; it is not replaced. Use --force to replace it")
        }
        throw CommandFailure(
            "\(output) is one of the files to merge (\(path)); name another file, or use --force to replace it", .usage)
    }
}

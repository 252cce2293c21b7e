import Annotations
import App
import ArgumentParser
import Glibc
import Instant
import InstantCore

struct EditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change an annotation or a comment.",
        discussion: """
            --text replaces the text and keeps the formatting of unchanged words. --content replaces the whole Instant \
            JSON: members that are missing are removed; the author, the date of creation, the thread and the group are \
            kept. Without either, on a terminal, the text opens in $VISUAL or $EDITOR.

            With --ndjson, standard input has one change per line, {"id","content"} or {"id","text"}, and each line is \
            answered as in add. - instead of an id, with --text, changes every record whose id is on standard input.

            If someone else's edit came first, the edit becomes a conflict (exit 6) and nothing is lost; see postilla \
            conflicts. An edit that is not permitted fails (exit 4).

            Examples:
              postilla edit 01HV60ME365HS69FVQ1CE6PK2G --text 'Which program, and when?'
              postilla show ID --format ndjson | jq '.content.color = "#ff0000"' |
                postilla edit ID --content -
            """)

    @Argument(
        help: ArgumentHelp(
            "Ids of annotations or comments, from list, or their beginnings; - reads them from standard input.",
            valueName: "id"))
    var ids: [String] = []

    @Option(help: ArgumentHelp("New text.", valueName: "text"))
    var text: String?

    @Option(
        help: ArgumentHelp("File with the new content as JSON; - is standard input.", valueName: "file"),
        completion: .file())
    var content: String?

    @Flag(help: "Read one change per line from standard input and print one result line for each.")
    var ndjson = false

    @OptionGroup var dry: DryRunOption
    @OptionGroup var layer: LayerOptions

    func validate() throws {
        guard !ndjson else {
            guard ids.isEmpty, text == nil, content == nil, !dry.dryRun else {
                throw ValidationError("--ndjson takes the ids and changes from standard input, and makes no plan.")
            }
            return
        }
        guard !ids.isEmpty else { throw ValidationError("No id. Give one, or use --ndjson.") }
        guard ids.count == 1 && ids != ["-"] || text != nil else {
            throw ValidationError("Several records can only be changed with --text or --ndjson.")
        }
        guard text == nil || content == nil else { throw ValidationError("Use either --text or --content, not both.") }
        guard text != nil || content != nil || (StandardInput.isTerminal && Output.isTerminal) else {
            throw ValidationError("No change given. Use --text TEXT or --content FILE.")
        }
    }

    func run() async throws {
        let (session, (names, given)) = try await LayerSession.open(layer, reading: input)
        try await session.synchronize()
        // Files of the editor whose texts are stored nowhere else yet.
        var files: [String] = []
        defer { for file in files { Output.failure("The text from your editor is kept in \(file)") } }
        do {
            if ndjson {
                return try await session.answeringLines {
                    try await EditLines(session: session).run()
                    try await session.finish()
                }
            }
            var changes: [(id: Record.ID, content: Content, seen: Content?)] = []
            for id in try names.map(session.id(of:)) {
                guard let record = try session.descriptor.layer.record(id) else { throw session.noRecord(id) }
                // --content replaces the current content, including changes by others. A text is merged with them.
                if let given {
                    changes.append((id, given, nil))
                } else if let content = try changed(record, &files) {
                    changes.append((id, content, record.content))
                }
            }
            if dry.dryRun {
                var run = try DryRun(session)
                for change in changes { try run.put(change.content, id: change.id) }
                run.write()
                return Self.remove(&files)
            }
            guard !changes.isEmpty else { return Output.message("no changes") }
            for change in changes {
                _ = try session.descriptor.update(change.id, content: change.content, over: change.seen)
            }
            Self.remove(&files)
            try await session.deliverOrExplain(changes.map(\.id), "not changed")
            try await session.finish()
        } catch { throw CommandFailure(reading: error) }
    }

    /// Returns the ids, and the content given with `--content`.
    private func input() async throws -> ([String], Content?) {
        guard !ndjson else { return ([], nil) }
        var arguments = IDArguments()
        arguments.ids = ids
        return (try await arguments.read(), try await whole())
    }

    /// Returns the content given with `--content`.
    private func whole() async throws -> Content? {
        guard let content else { return nil }
        return try await ContentFile.draft(content).content
    }

    private static func remove(_ files: inout [String]) {
        for file in files { unlink(file) }
        files = []
    }

    /// Returns nil when the text is unchanged.
    private func changed(_ record: Record, _ files: inout [String]) throws -> Content? {
        let old = Annotation(record).text
        guard let new = try text ?? edited(old, &files), !new.isExactly(old) else { return nil }
        try record.check(newText: new)
        return try record.content.replacingText(with: new)
    }

    /// - Parameter files: Gets the file with what the editor saved.
    private func edited(_ old: String, _ files: inout [String]) throws -> String? {
        guard let editor = ExternalEditor(try Preferences.use()) else {
            throw CommandFailure("no editor; use --text TEXT, or set VISUAL or EDITOR", .usage)
        }
        let folder = try Folders(dataDirectory: layer.dataDir).state
        try Folders.make(folder)
        switch try editor.edit(old, in: folder) {
        case .notTaken(let why): throw CommandFailure(why)
        case .saved(let new, let file):
            guard !new.trimmed.isEmpty, !new.isExactly(old) else {
                unlink(file)
                return nil
            }
            files.append(file)
            return new
        }
    }
}

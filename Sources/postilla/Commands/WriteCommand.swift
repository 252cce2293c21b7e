import Annotations
import ArgumentParser
import SyncProtocol

struct WriteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Write kept changes into a PDF.",
        discussion: """
            Changes that were made with --no-write, or in a viewer that was left without :w, are kept on this machine. \
            This writes them into the file. They are appended: all bytes of the file stay, so that signatures stay valid \
            and what was deleted can still be found in it; --compact rewrites the file without that.

            If another program has changed the file meanwhile, both sides are merged. An annotation that both have \
            changed is not written until one version is chosen (exit 6); see postilla conflicts.

            Examples:
              postilla write paper.pdf
              postilla write paper.pdf --to reviewed.pdf
            """)

    @Argument(help: ArgumentHelp("The PDF.", valueName: "file"), completion: .file(extensions: ["pdf"]))
    var file: String

    @Option(
        help: ArgumentHelp(
            "Write a copy with all changes to this path, and leave the file as it is.", valueName: "file"),
        completion: .file(extensions: ["pdf"]))
    var to: String?

    @Flag(help: "Rewrite the file without anything that was deleted from it.")
    var compact = false

    @Flag(help: "Write over another file at --to, or make a file again that is missing.")
    var force = false

    @Option(
        help: ArgumentHelp("Data folder (default: POSTILLA_DATA or $XDG_DATA_HOME/postilla).", valueName: "dir"))
    var dataDir: String?

    func validate() throws {
        guard let to else { return }
        if to.isEmpty { throw ValidationError("--to needs the path of a file.") }
        if to == "-" { throw ValidationError("--to: a PDF is written to a file, not to standard output; name one.") }
    }

    func run() async throws {
        let (link, opened, token) = try await OwnFileLink.open(file, try Folders(dataDirectory: dataDir))
        try await OwnFileSession.sendWaiting(to: link, opened.document, token)
        let (written, report): (WrittenFile, FileReport)
        do {
            (written, report) = try await link.write(to: to, isForced: force, replacesOthers: force, isCompact: compact)
        } catch let refusal as EngineRefusal {
            throw CommandFailure("\((to ?? file).onOneLine): not written: \(refusal.message)")
        }
        let name = (to ?? file).onOneLine
        // The path may be another name of the file itself.
        if to != nil, !written.path.isExactly(report.path) {
            Output.message("\(name): wrote a copy with every \(written.unwritten.isEmpty ? "" : "other ")change")
        } else if compact, written.records == 0 {
            Output.message("\(name): written anew, without what was deleted")
        } else if written.records == 0, written.conflicts > 0 || !written.unwritten.isEmpty {
            // The remarks say why.
        } else if written.records == 0 {
            Output.message("\(name): nothing to write")
        } else {
            Output.message("\(name): wrote \(Wording.count(written.records, "change"))")
        }
        for remark in written.remarks(file, report) { Output.message("\(name): \(remark)") }
        let damage = OwnFileDamage.failure(opened)
        if written.conflicts > 0 || !written.unwritten.isEmpty {
            if let damage { Output.error(damage) }
            throw CommandFailure(
                "\(file.onOneLine): not every change was written", written.conflicts > 0 ? .conflict : .failed)
        }
        if let damage { throw CommandFailure(damage) }
    }
}

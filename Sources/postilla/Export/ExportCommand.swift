import Annotations
import ArgumentParser
import FoundationEssentials
import Instant
import InstantCore
import Interchange
import PDFPages
import Screen

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Export all annotations and comments of a layer to one file.",
        discussion: """
            instant-json is {"format","annotations":[…],"comments":[…]}, one record per line: the content with its id \
            and, if set, createdBy, updatedBy and group. It includes the PDF's own annotations and unsent edits. \
            Attached files follow. Importing the file into the same layer changes nothing.

            xfdf and pdf leave out comments whose annotation was deleted: a reply needs its target. xfdf is for other \
            PDF programs, markdown for reading, csv for spreadsheets (a text that looks like a \
            formula gets a leading '), pdf an annotated copy of the document. xfdf and pdf fetch the PDF if needed; \
            markdown and csv include the marked words if the PDF is on this machine. What a format cannot hold is \
            counted on standard error.

            Examples:
              postilla export -o review.json
              postilla export --format pdf -o reviewed.pdf
              postilla export | jq '.annotations | length'
            """)

    @Argument(
        help: ArgumentHelp(
            "Address of the server (or --server, POSTILLA_SERVER), or a PDF.", valueName: "server|file"))
    var target: String?

    @Option(help: "Format of the file.")
    var format = ExportFormat.instantJSON

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "Write to this file, replacing it atomically (default: standard output).", valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var layer: LayerOptions

    enum ExportFormat: String, ExpressibleByArgument, CaseIterable {
        case instantJSON = "instant-json"
        case xfdf, markdown, csv, pdf
    }

    func validate() throws {
        guard format != .pdf || output != nil else { throw ValidationError("A PDF needs an output file. Use -o FILE.") }
    }

    func run() async throws {
        try OwnFileSession.check(output: output, layer, target: target)
        let session = try await LayerSession.open(layer, server: target, reads: true)
        try await session.synchronize()
        try await session.reading {
            if format == .pdf, let output { return try await writePDF(session, to: output) }
            var writer = try await writer(session)
            let parts: Int
            if let output {
                let file = try NewFile(replacing: output)
                parts = try await write(session, with: &writer, to: file.write)
                try file.finish()
            } else {
                parts = try await write(session, with: &writer) { Output.data($0) }
            }
            if parts > 0 { throw CommandFailure("not everything was exported") }
        }
    }

    private func writer(_ session: LayerSession) async throws -> any LayerExporter {
        let descriptor = session.descriptor
        let runs = (try? descriptor.layer.metadata().pageRuns) ?? []
        let words = MarkedWords(file: session.own?.pdf ?? descriptor.pdfPath) { page in
            runs.run(ofPage: page).map { PDFPages.PageSize(width: $0.width, height: $0.height) }
        }
        switch format {
        case .xfdf: return XFDFWriter(pages: try await PDFTools().annotations(of: session.pdf()).frames)
        case .markdown:
            return MarkdownWriter(title: descriptor.title ?? descriptor.identifier, words: words) {
                try descriptor.layer.thread(under: $0)
            }
        case .csv: return CSVWriter(words: words) { try descriptor.layer.thread(under: $0) }
        case .instantJSON, .pdf: return InstantJSONWriter()
        }
    }

    /// - Returns: the number of annotations of which only a part is known.
    private func write(
        _ session: LayerSession, with writer: inout any LayerExporter, to put: (PrintableText) throws -> Void
    ) async throws -> Int {
        let descriptor = session.descriptor
        let contents = type(of: writer).contents
        try put(writer.begin())
        var summary = Summary()
        do {
            var files: Set<AttachmentID> = []
            var attached: AttachedFiles?
            try await descriptor.forEachRecord { record, root in
                if contents.contains(.rootsOnly), record.isWithout(root) { return summary.orphans += 1 }
                let file = contents.contains(.filesInRecords) ? await session.file(of: record, &attached) : nil
                if record.content.readInPart != nil { summary.parts.append(record) }
                // A format that can be read back must not have a part as if it were whole.
                if contents.isDisjoint(with: .words), record.content.readInPart != nil { return }
                let text = try await writer.add(record, under: root, file: file)
                if contents.contains(.rootsOnly), text.string.isEmpty {
                    summary.left.add(record)
                } else if !contents.contains(.groups), record.group != nil {
                    summary.left.addGroup()
                }
                try put(text)
                if contents.contains(.filesAtEnd), let id = record.content.attachmentID { files.insert(id) }
            }
            if contents.contains(.formFieldValues) {
                try await descriptor.forEachFormFieldValue { record in
                    try put(await writer.add(record, under: nil, file: nil))
                }
            }
            // From the server if necessary.
            let document = descriptor.readOnlyDocument()
            for id in files.sorted() {
                if let bytes = try? await document.loadAttachment(id) {
                    try put(writer.add(Array(bytes), as: id))
                } else {
                    summary.left.addFile()
                }
            }
        } catch {
            // What was written stays valid.
            try put(writer.end())
            throw error
        }
        try put(writer.end())
        summary.tell()
        return summary.parts.count
    }

    /// What an export leaves out.
    private struct Summary {
        var left = LeftOut()
        /// Annotations of which only a part is known.
        var parts: [Record] = []
        /// Comments whose annotation was deleted or is hidden.
        var orphans = 0

        func tell() {
            if let text = left.text { Output.message("left out: \(text)") }
            for record in parts.prefix(20) {
                let why = record.content.readInPart ?? ""
                Output.message("annotation \(record.id.escapingInvisible): only a part of it is known: \(why)")
            }
            if parts.count > 20 { Output.message("and \(parts.count - 20) more annotations") }
            guard orphans > 0 else { return }
            Output.message("\(orphans) comment\(orphans == 1 ? "" : "s") of deleted annotations left out")
        }
    }

    private func writePDF(_ session: LayerSession, to output: String) async throws {
        if let own = session.own { return try await writeCopy(of: own, to: output) }
        let source = try await session.pdf()
        // qpdf overwrites its output. The temporary files are next to the target, so that a rename replaces it in one
        // step.
        let target = try NewFile(replacing: output)
        let notes = try NewFile(replacing: output, purpose: ".notes")
        var summary = Summary()
        let result = try await PDFTools().annotate(source, into: target.temporary, notes: notes.temporary) {
            annotated in
            summary = Summary()
            try await session.descriptor.forEachRecord { record, root in
                if record.isWithout(root) { return summary.orphans += 1 }
                let file = await session.attachment(of: record)
                if try !annotated.add(record, under: root, image: file) {
                    summary.left.add(record)
                } else if record.group != nil {
                    summary.left.addGroup()
                }
            }
        }
        withExtendedLifetime(notes) {}
        try target.finish()
        summary.tell()
        try Unwritten.fail(result.unwritten, in: output)
    }

    /// The engine knows which annotations of the file are which records.
    private func writeCopy(of own: OwnFileSession, to output: String) async throws {
        do {
            let (written, _) = try await own.link.write(to: output, isForced: true)
            let left = [written.left, LeftOut.phrase(groups: written.groups)].compactMap { $0 }
            if !left.isEmpty { Output.message("left out: \(left.joined(separator: ", "))") }
            for item in written.unwritten { Output.message(Unwritten.sentence(item.id, item.why, in: output)) }
            if !written.unwritten.isEmpty { throw CommandFailure("\(output.onOneLine): not every change is in it") }
        } catch let refusal as EngineRefusal { throw CommandFailure("\(output.onOneLine): \(refusal.message)") }
    }
}

extension Record {
    /// Whether it is a comment whose annotation was deleted or is hidden.
    fileprivate func isWithout(_ root: Record?) -> Bool { root == nil && contentType == .comments }
}

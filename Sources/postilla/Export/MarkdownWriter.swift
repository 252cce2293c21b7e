import Annotations
import App
import Screen

/// A layer as readable text: pages as headings, annotations as items with the words they mark, comments below them.
struct MarkdownWriter: LayerExporter {
    static var contents: ExportContents { [.words] }

    let title: String
    var words: MarkedWords
    /// The comments under an annotation.
    let thread: (Record.ID) throws -> [Record]
    private var page: Int??
    /// The threads whose annotation was deleted or is hidden, and their roots.
    private var left = PrintableText()
    private var leftRoots: Set<ByteOrdered> = []

    init(title: String, words: MarkedWords, thread: @escaping (Record.ID) throws -> [Record]) {
        (self.title, self.words, self.thread) = (title, words, thread)
    }

    mutating func begin() -> PrintableText { "# \(Self.escaped(title))\n" }

    mutating func end() -> PrintableText {
        leftRoots.isEmpty ? "" : "\n## Comments of deleted annotations\n\n" + left
    }

    mutating func add(_ record: Record, under root: Record?, file: [UInt8]?) async throws -> PrintableText {
        guard record.contentType != .comments else {
            if root == nil, let id = record.content["rootId"]?.string { try keepThread(leftBy: id) }
            return ""
        }
        let annotation = Annotation(record)
        var text = PrintableText()
        if page != .some(annotation.pageIndex) {
            page = .some(annotation.pageIndex)
            text += "\n## \(annotation.pageIndex.map { "Page \($0 + 1)" } ?? "Without a page")\n\n"
        }
        let thread = try thread(record.id)
        let state = AnnotationStates(thread).review.map { $0 == .unset ? "" : " (\($0.rawValue))" } ?? ""
        text += "- **\(annotation.kind.name)**\(state)\(Self.origin(annotation, record))"
        if let words = await words.of(annotation) { text += ": “\(Self.escaped(words))”" }
        text += "\n" + Self.quoted(annotation.text, indent: 2)
        for comment in thread { text += Self.item(comment) }
        return text
    }

    private mutating func keepThread(leftBy root: Record.ID) throws {
        guard leftRoots.insert(ByteOrdered(root)).inserted else { return }
        left += "- **deleted annotation**\n"
        for comment in try thread(root) { left += Self.item(comment) }
    }

    private static func item(_ comment: Record) -> PrintableText {
        let said = Annotation(comment)
        // Its text repeats the state.
        if let state = said.state { return "  - **state: \(state.rawValue)**\(origin(said, comment))\n" }
        return "  - **comment**\(origin(said, comment))\n" + quoted(said.text, indent: 4)
    }

    /// Returns an origin such as ` by ana, 2026-05-30`.
    private static func origin(_ annotation: Annotation, _ record: Record) -> String {
        let author = Author.name(annotation.author, user: record.createdBy).map { " by \(escaped($0))" } ?? ""
        let date = (annotation.createdAt ?? annotation.updatedAt).map { ", \($0.iso8601.prefix(scalars: 10))" } ?? ""
        return author + date
    }

    private static func quoted(_ text: String, indent: Int) -> PrintableText {
        guard !text.isBlank else { return "" }
        let margin = String(repeating: " ", count: indent)
        return text.replacing(scalars: "\r\n", with: "\n")
            .split(omittingEmptySubsequences: false, whereScalar: \.isLineEnd)
            .map { "\(margin)> \(escaped(String($0)))\n" }.joined()
    }

    /// Escapes Markdown and HTML in other people's text and puts it on one line.
    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.replacing(scalars: "\r\n", with: "\n").unicodeScalars {
            if "\\`*_{}[]<>#|!&~".unicodeScalars.contains(scalar) { escaped.append("\\") }
            escaped.append(scalar.isLineEnd ? " " : scalar)
        }
        return String(escaped)
    }
}

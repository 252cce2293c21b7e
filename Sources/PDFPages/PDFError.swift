/// The reason why a file yields no pages, text or annotations.
///
/// It never contains the file's path or content, so it can be shown and sent unchanged.
package enum PDFError: Error, Hashable, Sendable {
    /// The file is missing, not a regular file, or not readable by this user.
    case unreadable
    case empty
    case notPDF
    /// Truncated, damaged, or too large for the tool's memory limit: the tools do not distinguish these.
    case damaged
    /// Reading requires a password.
    case encrypted
    case tooSlow(Duration)
    case tooMuchOutput(bytes: Int)
    case tooManyPages(Int, limit: Int)
    case noSuchPage(Int, count: Int)
    case toolMissing(name: String, package: String)
    /// The disk of an output file is full.
    case diskFull
}

extension PDFError: CustomStringConvertible {
    /// One sentence: the problem and, where possible, the remedy.
    package var description: String {
        switch self {
        case .unreadable: "The file cannot be read: it is missing, it is not a regular file, or permission is denied."
        case .empty: "The file is empty."
        case .notPDF: "The file is not a PDF."
        case .damaged: "The PDF cannot be read: it is incomplete or damaged, or exceeds the memory limit."
        case .encrypted: "The PDF is encrypted. Save it without a password first."
        case .tooSlow(let time): "The PDF cannot be read: it took longer than \(time.components.seconds) s."
        case .tooMuchOutput(let bytes): "The PDF cannot be read: it contains more than \(bytes >> 20) MB of data."
        case .tooManyPages(let count, let limit): "The PDF has \(count) pages; the limit is \(limit)."
        case .noSuchPage(let index, let count): "No page \(index + 1): the PDF has \(count)."
        case .diskFull: "The disk is full."
        case .toolMissing(let name, let package): "The program \(name) is missing. Install the package \(package)."
        }
    }
}

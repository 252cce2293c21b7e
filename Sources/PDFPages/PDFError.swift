/// Why a file gave no pages, no text or no annotations.
///
/// It never holds the file's path or anything the file says, so it can be shown and sent as it is.
package enum PDFError: Error, Hashable, Sendable {
    /// The file is not there, is no plain file, or may not be read.
    case unreadable
    case empty
    case notPDF
    /// Cut, broken, or more than the tool can hold in the memory it is given: the tools do not tell which.
    case damaged
    /// It asks for a password before it shows anything.
    case encrypted
    case tooSlow(Duration)
    case tooMuchOutput(bytes: Int)
    case tooManyPages(Int, limit: Int)
    case noSuchPage(Int, count: Int)
    case toolMissing(name: String, package: String)
}

extension PDFError: CustomStringConvertible {
    /// One sentence: what is wrong, and what can be done where something can.
    package var description: String {
        switch self {
        case .unreadable: "The file cannot be read: it is missing, is no plain file, or reading it is not allowed."
        case .empty: "The file is empty."
        case .notPDF: "The file is not a PDF."
        case .damaged: "The PDF cannot be read: it is cut or damaged, or needs more memory than reading is given."
        case .encrypted: "The PDF is encrypted: it has to be saved without its password first."
        case .tooSlow(let time): "The PDF took longer than \(time.components.seconds) s to read and was given up."
        case .tooMuchOutput(let bytes): "The PDF holds more than the \(bytes >> 20) MB that are read from one file."
        case .tooManyPages(let count, let limit): "The PDF has \(count) pages; at most \(limit) are read."
        case .noSuchPage(let index, let count): "There is no page \(index + 1): the PDF has \(count)."
        case .toolMissing(let name, let package): "The program \(name) is missing: install the package \(package)."
        }
    }
}

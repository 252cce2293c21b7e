import SystemPackage

/// The reason why a file yields no pages, text or annotations, or cannot be written.
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
    /// The system does not start the tool, for this `errno`.
    case toolNotStarted(name: String, code: Int32)
    /// There is no folder for intermediate files, for this `errno`.
    case noScratchFolder(String, code: Int32)
    /// A tool has failed, and may have needed more than this limit of this process.
    case capped(String)
    /// The page has a font whose letters are known only by the character maps of the package poppler-data.
    case characterMapsMissing
    /// The result cannot be written, for this `errno`.
    case cannotWrite(Int32)
    /// A signature of the file forbids other annotations.
    case certified
    /// The file is signed and cannot be continued, because it is encrypted or damaged; a rewrite would break the
    /// signature.
    case signed
    /// Read again, the written file does not hold the annotations of these records as they are.
    case notWritten([String])
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
        case .certified: "A signature of the PDF forbids changes to annotations. \(Self.remedy)"
        case .signed:
            "The PDF is signed and also encrypted or damaged, so a change would break its signature. \(Self.remedy)"
        case .notWritten(let ids):
            "The PDF could not be written: \(Self.names(ids)) would differ from the layer. \(Self.remedy)"
        case .toolMissing(let name, let package): "The program \(name) is missing. Install the package \(package)."
        case .toolNotStarted(let name, let code):
            "The program \(name) cannot be started: \(Errno(rawValue: code))."
        case .noScratchFolder(let place, let code):
            "The folder for temporary files cannot be used (\(place)): \(Errno(rawValue: code)). Set TMPDIR to another one."
        case .capped(let limit):
            "The PDF cannot be processed: it is incomplete or damaged, or needs more than a limit that this process got from "
                + "the command that started it (\(limit))."
        case .characterMapsMissing:
            "The page has a Chinese, Japanese or Korean font that is not embedded, and the maps of its letters are "
                + "missing. Install the package poppler-data."
        case .cannotWrite(let code): "The result cannot be written: \(Errno(rawValue: code))."
        }
    }

    private static let remedy = "Export XFDF or Instant JSON instead."

    /// Ids come from clients; those that are not plain are left out.
    private static func names(_ ids: [String]) -> String {
        let plain = ids.filter { id in
            id.utf8.count <= 64 && id.unicodeScalars.allSatisfy { (0x21...0x7E).contains($0.value) }
        }
        let others = ids.count - min(plain.count, 5)
        let names = plain.prefix(5).joined(separator: ", ")
        let word = ids.count == 1 ? "annotation" : "annotations"
        guard !names.isEmpty else { return "\(ids.count) \(word)" }
        return others > 0 ? "\(word) \(names) and \(others) more" : "\(word) \(names)"
    }
}

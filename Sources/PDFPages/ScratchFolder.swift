import FoundationEssentials
import Glibc

/// A folder for the tools' intermediate files, for this user only; removed with its files on release.
final class ScratchFolder: Sendable {
    private let path: String

    /// - Parameter place: the folder in which it is created; nil: `TMPDIR`, or `/tmp`.
    /// - Throws: ``PDFError/unreadable`` if it cannot be created.
    init(in place: String?) throws(PDFError) {
        let place = place ?? FileManager.default.temporaryDirectory.path
        var template = Array((place + "/postilla-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw .unreadable }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Creates an empty file, and returns its path.
    func file(_ name: String) throws(PDFError) -> String {
        guard FileManager.default.createFile(atPath: path(name), contents: nil) else { throw .unreadable }
        return path(name)
    }
}

import Glibc
import SystemPackage

extension PDFTools {
    /// Identifies what the text of a page depends on besides the file: the installed poppler, by the size and date of
    /// its program, and its character maps. nil if poppler is missing. Reads file attributes, which takes microseconds.
    package var textVersion: String? {
        guard let program = try? find(.pdftotext), let version = Self.stamp(of: program.string) else { return nil }
        return "\(version) \(Self.stamp(of: Self.characterMaps) ?? "-")"
    }

    /// Where poppler expects the character maps of the package poppler-data.
    static let characterMaps = "/usr/share/poppler/cMap"

    /// Size, and date of the last change in nanoseconds.
    private static func stamp(of path: String) -> String? {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        return "\(info.st_size) \(info.st_mtim.tv_sec).\(info.st_mtim.tv_nsec)"
    }
}

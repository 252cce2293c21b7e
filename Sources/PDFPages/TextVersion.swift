import Annotations
import Glibc
import SystemPackage

extension PDFTools {
    /// Identifies what the text of a page depends on besides the file: the installed poppler, by the size and date of
    /// its program, and its character maps. nil if poppler is missing. Reads file attributes, which takes microseconds.
    package var textVersion: String? {
        guard let program = try? find(.pdftotext), let version = Self.stamp(of: program.string) else { return nil }
        return "\(version) \(Self.stamp(of: characterMaps) ?? "-")"
    }

    /// Size, and date of the last change in nanoseconds.
    private static func stamp(of path: String) -> String? {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        return "\(info.st_size) \(info.st_mtim.tv_sec).\(info.st_mtim.tv_nsec)"
    }
}

extension PDFTools {
    /// Whether a page without text may have some that the missing character maps would show: it has a composite font
    /// that is not embedded.
    func lacksCharacterMaps(_ file: String, page: Int) async throws -> Bool {
        guard Self.stamp(of: characterMaps) == nil else { return false }
        let path = try Self.argument(for: file)
        let range = ["-f", "\(page + 1)", "-l", "\(page + 1)"]
        let outcome = try await run(.pdffonts, range + [path], into: CollectedOutput())
        return outcome.exitCode == 0 && Self.namesForeignFont(outcome.sink.bytes)
    }

    /// Reads the listing of `pdffonts`: name, type, encoding, whether it is embedded, and four more columns.
    static func namesForeignFont(_ listing: [UInt8]) -> Bool {
        String(decoding: listing, as: UTF8.self).split(scalar: "\n").dropFirst(2).contains { line in
            let words = line.split(scalar: " ")
            return words.count > 7 && words.contains("CID") && words[words.count - 5] == "no"
        }
    }
}

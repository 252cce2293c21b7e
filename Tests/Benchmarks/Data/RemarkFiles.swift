import Annotations
import Foundation

/// The remarks in the formats that other programs read.
enum RemarkFiles {
    /// Returns each row of the list as a line of text.
    static func lines(_ remarks: [Remark]) -> String {
        remarks.map { remark in
            let page = String(remark.pageIndex + 1)
            let author = remark.author + String(repeating: " ", count: 7 - remark.author.count)
            return "   \(remark.kind.letter)"
                + String(repeating: " ", count: 3 - page.count) + page + "  \(author)\(remark.text)\n"
        }.joined()
    }

    /// Returns a mailbox in one file (RFC 4155); each remark is a message with its text as the subject.
    static func mailbox(_ remarks: [Remark]) -> String {
        remarks.map { "From \($0.author)@example.org \(date($0, "%a %b %d %H:%M:%S %Y"))\n\(message($0))\n" }.joined()
    }

    /// Writes a folder with a file for each message (Maildir), all marked as seen.
    static func writeMaildir(_ remarks: [Remark], to folder: URL) throws {
        for name in ["cur", "new", "tmp"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        for remark in remarks {
            let name = "\(1_700_000_000 + remark.number).M\(remark.number).example:2,S"
            try Data(message(remark).utf8).write(to: folder.appendingPathComponent("cur/" + name))
        }
    }

    /// Creates a git repository with an empty commit for each remark, the first remark last.
    static func writeHistory(_ remarks: [Remark], to folder: URL, git: String) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let commits = remarks.reversed().map { remark in
            let committer = "\(remark.author) <\(remark.author)@example.org> \(1_700_000_000 + remark.number) +0000"
            return "commit refs/heads/main\ncommitter \(committer)\ndata \(remark.text.utf8.count)\n\(remark.text)\n"
        }
        let stream = folder.appendingPathExtension("stream")
        try commits.joined().write(to: stream, atomically: true, encoding: .utf8)
        let script = #"cd "$1" && "$2" init -q -b main && "$2" fast-import --quiet < "$1.stream""#
        try Tools.run(["/bin/sh", "-c", script, "sh", folder.path, git])
    }

    private static func message(_ remark: Remark) -> String {
        """
        From: \(remark.author) <\(remark.author)@example.org>
        To: watch@example.org
        Subject: \(remark.text)
        Date: \(date(remark, "%a, %d %b %Y %H:%M:%S +0000"))
        Message-ID: <\(remark.number)@example.org>
        Status: RO

        \(remark.text)

        """
    }

    /// Returns the remark's date, a minute after the previous one's, in a format of strftime(3).
    private static func date(_ remark: Remark, _ format: String) -> String {
        var seconds = time_t(1_700_000_000 + 60 * remark.number)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 64)
        let count = strftime(&text, text.count, format, &parts)
        return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

import Annotations
import Testing

@testable import App

/// Names of files in a command that a person copies into a shell.
@Suite struct ShellWordTests {
    /// In each, a sign of the shell stands in one character with another scalar.
    @Test(arguments: ["a'\u{308}b", "\u{D4E};id", "'\u{200D}", "a \u{308}", "$\u{20DD}(id)", "\u{600}`id`"])
    func everySignOfTheShellIsQuoted(_ name: String) {
        let word = name.quotedForShell
        #expect(word.utf8.first == UInt8(ascii: "'") && word.utf8.last == UInt8(ascii: "'"))
        let pieces = name.split(scalar: "'", omittingEmptySubsequences: false)
        #expect(word.isExactly("'" + pieces.joined(separator: "'\\''") + "'"))
    }

    @Test func lettersNeedNoQuotes() {
        #expect("caf\u{E9}-1.pdf".quotedForShell == "caf\u{E9}-1.pdf")
        #expect("-x".quotedForShell == "./-x")
    }
}

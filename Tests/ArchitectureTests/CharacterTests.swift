import Foundation
import Testing

/// Swift's text operations look at characters, in which combining marks join what is before them: `u:` followed by such
/// a mark does not begin with `u:`. `Sources/Annotations/ScalarText.swift` has the same operations on scalars.
@Suite("Other people's text is looked at by scalars")
struct CharacterTests {
    private struct Rule {
        var pattern: Regex<Substring>
        var remedy: String
        /// Lines that break the rule, which prove that the pattern finds them, and some that do not.
        var examples: [String]
        var counterexamples: [String] = []

        func forbids(_ line: String) -> Bool { CharacterTests.code(line).contains(pattern.wordBoundaryKind(.simple)) }
    }

    /// Also without a call, so that neither a closure nor a method reference gets past.
    private nonisolated(unsafe) static let everywhere = [
        Rule(
            pattern: /\bhas(?:Prefix|Suffix)\b/, remedy: "begins(with:), ends(with:), dropping(prefix:)",
            examples: ["names.filter(x.hasPrefix)", "if path.hasSuffix(\"\")"])
    ]

    private nonisolated(unsafe) static let strict = [
        Rule(
            pattern: /\bsplit\([^)]*(?:separator: "|whereSeparator: \\\.is)/,
            remedy: "split(scalar:) or split(whereScalar:)",
            examples: ["text.split(separator: \"\")", "text.split(maxSplits: 1, whereSeparator: \\.isNewline)"],
            counterexamples: ["text.split(scalar: \"\")", "bytes.split(separator: 0x0C)"]),
        Rule(
            pattern: /\.(?:firstIndex|lastIndex|firstRange|ranges)\(of: "/,
            remedy: "parted(atFirst:) or range(ofScalars:)", examples: ["text.firstIndex(of: \"\")"],
            counterexamples: ["text.unicodeScalars.firstIndex(of: \"\")"]),
        Rule(
            pattern: /\breplacing\("/, remedy: "replacing(scalars:with:)",
            examples: ["text.replacing(\"\", with: \"\")"]),
        Rule(
            pattern: /\.is(?:Whitespace|Newline|Letter|Number)\b/,
            remedy: "isBlank, isLineEnd, or the properties of a scalar",
            examples: ["text.allSatisfy(\\.isWhitespace)", "text.allSatisfy { $0.isNewline }"],
            counterexamples: ["text.split(whereScalar: \\.properties.isWhitespace)", "scalar.properties.isWhitespace"]),
        Rule(
            pattern: /\bString\((?!decoding)[^()]*\.(?:dropFirst|dropLast|prefix|suffix)\((?!scalars:|whileScalar:)/,
            remedy: "prefix(scalars:) and the like", examples: ["String($0.prefix(128))", "String(name.dropFirst())"],
            counterexamples: ["String(name.prefix(scalars: 9))", "String(text.utf8.dropFirst(2))"]),
        Rule(
            pattern:
                /\b(?:text|name|word|title|tag|line|letters|string|author|subject|digest)\??\.(?:first|last|dropFirst|dropLast|prefix|suffix|contains|index)\b(?!\((?:scalars?:|whileScalar:))(?!Index)/,
            remedy: "the same on scalars",
            examples: ["if name.first == \"\"", "text.dropFirst(2)", "tag.contains(\"\")"],
            counterexamples: ["text.utf8.first", "text.contains(scalar: \"\")", "name.prefix(scalars: 9)"]),
    ]

    private static let strictModules: Set = [
        "Annotations", "Authorization", "EngineCore", "Interchange", "InstantCore", "PDFPages", "SyncProtocol",
    ]

    /// Files in which such a name stands for bytes or for a list, and those that look at characters for a reason.
    private static let exceptions: Set = [
        // Lists of bytes.
        "Sources/Annotations/Encoding/Base64.swift", "Sources/PDFPages/Append/PDFSyntax.swift",
        "Sources/PDFPages/Append/SharedRevision.swift", "Sources/PDFPages/FDF/FDFObjects.swift",
        "Sources/PDFPages/PDFObjectReader.swift", "Sources/Interchange/XML/XMLReader+Text.swift",
        "Sources/SyncProtocol/ServerSentEvents.swift",
        // Digits of this program's own date.
        "Sources/Annotations/Encoding/PDFDate.swift",
        // The start of a text in a list.
        "Sources/InstantCore/Store/ListQuery.swift",
        // A word never ends within a character.
        "Sources/Merging/WordMerge.swift",
    ]

    /// The line without comments, with empty strings, and without what looks at scalars or bytes.
    private static func code(_ line: String) -> String {
        line.replacing(/"(?:\\.|[^"\\])*"/, with: "\"\"").replacing(/\/\/.*/, with: "")
            .replacing(
                /\b(?:unicodeScalars|utf8|utf16|properties)\.\w+/.wordBoundaryKind(.simple), with: "scalars")
    }

    /// What a line has that breaks a rule: searching for bytes takes a hundredth of the time of the patterns.
    private static let hints = [
        "hasPrefix", "hasSuffix", "separator: \"", "whereSeparator", "ndex(of: \"", "anges(of: \"", "Range(of: \"",
        "replacing(\"", ".isWhitespace", ".isNewline", ".isLetter", ".isNumber", ".drop", ".prefix", ".suffix",
        ".first",
        ".last", ".contains", ".index",
    ].map { Array($0.utf8) }

    private static func isSuspicious(_ line: String) -> Bool {
        var line = line
        return line.withUTF8 { bytes in hints.contains { Self.find($0, in: bytes) } }
    }

    private static func find(_ hint: [UInt8], in line: UnsafeBufferPointer<UInt8>) -> Bool {
        guard var next = line.baseAddress, line.count >= hint.count else { return false }
        let end = next + line.count - hint.count
        while next <= end, let found = memchr(next, Int32(hint[0]), end - next + 1) {
            if memcmp(found, hint, hint.count) == 0 { return true }
            next = UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) + 1
        }
        return false
    }

    @Test func nothingComparesBeginningsByCharacters() throws {
        for file in try SourceFile.sources.get() {
            for (number, line) in zip(1..., file.lines) where Self.isSuspicious(line) {
                guard line.contains("hasPrefix") || line.contains("hasSuffix") else { continue }
                for rule in Self.everywhere where rule.forbids(line) {
                    Issue.record("\(file.path):\(number): use \(rule.remedy)")
                }
            }
        }
    }

    @Test func theModulesThatReadOtherPeoplesTextLookAtScalars() throws {
        var lines = 0
        for file in try SourceFile.sources.get()
        where Self.strictModules.contains(file.module) && !Self.exceptions.contains(file.path) {
            for (number, line) in zip(1..., file.lines) {
                lines += 1
                guard Self.isSuspicious(line) else { continue }
                for rule in Self.strict where rule.forbids(line) {
                    Issue.record("\(file.path):\(number): use \(rule.remedy): \(line)")
                }
            }
        }
        #expect(lines > 10_000)
    }

    @Test func theRulesFindWhatTheyForbid() {
        for rule in Self.everywhere + Self.strict {
            for line in rule.examples { #expect(rule.forbids(line), "\(line)") }
            for line in rule.counterexamples { #expect(!rule.forbids(line), "\(line)") }
        }
    }
}

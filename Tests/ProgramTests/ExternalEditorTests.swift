import Foundation
import TestSupport
import Testing

@testable import postilla

/// The person's editor: a text comes back as it was saved, and what cannot be taken stays in its file.
@Suite struct ExternalEditorTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// - Parameter body: A script; `$1` is the file.
    private func edit(_ text: String, _ body: String) throws -> ExternalEditor.Outcome {
        try folder.write("editor.sh", "#!/bin/sh\n\(body)\n")
        return try ExternalEditor(command: "/bin/sh '\(folder.path)/editor.sh'", shieldsProgram: false).edit(
            text, in: folder.path)
    }

    private var path: String { "\(folder.path)/note-\(getpid()).txt" }
    private var left: [String] { ExternalEditor.leftFiles(in: folder.path) }

    // MARK: The buffer

    @Test(arguments: ["plain", "", "two\nlines\n", "\r\nold", "e\u{301}\u{1B}[31m", "a\u{202E}b\u{2069}", "x\r"])
    func anUntouchedTextComesBackByteForByte(text: String) {
        let buffer = EditorBuffer(text)
        #expect(buffer.text(of: buffer.contents).utf8.elementsEqual(text.utf8))
        #expect(buffer.contents.hasSuffix("\n"))
    }

    @Test func theFirstLineSaysWhatWasRemovedAndIsRemovedItself() {
        let buffer = EditorBuffer("Read\u{1B}[201~ me\u{7}")
        #expect(
            buffer.contents
                == "[2 control characters were removed from this text. This line is not part of it.]\nRead[201~ me\n")
        #expect(buffer.text(of: buffer.contents.replacing("me", with: "it")) == "Read[201~ it")
        #expect(buffer.text(of: "Read me\n") == "Read me", "the line may be deleted")
        // Some editors write CR LF, also after that line.
        let other = buffer.contents.replacing("\n", with: "\r\n")
        #expect(buffer.text(of: other).isExactly("Read\u{1B}[201~ me\u{7}"))
        #expect(buffer.text(of: other.replacing("me", with: "it\r\nor not")) == "Read[201~ it\nor not")
        #expect(EditorBuffer("Read me").contents == "Read me\n")
    }

    // MARK: The file

    @Test func whatIsSavedIsReturnedAndItsFileStaysUntilItIsStored() throws {
        #expect(try edit("one", #"echo two >> "$1""#) == .saved("one\ntwo", file: path))
        #expect(FileManager.default.fileExists(atPath: path))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test(arguments: [
        (#"printf 'caf\351' > "$1""#, "is not UTF-8"),
        (#"head -c 1200000 /dev/zero | tr '\0' x > "$1""#, "is larger than 1048576 bytes"),
        (#"echo mine > "$1"; exit 3"#, "The editor ended with status 3, so its text was not taken"),
        (#"echo mine > "$1"; kill -9 $$"#, "The editor was ended by signal 9, so its text was not taken"),
    ])
    func whatCannotBeTakenStaysAsAFile(script: String, why: String) throws {
        guard case .notTaken(let sentence) = try edit("one", script) else {
            Issue.record("it was taken")
            return
        }
        #expect(sentence.contains(why), "\(sentence)")
        #expect(sentence.contains(path) && sentence.contains("it is kept"))
        #expect(left == [path])
        // The next text does not take its place.
        let kept = try Data(contentsOf: URL(filePath: path))
        #expect(try edit("two", "true") == .saved("two", file: path.replacing(".txt", with: "-2.txt")))
        #expect(try Data(contentsOf: URL(filePath: path)) == kept)
    }

    @Test(arguments: [
        ("exit 1", "The editor ended with status 1; nothing was changed"),
        ("kill -15 $$", "The editor was ended by signal 15; nothing was changed"),
        (#"rm "$1""#, "The editor left no file; nothing was changed"),
    ])
    func anUnchangedTextLeavesNoFile(script: String, why: String) throws {
        #expect(try edit("one", script) == .notTaken(why))
        #expect(left.isEmpty)
    }

    // MARK: Files left behind

    @Test func filesOfRunningProgramsAreNotLeft() throws {
        // Process 1 runs another program; the parent may be gone.
        for name in ["note-1.txt", "note-1-2.txt", "note-999999999.txt", "note-x.txt", "notes.txt", "note-1.txt.new"] {
            try folder.write(name, "text")
        }
        #expect(
            left.map { $0.split(separator: "/").last.map(String.init) ?? "" } == [
                "note-1-2.txt", "note-1.txt", "note-999999999.txt",
            ])
    }
}

import Foundation
import PDFPages

/// A `pdfinfo` that waits until it is let go, and then is the real one.
final class WaitingTool: Sendable {
    let tools: PDFTools
    private let folder: TemporaryFolder
    private let gate: FileHandle

    init() throws {
        folder = try TemporaryFolder()
        let (program, gate) = (folder.path + "/pdfinfo", folder.path + "/gate")
        guard mkfifo(gate, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
        // For reading too, so that neither end waits for the other.
        self.gate = try FileHandle(forUpdating: URL(fileURLWithPath: gate))
        try Data("#!/bin/sh\nread word < '\(gate)'\nexec pdfinfo \"$@\"\n".utf8).write(
            to: URL(fileURLWithPath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
        tools = PDFTools(directories: [folder.path] + PDFTools.usualDirectories)
    }

    /// Lets go of as many runs, of those that wait or the next ones.
    func letGo(_ runs: Int = 1) throws { try gate.write(contentsOf: Data(repeating: 0x0A, count: runs)) }
}

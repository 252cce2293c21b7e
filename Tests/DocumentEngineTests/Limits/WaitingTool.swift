import Foundation
import PDFPages

/// A `pdfinfo` that blocks until it is released, then runs the real one.
final class WaitingTool: Sendable {
    let tools: PDFTools
    private let folder: TemporaryFolder
    private let gate: FileHandle

    init() throws {
        folder = try TemporaryFolder()
        let (program, gate) = (folder.path + "/pdfinfo", folder.path + "/gate")
        guard mkfifo(gate, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
        // Opened for reading too, so that neither end blocks on opening.
        self.gate = try FileHandle(forUpdating: URL(fileURLWithPath: gate))
        try Data("#!/bin/sh\nread word < '\(gate)'\nexec pdfinfo \"$@\"\n".utf8).write(
            to: URL(fileURLWithPath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
        tools = PDFTools(directories: [folder.path] + PDFTools.usualDirectories)
    }

    /// Releases this many runs, waiting or future ones.
    func letGo(_ runs: Int = 1) throws { try gate.write(contentsOf: Data(repeating: 0x0A, count: runs)) }
}

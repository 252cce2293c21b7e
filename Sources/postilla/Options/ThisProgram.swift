import Glibc

/// The executable that this process runs.
enum ThisProgram {
    /// Its path, wherever it was started from.
    ///
    /// After an upgrade has removed or replaced the file, it is the kernel's name of the file that still runs: it exists as
    /// long as this process, and is the same program.
    static var path: String {
        guard let file, let status = self.status(own) else { return CommandLine.arguments[0] }
        guard let found = self.status(file) else { return own }
        return found.st_dev == status.st_dev && found.st_ino == status.st_ino ? file : own
    }

    /// Where its file is, or was when this process started; nil: unknown.
    static var file: String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes {
            readlink(own, $0.bindMemory(to: CChar.self).baseAddress!, 4096)
        }
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    private static let own = "/proc/self/exe"

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    /// Calls this process by the program's name, also if it was started by the kernel's name of its file.
    static func takeName() {
        guard let file = fopen("/proc/self/comm", "we") else { return }
        fputs("postilla", file)
        fclose(file)
    }
}

import Annotations
import Authorization
import FoundationEssentials
import Subprocess
import SystemPackage

/// This machine's secret store, accessed through libsecret's `secret-tool`. The secret is passed on standard input,
/// never as an argument, and its key is a hash.
struct SecretStore: Sendable {
    /// The folders to search for the tool, in the format of `PATH`.
    var searchPath = ProcessInfo.processInfo.environment["PATH"] ?? ""
    /// A locked keyring that no user can unlock would block indefinitely.
    var timeout = Duration.seconds(5)

    /// - Returns: false when there is no such store, or it does not answer.
    func keep(_ secret: String, as key: String) async -> Bool {
        await run("secret-tool", ["store", "--label=Postilla token"] + attributes(key), input: secret) != nil
    }

    func secret(as key: String) async -> String? {
        let found = await run("secret-tool", ["lookup"] + attributes(key))
        return found?.trimmed
    }

    func forget(_ key: String) async {
        _ = await run("secret-tool", ["clear"] + attributes(key))
    }

    private func attributes(_ key: String) -> [String] { ["service", "postilla", "layer", key] }

    /// - Returns: The tool's output; nil when the tool is missing, fails or times out.
    private func run(_ tool: String, _ arguments: [String], input: String = "") async -> String? {
        let folders = searchPath.split(scalar: ":").map(String.init)
        guard let program = folders.map({ $0 + "/" + tool }).first(where: FileManager.default.isExecutableFile)
        else { return nil }
        guard let said = try? pipe(holding: input) else { return nil }
        return await withTaskGroup(of: String?.self) { group in
            group.addTask {
                let result = try? await Subprocess.run(
                    .path(FilePath(program)), arguments: Arguments(arguments),
                    input: .fileDescriptor(said, closeAfterSpawningProcess: true),
                    output: .string(limit: Claims.maximumTokenBytes + 2), error: .discarded)
                guard let result, case .exited(0) = result.terminationStatus else { return nil }
                return result.standardOutput
            }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
    /// Returns the reading end of a pipe that contains the whole text: a token is far smaller than a pipe's buffer.
    /// Writing while the tool runs would have to be aborted if the tool exits early.
    private func pipe(holding text: String) throws -> FileDescriptor {
        let (readEnd, writeEnd) = try FileDescriptor.pipe()
        do { try writeEnd.closeAfter { _ = try writeEnd.writeAll(text.utf8) } } catch {
            try readEnd.close()
            throw error
        }
        return readEnd
    }
}

import Annotations
import FoundationEssentials
import Subprocess
import SystemPackage

/// Runs `postilla serve` as a child in its own process group. The child prints its address on a pipe and exits when its
/// standard input closes, so that it does not survive even a kill -9 of the parent.
struct DemoServer {
    let folder: DemoFolder

    /// - Parameter body: Receives the server's address; the server stops when it returns.
    func run(_ body: @Sendable (String) async throws -> Void) async throws {
        let last = (try? PrivateFile.read(folder.port).trimmed).flatMap { UInt16($0) } ?? 0
        let port = FreePort.isFree(Int(last), on: "127.0.0.1") ? last : 0
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(3))]
        let log = try FileDescriptor.open(
            FilePath(folder.log), .writeOnly, options: [.create, .append, .closeOnExec], permissions: .ownerReadWrite)
        let result = try await Subprocess.run(
            .path(FilePath(ThisProgram.path)),
            arguments: Arguments([
                "serve", "--host", "127.0.0.1", "--port", String(port), "--data", folder.data,
                "--jwt-public-key", folder.publicKey, "--api-token-file", folder.apiToken, "--exit-with-stdin",
            ]),
            platformOptions: options, input: .inputWriter, output: .sequence,
            error: .fileDescriptor(log, closeAfterSpawningProcess: true)
        ) { execution in
            // The first line of output: {"server":"http://127.0.0.1:5000"}.
            var line: [UInt8] = []
            for try await piece in execution.standardOutput {
                piece.withUnsafeBytes { line.append(contentsOf: $0) }
                if line.contains(0x0A) { break }
            }
            guard let address = (try? JSONReader.parse(line))?["server"]?.string else {
                throw CommandFailure("the demo server did not start; is another demo running? See \(folder.log)")
            }
            if let port = address.split(scalar: ":").last { try PrivateFile.write("\(port)\n", to: folder.port) }
            do {
                try await body(address)
            } catch {
                try? await execution.standardInputWriter.finish()
                throw error
            }
            try await execution.standardInputWriter.finish()
        }
        guard case .exited(0) = result.terminationStatus else {
            throw CommandFailure("the demo server stopped (\(result.terminationStatus)); see \(folder.log)")
        }
    }
}

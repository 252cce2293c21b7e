import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

@testable import postilla

/// A token from a command or a pipe of the user: neither holds up a command for good, and what they say is told.
@Suite struct TokenProgramTests {
    private func message(_ body: () async throws -> String) async -> String {
        do { return "token \(try await body())" } catch let failure as CommandFailure {
            return failure.status == .authentication ? failure.message : "\(failure.status)"
        } catch { return "\(error)" }
    }

    @Test func theTokenIsWhatTheCommandPrints() async throws {
        #expect(try await TokenProgram.token("echo hint >&2; echo abc") == "abc\n")
    }

    @Test func whatAFailingCommandSaysIsTold() async throws {
        let said = await message { try await TokenProgram.token("echo first >&2; echo 'no such item' >&2; exit 3") }
        #expect(said == "the token command failed with exit code 3: no such item")
        let silent = await message { try await TokenProgram.token("kill -TERM $$") }
        #expect(silent == "the token command was ended by signal 15")
    }

    @Test func aCommandThatDoesNotEndIsEnded() async throws {
        let folder = try Folder()
        let said = try await limited("the command is ended") {
            await message {
                try await TokenProgram.token(
                    "echo $$ > \(folder.path)/pid; echo waiting for a key >&2; exec tail -f /dev/null",
                    within: .milliseconds(500))
            }
        }
        #expect(said.hasPrefix("the token command did not end within 0 s"), "\(said)")
        guard let pid = pid_t(folder.text("pid").dropLast()) else { return }
        try await waitUntil("it is gone", seconds: 1_200) { kill(pid, 0) != 0 }
    }

    @Test func aCommandThatPrintsTooMuchIsToldSo() async throws {
        let said = try await limited("the command is ended") {
            await message { try await TokenProgram.token("yes", within: .seconds(600)) }
        }
        #expect(said.contains("the token command printed more than"), "\(said)")
    }

    @Test func aPipeIntoWhichNobodyWritesIsNotWaitedForForEver() async throws {
        let folder = try Folder()
        let path = folder.path + "/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        let said = try await limited("the pipe is given up") {
            await message { try await TokenSource.read(path, within: .milliseconds(100)) }
        }
        #expect(said == "nothing was written into the pipe \(path) in time")
    }

    @Test func aPipeIsReadToItsEnd() async throws {
        let folder = try Folder()
        let path = folder.path + "/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        Thread.detachNewThread {
            guard let file = fopen(path, "w") else { return }
            for part in ["ab", "c\n"] {
                fputs(part, file)
                fflush(file)
            }
            fclose(file)
        }
        #expect(try await TokenSource.read(path, within: .seconds(600)) == "abc\n")
        let file = try folder.write("token", "def\n")
        #expect(try await TokenSource.read(file) == "def\n")
    }
}

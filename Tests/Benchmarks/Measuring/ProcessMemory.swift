import EngineSupport
import Foundation

/// The memory of a process as the kernel counts it, in bytes.
///
/// `VmHWM` is the peak of everything resident, including code and mapped files. `RssAnon` is the memory that the
/// process itself has written; the kernel keeps no peak of it, so it is polled.
struct ProcessMemory {
    private(set) var peakResident = 0
    private(set) var peakAnonymous = 0

    mutating func note(process: Int32) {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return }
        for line in status.split(separator: "\n") {
            if line.hasPrefix("VmHWM:") { peakResident = max(peakResident, Self.bytes(line)) }
            if line.hasPrefix("RssAnon:") { peakAnonymous = max(peakAnonymous, Self.bytes(line)) }
        }
    }

    mutating func merge(_ other: ProcessMemory) {
        peakResident = max(peakResident, other.peakResident)
        peakAnonymous = max(peakAnonymous, other.peakAnonymous)
    }

    /// Returns the size in a line such as `VmHWM:      7120 kB`.
    private static func bytes(_ line: Substring) -> Int {
        (line.split(separator: " ").compactMap { Int($0) }.first ?? 0) * 1024
    }
}

extension ServerProcess {
    /// The server's peak of resident memory, and its anonymous memory now.
    var memory: ProcessMemory {
        var memory = ProcessMemory()
        memory.note(process: processID)
        return memory
    }

    /// Its anonymous memory now, in bytes.
    var memoryNow: Int {
        var memory = ProcessMemory()
        memory.note(process: processID)
        return memory.peakAnonymous
    }
}

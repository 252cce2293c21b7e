import EngineSupport
import Foundation

/// What a process holds, as the kernel counts it, in bytes.
///
/// `VmHWM` is the peak of everything resident, code and files that are mapped included. `RssAnon` is what the process
/// has written itself; the kernel keeps no peak of it, so it is read again and again.
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

    /// Of a line such as `VmHWM:      7120 kB`.
    private static func bytes(_ line: Substring) -> Int {
        (line.split(separator: " ").compactMap { Int($0) }.first ?? 0) * 1024
    }
}

extension ServerProcess {
    /// What the server holds now, at its peak.
    var memory: ProcessMemory {
        var memory = ProcessMemory()
        memory.note(process: processID)
        return memory
    }

    /// What it has written itself and holds at this moment, in bytes.
    var memoryNow: Int {
        var memory = ProcessMemory()
        memory.note(process: processID)
        return memory.peakAnonymous
    }
}

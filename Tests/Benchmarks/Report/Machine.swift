import Foundation

/// What the figures were measured on. Never the machine's name.
enum Machine {
    static var text: String {
        let information = ProcessInfo.processInfo
        let memory = Double(information.physicalMemory) / 1_073_741_824
        return """
            Machine: \(information.activeProcessorCount) cores (\(processor)), \(String(format: "%.0f", memory)) GB, \(kernel).
            Load before: \(load ?? "unknown"). \(isBusy ? "THE MACHINE IS BUSY: only ratios of one run may be compared." : "")
            """
    }

    /// Whether more than half a core was at work during the last minute.
    static var isBusy: Bool { (load.flatMap(Double.init) ?? 0) > 0.5 }

    private static var load: String? { firstWord(of: "/proc/loadavg") }

    private static var processor: String {
        let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
        let name = lines.first { $0.hasPrefix("model name") }?.split(separator: ":").last
        return name?.trimmingCharacters(in: .whitespaces) ?? "unknown"
    }

    private static var kernel: String {
        "Linux " + (firstWord(of: "/proc/sys/kernel/osrelease") ?? "unknown")
    }

    private static func firstWord(of file: String) -> String? {
        (try? String(contentsOfFile: file, encoding: .utf8))?.split(whereSeparator: \.isWhitespace).first.map(
            String.init)
    }
}

import Foundation

/// The machine on which the figures were measured, without its name.
enum Machine {
    static var text: String {
        let information = ProcessInfo.processInfo
        let memory = Double(information.physicalMemory) / 1_073_741_824
        return """
            Machine: \(information.activeProcessorCount) cores (\(processor)), \(String(format: "%.0f", memory)) GB, \(kernel).
            Load before: \(load ?? "unknown"). \(isBusy ? "THE MACHINE IS BUSY: compare only ratios within one run." : "")
            """
    }

    /// Whether more than half a core was busy during the last minute.
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

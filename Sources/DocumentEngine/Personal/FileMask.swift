import Annotations
import Glibc

/// The permissions that a process takes from the files that it makes (umask(2)).
package enum FileMask {
    /// That of this process, a `mode_t`. It is read once: asking the kernel changes it for a moment, in all threads.
    package static let current: UInt32 = {
        // Linux tells it without that.
        if let file = fopen("/proc/self/status", "re") {
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 256)
            while fgets(&line, CInt(line.count), file) != nil {
                let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                guard text.begins(with: "Umask:") else { continue }
                let digits = text.unicodeScalars.filter { ("0"..."7").contains($0) }
                return UInt32(String(String.UnicodeScalarView(digits)), radix: 8) ?? 0o077
            }
        }
        let mask = umask(0o077)
        umask(mask)
        return mask
    }()
}

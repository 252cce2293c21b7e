import Foundation

/// A folder that is deleted with its test.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory().trimmingSuffixSlash + "/postilla-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var url: URL { URL(fileURLWithPath: path) }
}

extension String {
    fileprivate var trimmingSuffixSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}

import Children
import Foundation

/// Files that are not readable PDFs.
enum BadFile: Sendable {
    case empty, text, cut, encrypted

    func bytes(_ folder: TemporaryFolder) throws -> [UInt8] {
        switch self {
        case .empty: return []
        case .text: return Array("hello".utf8)
        case .cut: return Array(Samples.pdf.prefix(200))
        case .encrypted:
            let (plain, locked) = (folder.path + "/plain.pdf", folder.path + "/locked.pdf")
            try Data(Samples.pdf).write(to: URL(fileURLWithPath: plain))
            let process = try ChildProcess.run(
                URL(fileURLWithPath: "/usr/bin/env"),
                arguments: ["qpdf", "--encrypt", "a password", "owner", "256", "--", plain, locked])
            process.waitUntilExit()
            return Array(try Data(contentsOf: URL(fileURLWithPath: locked)))
        }
    }
}

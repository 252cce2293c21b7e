import Children
import Foundation

/// A temporary folder for one test, removed when the test ends.
final class Folder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("pages-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file and returns its path.
    func write(_ bytes: [UInt8], as name: String = "file.pdf") throws -> String {
        let file = path + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        return file
    }

    /// Renders the first page of a PDF in low resolution as PPM (pdftoppm).
    func picture(of pdf: String) throws -> [UInt8] {
        let process = try ChildProcess.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            arguments: ["pdftoppm", "-r", "36", "-f", "1", "-l", "1", "-singlefile", pdf, path + "/page"])
        process.waitUntilExit()
        return Array(try Data(contentsOf: URL(fileURLWithPath: path + "/page.ppm")))
    }

    /// Renders a page of a PDF in low resolution as PPM (pdftoppm).
    func picture(ofPage page: Int, of pdf: String) throws -> [UInt8] {
        let process = try ChildProcess.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            arguments: ["pdftoppm", "-r", "72", "-f", "\(page)", "-l", "\(page)", "-singlefile", pdf, path + "/page"])
        process.waitUntilExit()
        return Array(try Data(contentsOf: URL(fileURLWithPath: path + "/page.ppm")))
    }

    /// Writes an executable script that replaces one of the tools.
    func tool(_ name: String, script: String) throws {
        let file = try write(Array(script.utf8), as: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
    }
}

/// Files next to the package, present only on some machines.
enum Samples {
    static let all: [String] = {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../shared/samples").standardized
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
        return names.filter { $0.hasSuffix(".pdf") }.sorted().map { root.appendingPathComponent($0).path }
    }()
}

import Foundation

/// A folder that is deleted with its test.
final class Folder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/postilla-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file that only this user can read.
    @discardableResult
    func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let path = "\(path)/\(name)"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    @discardableResult
    func write(_ name: String, _ text: String) throws -> String { try write(name, text.utf8) }

    /// A file's text for failure messages; empty without a file.
    func text(_ name: String) -> String { (try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)) ?? "" }

    func makeFolder(_ name: String) throws -> String {
        let path = "\(path)/\(name)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// Files with this name below the path.
    static func paths(below path: String, named name: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix("/" + name) }.map { "\(path)/\($0)" }
    }

    /// Whether a path is a folder, or a file without bytes.
    static func isEmpty(_ path: String) -> Bool {
        let facts = try? FileManager.default.attributesOfItem(atPath: path)
        return facts?[.type] as? FileAttributeType == .typeDirectory || facts?[.size] as? Int == 0
    }

    /// Files below the path that contain this text.
    static func files(below path: String, holding text: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return all.filter { name in
            let bytes = try? Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))
            return bytes?.range(of: Data(text.utf8)) != nil
        }
    }
}

import Annotations
import FoundationEssentials

/// The sample PDFs that ship with the program.
enum Samples {
    /// Searches upwards from the executable: `Resources/samples` in a checkout, `share/postilla/samples` when
    /// installed.
    static func folder() throws -> String {
        var parts = (ThisProgram.file ?? ThisProgram.path).split(scalar: "/").dropLast()
        while !parts.isEmpty {
            let parent = "/" + parts.joined(separator: "/")
            for candidate in [parent + "/Resources/samples", parent + "/share/postilla/samples"]
            where FileManager.default.fileExists(atPath: candidate) {
                return candidate
            }
            parts = parts.dropLast()
        }
        throw CommandFailure("sample PDFs not found (Resources/samples); reinstall postilla")
    }

    /// Returns the paths of the PDFs with their document ids: the file names without the extension.
    static func all() throws -> [(path: String, documentID: String)] {
        let folder = try folder()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.ends(with: ".pdf") }
            .sorted()
        return names.map { (folder + "/" + $0, String($0.dropLast(scalars: 4))) }
    }
}

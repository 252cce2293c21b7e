import FoundationEssentials

/// The sample PDFs that come with the program.
enum Samples {
    /// Looks upwards from the executable: in a checkout they are in `Resources/samples`, installed in
    /// `share/postilla/samples`.
    static func folder() throws -> String {
        var parts = DemoServer.executable.split(separator: "/").dropLast()
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

    /// Paths of the PDFs with the document ids they get: their names without the ending.
    static func all() throws -> [(path: String, documentID: String)] {
        let folder = try folder()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".pdf") }.sorted()
        return names.map { (folder + "/" + $0, String($0.dropLast(4))) }
    }
}

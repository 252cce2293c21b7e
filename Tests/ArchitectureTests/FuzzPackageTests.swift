import Foundation
import Testing

/// The package for libFuzzer names its modules by hand, and no other test builds it.
@Suite("The fuzz package")
struct FuzzPackageTests {
    @Test func itsModulesNameWhatTheyImport() throws {
        let package = try SourceFile.read("Tests/Fuzz/Package.swift").lines.joined(separator: "\n")
        let project = Set(try SourceFile.folders(below: "Sources"))
        var seen = 0
        for match in package.matches(of: /module\(\s*"(\w+)"(?:,\s*\[([^\]]*)\])?\s*\)/) {
            let module = String(match.1)
            let folder = SourceFile.root + "/Tests/Fuzz/Sources/" + module
            // Of other modules, only some files are in the package.
            guard (try? FileManager.default.destinationOfSymbolicLink(atPath: folder)) != nil else { continue }
            let named = Set((match.2 ?? "").matches(of: /"(\w+)"/).map { String($0.1) })
            for file in try SourceFile.sources.get() where file.module == module {
                for (imported, line) in file.imports where project.contains(imported) {
                    seen += 1
                    #expect(named.contains(imported), "\(module) lacks \(imported): \(file.path):\(line)")
                }
            }
        }
        #expect(seen > 100, "modules and imports are found at all")
    }
}

import Testing

/// SwiftPM lets a target import any module that is already built; these tests do not.
@Suite("Who imports whom")
struct ImportTests {
    /// Part of the toolchain and allowed everywhere.
    private static let everywhere: Set = ["Swift", "Synchronization"]

    @Test func everyModuleHasItsRow() throws {
        let modules = try SourceFile.folders(below: "Sources").filter { !$0.hasPrefix("C") }
        #expect(try ModuleTable().mayImport.keys.sorted() == modules)
    }

    @Test func importsAreThoseOfTheTable() throws {
        let table = try ModuleTable()
        var seen = 0
        for file in try SourceFile.sources.get() {
            let allowed = try #require(table.mayImport[file.module], "\(file.path)").union(Self.everywhere)
            for (module, line) in file.imports {
                seen += 1
                if !allowed.contains(module) {
                    Issue.record("\(file.path):\(line): \(file.module) may not import \(module) (docs/architecture.md)")
                }
            }
        }
        #expect(seen > 100, "import lines are found at all")
    }

    @Test func librariesStayInTheirFolders() throws {
        let table = try ModuleTable()
        #expect(table.onlyIn.count > 5)
        for file in try SourceFile.sources.get() {
            for (module, line) in file.imports {
                guard let folders = table.onlyIn[module] else { continue }
                if !folders.contains(where: { file.path.hasPrefix($0 + "/") }) {
                    Issue.record("\(file.path):\(line): \(module) belongs in \(folders.joined(separator: ", "))")
                }
            }
        }
    }

    @Test("Client and server meet in the executable only, and so do library and screen")
    func sidesStayApart() throws {
        let sides: [(Set<String>, Set<String>)] = [
            (["InstantCore", "Instant"], ["EngineCore", "DocumentEngine"]),
            (["Instant", "EngineCore", "DocumentEngine"], ["Screen", "App", "Terminal"]),
        ]
        for (module, imports) in try ModuleTable().mayImport where module != "postilla" {
            let known = imports.union([module])
            for (one, other) in sides {
                #expect(known.isDisjoint(with: one) || known.isDisjoint(with: other), "\(module)")
            }
        }
    }

    @Test(
        "The reader of import lines recognises every form",
        arguments: [
            ("import A", "A"), ("  public import A", "A"), ("@testable import A", "A"),
            ("@preconcurrency package import A", "A"),
            ("import struct A.B", "A"), ("@_spi(X) import A", "A"), ("// import A", nil), ("let important = 1", nil),
        ] as [(String, String?)])
    func importLines(line: String, module: String?) {
        #expect(SourceFile(path: "", lines: [line]).imports.first?.module == module)
    }
}

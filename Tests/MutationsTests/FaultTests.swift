import TestSupport
import Testing

@testable import mutations

/// Checks that the code to be replaced by each fault of `make mutations` still exists, and that the copy has every
/// module that it imports.
@Suite("Faults to plant") struct FaultTests {
    @Test(arguments: Fault.all)
    func standsWhereItSays(fault: Fault) throws {
        let text = try Repository.text("Sources/" + fault.file)
        #expect(try fault.plant(in: text, condition: "(planted == 1)") != text)
    }

    /// Otherwise the copy does not build.
    @Test func theCopyHasWhatItsFilesImport() throws {
        for (path, text) in try Workshop.files() where path.hasSuffix(".swift") && path != "Package.swift" {
            #expect(Workshop.imports(of: text).subtracting(Workshop.modules) == [], "\(path)")
        }
    }

    @Test func eachHasANameOfItsOwn() {
        #expect(Set(Fault.all.map(\.name)).count == Fault.all.count)
    }
}

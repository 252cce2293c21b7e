import Testing

@testable import PDFPages

@Suite("Whether a file is whole")
struct ConditionTests {
    private let tools = PDFTools()

    private func isDamaged(_ bytes: [UInt8]) async throws -> Bool {
        let folder = try Folder()
        return try await tools.condition(of: folder.write(bytes, as: "file.pdf")).isDamaged
    }

    @Test(arguments: FileForms.sound.map(\.name)) func aSoundFileIsWhole(_ name: String) async throws {
        let bytes = try #require(FileForms.sound.first { $0.name == name }).bytes
        #expect(try await !isDamaged(bytes))
    }

    @Test func aFileWithoutItsEndIsDamaged() async throws {
        let bytes = FileForms.classic(FileForms.objects)
        #expect(try await isDamaged(Array(bytes.dropLast(200))))
    }

    /// Only objects that are not where the file says count as damage.
    @Test(arguments: FileForms.unsound.map(\.name)) func onlyMisplacedObjectsAreDamage(_ name: String) async throws {
        let bytes = try #require(FileForms.unsound.first { $0.name == name }).bytes
        let isDamaged = try await isDamaged(bytes)
        #expect(isDamaged == (name.contains("wrong") || name.contains("too far")), "\(name)")
    }

    @Test func aWarningThatChangesNothingIsNoDamage() async throws {
        var objects = FileForms.objects
        objects[6] = objects[6]!.replacing("/X(kept)", with: "/X(lost)/X(kept)")
        #expect(try await !isDamaged(FileForms.classic(objects)))
    }
}

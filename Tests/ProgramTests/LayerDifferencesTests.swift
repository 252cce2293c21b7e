import Interchange
import Testing

@testable import postilla

/// Swift's `==` takes both spellings of a name for the same text.
struct LayerDifferencesTests {
    private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

    private static func items(_ ids: String..., by user: String = "ana") throws -> [InstantJSONFile.Item] {
        let notes = ids.map { id in
            #"{"id":"\#(id)","createdBy":"\#(user)","updatedBy":"\#(user)","group":"\#(user)","v":1,"#
                + #""type":"pspdfkit/note","pageIndex":0,"bbox":[1,2,3,4],"text":"words"}"#
        }
        let file =
            #"{"format":"https://pspdfkit.com/instant-json/v1","annotations":[\#(notes.joined(separator: ","))]}"#
        return try InstantJSONFile(Array(file.utf8)).annotations
    }

    @Test func recordsWhoseIDsLookAlikeAreDifferent() throws {
        let (one, other) = (try Self.items(Self.composed), try Self.items(Self.decomposed))
        #expect(LayerDifferences(from: one, to: other).all.map(\.kind) == [.added, .removed])
        #expect(LayerDifferences(from: one + other, to: other + one).all.isEmpty)
    }

    @Test func usersAndGroupsThatLookAlikeAreDifferent() throws {
        let (one, other) = (try Self.items("n", by: Self.composed), try Self.items("n", by: Self.decomposed))
        let members = LayerDifferences(from: one, to: other).all.flatMap(\.members)
        #expect(members == ["group", "createdBy", "updatedBy"])
    }
}

import Annotations
import EngineCore
import SyncProtocol
import Testing

@Suite("Records that name an attachment") struct AttachmentChangeTests {
    private let world: World
    private let picture = AttachmentID(String(repeating: "1", count: 64))!
    private let other = AttachmentID(String(repeating: "2", count: 64))!

    init() throws { world = try World() }

    private func image(_ id: AttachmentID) -> Content {
        World.content("pspdfkit/image", "", more: [("imageAttachmentId", .string(id.hex))])
    }

    private func upload(_ id: AttachmentID) throws {
        try world.store.write { try $0.put(StoredAttachment(id, document: "doc", bytes: 1, at: World.now)) }
    }

    @Test func theFileComesFirst() throws {
        let early = try world.push(.create, "a", image(picture))
        #expect((early.status, early.reason) == (.invalid, "the attachment it names was not uploaded"))
        try upload(picture)
        #expect(try world.push(.create, "a", image(picture)).status == .applied)
    }

    @Test func anUpdateMayKeepItsFileAndMayNotNameAMissingOne() throws {
        try upload(picture)
        try world.push(.create, "a", image(picture))
        try world.store.write { try $0.removeAttachment(picture, of: "doc") }
        let moved = image(picture).changing { $0["bbox"] = [9, 9, 9, 9] }
        #expect(try world.push(.update, "a", at: 1, moved).status == .applied, "it named it before")
        #expect(try world.push(.update, "a", at: 2, image(other)).status == .invalid)
        try upload(other)
        #expect(try world.push(.update, "a", at: 2, image(other)).status == .applied)
    }

    @Test func aFileOfAnotherDocumentIsNotThere() throws {
        try world.store.write { try $0.put(StoredAttachment(picture, document: "else", bytes: 1, at: World.now)) }
        #expect(try world.push(.create, "a", image(picture)).status == .invalid)
    }
}

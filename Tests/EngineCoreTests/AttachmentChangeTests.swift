import Annotations
import EngineCore
import SyncProtocol
import Testing

@Suite("Records that name an attachment") struct AttachmentChangeTests {
    private let world: World
    private let picture = AttachmentID(String(repeating: "1", count: 64))!
    private static let refused =
        "its attachment was not uploaded by this user in this layer; upload it first"
    private let other = AttachmentID(String(repeating: "2", count: 64))!

    init() throws { world = try World() }

    private func image(_ id: AttachmentID) -> Content {
        World.content("pspdfkit/image", "", more: [("imageAttachmentId", .string(id.hex))])
    }

    private func upload(_ id: AttachmentID, by user: String? = "ana") throws {
        let layer = try world.layer
        try world.store.write {
            try $0.put(StoredAttachment(id, document: "doc", bytes: 1, at: World.now))
            try $0.addUpload(of: id, by: user, in: layer)
        }
    }

    @Test func theFileComesFirst() throws {
        let early = try world.push(.create, "a", image(picture))
        #expect((early.status, early.reason) == (.invalid, Self.refused))
        try upload(picture)
        #expect(try world.push(.create, "a", image(picture)).status == .applied)
    }

    @Test func anUpdateMayKeepItsFileAndMayNotNameAMissingOne() throws {
        try upload(picture)
        try world.push(.create, "a", image(picture))
        try world.store.write { try $0.removeAttachment(picture, of: "doc") }
        let moved = image(picture).changing { $0["bbox"] = [9, 9, 9, 9] }
        #expect(try world.push(.update, "a", at: 1, moved).status == .applied, "the record already named the file")
        #expect(try world.push(.update, "a", at: 2, image(other)).status == .invalid)
        try upload(other)
        #expect(try world.push(.update, "a", at: 2, image(other)).status == .applied)
    }

    @Test(arguments: [.string("logo.png"), .string(""), 7, [], .string(String(repeating: "A", count: 64))] as [JSON])
    func aNameThatIsNoHashIsInvalid(_ name: JSON) throws {
        @Sendable func image(_ name: JSON) -> Content {
            World.content("pspdfkit/image", "", more: [("imageAttachmentId", name)])
        }
        let reason = InvalidContent.badAttachmentName.description
        let new = try world.push(.create, "a", image(name))
        #expect((new.status, new.reason) == (.invalid, reason))
        #expect(throws: APIError(.invalid, reason)) {
            try world.backend { try $0.create("a", image(name), user: nil, group: nil) }
        }
        // Stored by an earlier version: it may be kept, but not replaced by another one.
        let layer = try world.layer
        try world.store.write { store in
            var writer = LayerWriter(layer, in: store, now: World.now)
            let record = Record(id: "a", content: image(name), createdBy: "ana", updatedBy: "ana")
            try writer.write(record, contentType: .annotations, rootID: nil, over: nil, client: nil)
        }
        let moved = image(name).changing { $0["bbox"] = [9, 9, 9, 9] }
        #expect(try world.push(.update, "a", at: 1, moved).status == .applied)
        try world.backend { try $0.replace("a", image(name), user: nil, group: nil) }
        #expect(try world.push(.update, "a", at: 3, image("other.png")).status == .invalid)
        #expect(try world.push(.update, "a", at: 3, image(.null)).status == .applied)
    }

    // MARK: Ownership of files

    @Test func onlyWhoUploadedAFileMayNameIt() throws {
        try upload(picture)
        for user in ["bo", nil] {
            let answer = try world.push(.create, "b", image(picture), client: user ?? "x", as: World.grant(user))
            #expect((answer.status, answer.reason) == (.invalid, Self.refused))
        }
        #expect(try world.push(.create, "a", image(picture)).status == .applied)
    }

    @Test func whoSeesARecordThatNamesAFileMayNameItToo() throws {
        try upload(picture)
        try world.push(.create, "a", group: "secret", image(picture), as: World.grant("ana", group: "secret"))
        let rules = ["annotations:view:group=open", "annotations:edit:self", "annotations:view:self"]
        let outside = World.grant("bo", rules, group: "open")
        let inside = World.grant("cy", ["annotations:view:group=secret"], group: "open")
        let hidden = try world.push(.create, "b", group: "open", image(picture), client: "b", as: outside)
        let missing = try world.push(.create, "b", group: "open", image(other), client: "b", as: outside)
        #expect((hidden.status, hidden.reason) == (.invalid, Self.refused))
        #expect((missing.status, missing.reason) == (hidden.status, hidden.reason), "the same response")
        try world.push(.create, "own", group: "open", World.note("x"), client: "b", as: outside)
        let base = try #require(try world.record("own")).revision
        let moved = try world.push(.update, "own", at: base, group: "open", image(picture), client: "b", as: outside)
        #expect((moved.status, moved.reason) == (.invalid, Self.refused))
        let seen = try world.push(.create, "c", group: "open", image(picture), client: "cy", as: inside)
        #expect(seen.status == .applied)
        // A deleted record grants no access, not even to its file.
        for id in ["a", "c"] {
            try world.push(.delete, id, at: try #require(try world.record(id)).revision, client: "d")
        }
        let late = try world.push(.create, "d", group: "open", image(picture), client: "cy", as: inside)
        #expect((late.status, late.reason) == (.invalid, Self.refused))
    }

    @Test func aFileOfAnotherLayerIsNotThere() throws {
        let other = try world.store.write {
            try $0.addLayer(LayerKey(document: "doc", name: "other"), generation: "h")
        }
        try world.store.write {
            try $0.put(StoredAttachment(self.picture, document: "doc", bytes: 1, at: World.now))
            try $0.addUpload(of: self.picture, by: "ana", in: other)
        }
        #expect(try world.push(.create, "a", image(picture)).reason == Self.refused)
    }

    @Test func aBackendMayNameAnyFileOfTheDocument() throws {
        try upload(picture)
        let content = image(picture)
        try world.backend { try $0.create("a", content, user: nil, group: nil) }
        #expect(try world.isLive("a"))
    }

    @Test func aFileOfAnotherDocumentIsNotThere() throws {
        try world.store.write { try $0.put(StoredAttachment(picture, document: "else", bytes: 1, at: World.now)) }
        #expect(try world.push(.create, "a", image(picture)).status == .invalid)
    }
}

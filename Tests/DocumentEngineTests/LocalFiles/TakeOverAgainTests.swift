import Annotations
import FileCore
import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

@testable import DocumentEngine

@Suite("Taking over a state although there is a database, or twice") struct TakeOverAgainTests {
    private let scene: TakeOverScene
    private static let other = "01J5Z3V6S8Q4T2W0X9Y7A1B3C5"

    init() throws { scene = try TakeOverScene() }

    /// As a kill between the two leaves it.
    @Test(arguments: [false, true])
    func aStateThatIsFoundOnceMoreDoublesNothing(_ isEdited: Bool) async throws {
        let state = try await scene.state()
        try scene.keep(state)
        let file = try await scene.open()
        if isEdited { try await edit(file, "new", "kept and edited") }
        scene.stop()
        try scene.keep(state)
        let again = try await scene.open()
        #expect(again.document == file.document && again.state.unwritten == 2 && scene.isTakenOver(again))
        let texts = ["edited", isEdited ? "kept and edited" : "kept", "second"]
        #expect(try scene.layerTexts(again) == texts)
        _ = try await again.write(.init())
        #expect(try await scene.texts() == texts)
    }

    /// As a kill leaves it that comes while the database is made.
    @Test func anUnfinishedDatabaseIsMadeAnew() async throws {
        try scene.keep(try await scene.state())
        let path = FileDatabase.path(in: scene.home)
        try scene.write(try FileSchema.empty.get(), to: path)
        try scene.write([1], to: path + "-journal")
        let file = try await scene.open()
        #expect(file.document == TakeOverScene.document && file.state.unwritten == 2 && scene.isTakenOver(file))
    }

    /// An earlier program has gone on with the file that has a database.
    private func goOn(_ change: (inout EarlierState) async throws -> Void) async throws -> LocalFile {
        let first = try await scene.open()
        try await edit(first, "mine", "in the database")
        scene.stop()
        var state = try await scene.state()
        state.document = Self.other
        try await change(&state)
        try scene.keep(state)
        let attachments = state.attachments
        for id in attachments { try scene.write(TakeOverScene.png, to: "\(scene.kept)/\(Self.other)/\(id.hex)") }
        let file = try await scene.open()
        #expect(file.document == first.document && access("\(scene.kept)/\(Self.other)", F_OK) != 0)
        return file
    }

    @Test func whatAnEarlierProgramHasAddedComesToTheDatabase() async throws {
        let file = try await goOn { state in
            state.rows[ByteOrdered("picture")] = .init(local: TakeOverScene.picture("picture", of: TakeOverScene.png))
        }
        #expect(file.state.unwritten == 4 && file.state.conflicts.isEmpty)
        #expect(try scene.layerTexts(file) == ["", "edited", "in the database", "kept", "second"])
        #expect(try await file.write(.init()).records == 4)
        #expect(try scene.hasPicture())
        #expect(try await scene.texts().count == 5)
    }

    @Test func whatBothProgramsHaveChangedIsInConflict() async throws {
        let first = try await scene.open()
        try await edit(first, "first-note", "edited here")
        scene.stop()
        let file = try await goOn { _ in }
        #expect(file.state.conflicts.count == 1 && file.state.unwritten == 3)
        #expect(try scene.layer(file)["first-note"].map { Annotation($0).text } == "edited here")
        try await file.decide("first-note", .remote)
        _ = try await file.write(.init())
        #expect(try await scene.texts() == ["edited", "in the database", "kept", "second"])
    }

    /// Nobody has decided, and the file's version must not be written over.
    @Test(arguments: [false, true])
    func aConflictOfTheEarlierProgramStaysOne(_ isDeletion: Bool) async throws {
        let file = try await goOn { state in
            let id = ByteOrdered("first-note")
            let row = state.rows[id]
            if isDeletion { state.rows[id]?.local = row?.base }
            state.conflicts[id] = .init(base: nil, local: isDeletion ? nil : row?.local, remote: row?.base)
        }
        #expect(file.state.conflicts.count == 1 && file.state.unwritten == 3)
        _ = try await file.write(.init())
        #expect(try await scene.texts() == ["first", "in the database", "kept", "second"])
        try await file.decide("first-note", .local)
        _ = try await file.write(.init())
        #expect(try await scene.texts() == (isDeletion ? [] : ["edited"]) + ["in the database", "kept", "second"])
    }

    @Test func twoStatesOfOneFileAreBothTakenOver() async throws {
        let state = try await scene.state()
        try scene.keep(state)
        var other = EarlierState(document: Self.other, path: scene.path, version: state.version)
        other.rows[ByteOrdered("other")] = .init(local: TakeOverScene.note("other", "other"))
        other.rows[ByteOrdered("picture")] = .init(local: TakeOverScene.picture("picture", of: TakeOverScene.png))
        try scene.keep(other)
        for id in other.attachments { try scene.write(TakeOverScene.png, to: "\(scene.kept)/\(Self.other)/\(id.hex)") }
        let file = try await scene.open()
        #expect(file.state.unwritten == 4)
        #expect(try scene.layerTexts(file) == ["", "edited", "kept", "other", "second"])
        #expect(try await file.write(.init()).records == 4)
        #expect(try scene.hasPicture())
    }

    /// What is kept on disk must not go with the memory of a session.
    @Test func aPrivateSessionTakesNothingOver() async throws {
        let file = try await scene.open(isPrivate: true)
        #expect(file.state.isPrivate)
        scene.stop()
        let state = try await scene.state()
        try scene.keep(state)
        try await scene.takeOver()
        #expect(KeptFiles(folder: scene.kept).all().files.map(\.unwritten) == [2])
    }

    @Test(arguments: ["cut", "empty"])
    func aDamagedStateIsNamedAndStays(_ damage: String) async throws {
        let state = try await scene.state()
        try scene.keep(state)
        let path = scene.home + "/state.json"
        let bytes = damage == "empty" ? [] : Array(try scene.bytes(path).dropLast(20))
        try scene.write(bytes, to: path)
        let file = try await scene.open()
        let damaged = try await scene.engine().damage(concerning: file)
        #expect(damaged.map(\.path) == [scene.home + ".damaged/state.json"])
        #expect(damaged.map(\.pdf) == [damage == "empty" ? nil : scene.path] && file.state.unwritten == 0)
        #expect(try scene.bytes(scene.home + ".damaged/state.json") == bytes)
    }

    /// It was taken over already, and the folder has a database that is in use.
    @Test func aDamagedStateBesideADatabaseLeavesTheDatabase() async throws {
        try scene.keep(try await scene.state())
        _ = try await scene.open()
        scene.stop()
        try scene.write([1], to: scene.home + "/state.json")
        let file = try await scene.open()
        #expect(file.document == TakeOverScene.document && file.state.unwritten == 2)
        #expect(try await file.write(.init()).records == 2)
        #expect(try await scene.engine().damage(concerning: file).map(\.path) == [scene.home + "/state.json"])
    }

    /// Writes a note into the layer as a push does.
    private func edit(_ file: LocalFile, _ id: Record.ID, _ text: String) async throws {
        let known = try scene.layer(file)[id]
        try await scene.push(file, known?.withText(text) ?? TakeOverScene.note(id, text))
    }
}

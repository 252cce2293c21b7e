import Annotations
import Authorization
import Foundation
import InstantCore
import SyncProtocol
import TestSupport
import Testing

@testable import Instant

/// The arrangements of docs/permissions.md as whole stories: a real server, a person with the library for each token, and
/// somebody with the same token who tries what it does not allow.
@Suite("Scenarios", .timeLimit(.minutes(15))) struct ScenarioTests {
    private static let pdf = SmallPDF(annotations: [
        "<</Type/Annot/Subtype/Highlight/Rect[100 600 160 620]/QuadPoints[100 620 160 620 100 600 160 600]"
            + "/Contents(printed)/T(Author)>>"
    ]).bytes
    /// The highlight the PDF came with: the number of its object.
    private static let printed = "6"

    private let folder: TemporaryFolder
    private let server: LiveServer

    init() async throws {
        folder = try TemporaryFolder()
        server = try await LiveServer(folder: folder)
        try await server.upload(Self.pdf)
    }

    // MARK: A class

    @Test func inAClassEverybodyReadsWhatIsPublicAndAnswersIt() async throws {
        let (tom, stella, stan) = try await (teacher(), student("stella"), student("stan"))
        for person in [tom, stella, stan] { #expect(try person.sees(Self.printed)) }
        let line = try stella.document.beginThread(highlight("stella's"), text: .plain("is this right?"))
        for person in [tom, stan] { try await person.awaits(line.comment) }
        // Teachers may delete it, not edit it; other students only answer.
        #expect(try tom.rights(line.root) == [.delete, .reply])
        #expect(try stan.rights(line.root) == [.reply])
        #expect(try stella.rights(line.root) == [.edit, .delete, .reply, .setGroup])
        #expect(try tom.document.problem(with: .edit, on: line.root) == "needs annotations:edit:group=public")
        for person in [tom, stan] {
            person.isDenied { try $0.update(line.root, content: highlight("better")) }
        }
        stan.isDenied { try $0.remove(line.root) }
        // Everybody answers, also at what is printed; nobody rewords another's answer.
        let yes = try tom.document.reply(to: line.root, text: "it is")
        let why = try stan.document.reply(to: line.root, text: "why?")
        let here = try stan.document.reply(to: Self.printed, text: "and here?")
        for id in [yes, why, here] { try await stella.awaits(id) }
        stella.isDenied { try $0.reword(why, text: "indeed") }
        try await tom.awaits(why)
        tom.isDenied { try $0.reword(why, text: "indeed") }
        try tom.document.remove(why)
        try await stella.misses(why)
        try await stan.misses(why)
        // The teacher takes down what a student published, with all that was said about it.
        try tom.document.remove(line.root)
        try await stella.misses(line.root)
        try await stan.misses(yes)
        try await server.stop()
    }

    @Test func inAClassPrivateNotesAreTheirOwnersAlone() async throws {
        let (tom, stella, stan) = try await (teacher(), student("stella"), student("stan"))
        try stella.descriptor.overrideDefaultGroup(with: "private-stella")
        let secret = try stella.document.beginThread(highlight("doubt"), text: .plain("not sure"))
        #expect(try stella.document.record(secret.root)?.instantRecordGroup == "private-stella")
        try stella.descriptor.resetDefaultGroup()
        let open = try stella.document.add(note("for all"))
        // What comes later has come: what came before and is not there never will.
        for person in [tom, stan] {
            try await person.awaits(open)
            #expect(try !person.sees(secret.root) && !person.sees(secret.comment))
        }
        // Not into the private group of another, and not before anything is sent.
        try stella.descriptor.overrideDefaultGroup(with: "private-tom")
        stella.isDenied { try $0.add(note("smuggled")) }
        try stella.descriptor.resetDefaultGroup()
        try await stella.awaits { stella.descriptor.status.unsent == 0 }
        // A client that can move records publishes the note: it arrives as a new one, and what was said stays private.
        try await stella.moves(secret.root, to: "public")
        for person in [tom, stan] {
            try await person.awaits(secret.root)
            #expect(try !person.sees(secret.comment))
        }
        try await stella.moves(secret.root, to: "private-stella")
        for person in [tom, stan] { try await person.misses(secret.root) }
        #expect(try stella.sees(secret.root))
        try await server.stop()
    }

    @Test func inAClassTheServerHoldsWhoDoesNotAskTheLibrary() async throws {
        let (tom, stella, stan) = try await (teacher(), student("stella"), student("stan"))
        let open = try stella.document.add(highlight("open"))
        try stella.descriptor.overrideDefaultGroup(with: "private-stella")
        let secret = try stella.document.add(highlight("secret"))
        try await tom.awaits(open)
        try await stella.settles()
        let changed = highlight("changed")
        func tries(_ id: Record.ID, _ by: ScenarioPerson) async throws -> [ChangeResult.Status] {
            let base = try await revision(id)
            let results = try await server.push(
                by.jwt, client: "rogue-\(by.name)-\(id)",
                [
                    Change(n: 1, kind: .update, id: id, baseRevision: base, group: "public", content: changed),
                    Change(
                        n: 2, kind: .update, id: id, baseRevision: base, group: "private-\(by.name)", content: changed),
                    Change(
                        n: 3, kind: .create, id: "\(id)-\(by.name)", baseRevision: 0, group: "private-stella",
                        content: Content.comment(.plain("peek"), under: id, changed)),
                    Change(n: 4, kind: .restore, id: id, baseRevision: base),
                ])
            return results.map(\.status)
        }
        for person in [tom, stan] {
            // A restore of what is not deleted loses against it as it is; nothing else is even that.
            #expect(try await tries(open, person) == [.denied, .denied, .denied, .conflict])
            #expect(try await tries(secret, person) == [.gone, .gone, .gone, .gone])
        }
        #expect(
            try await server.push(
                stan.jwt, client: "rogue", [Change(n: 1, kind: .delete, id: open, baseRevision: revision(open))]
            ).map(\.status) == [.denied])
        #expect(try stella.document.record(open)?.text == "open")
        #expect(try stella.document.record(secret)?.text == "secret")
        try await server.stop()
    }

    // MARK: A contract

    @Test func inAContractWhatIsSharedIsOfBothAndTheRestOfOne() async throws {
        let (lena, theo) = try await (
            person("A landlord", as: "lena"), person("A tenant", as: "theo")
        )
        // The contract itself is read by both and changed by nobody.
        for person in [lena, theo] {
            #expect(try person.rights(Self.printed) == [])
            person.isDenied { try $0.reply(to: Self.printed, text: "what is this?") }
        }
        // A private note of the landlord, shared later.
        let clause = try lena.document.beginThread(highlight("clause 3"), text: .plain("too high?"))
        try lena.descriptor.overrideDefaultGroup(with: "shared")
        let offer = try lena.document.add(highlight("offer"))
        try await theo.awaits(offer)
        #expect(try !theo.sees(clause.root))
        try await lena.moves(clause.root, to: "shared")
        try await theo.awaits(clause.root)
        #expect(try !theo.sees(clause.comment), "what the landlord's side said about it stays there")
        // Both may change it, and neither can take it back.
        #expect(try theo.rights(clause.root).contains(.edit))
        try theo.document.update(clause.root, content: highlight("clause 3, as agreed"))
        try await lena.awaits { try lena.document.record(clause.root)?.text == "clause 3, as agreed" }
        for person in [lena, theo] {
            person.isDenied { try $0.remove(clause.root) }
            #expect(try await person.push(clause.root, to: person.side) == [.denied])
        }
        // An answer that the other side reads, and a remark that it does not.
        let remark = try theo.document.reply(to: clause.root, text: "he agrees!")
        try theo.descriptor.overrideDefaultGroup(with: "shared")
        let answer = try theo.document.reply(to: clause.root, text: "agreed")
        try await lena.awaits(answer)
        #expect(try !lena.sees(remark))
        lena.isDenied { try $0.remove(answer) }
        lena.isDenied { try $0.reword(answer, text: "agreed, and more") }
        try await server.stop()
    }

    // MARK: People

    private func teacher() async throws -> ScenarioPerson { try await person("A teacher", as: "tom") }

    /// The student of the table, or another with the same rights and a name of their own.
    private func student(_ name: String) async throws -> ScenarioPerson { try await person("A student", as: name) }

    private func person(_ role: String, as name: String) async throws -> ScenarioPerson {
        let token = try #require(try PermissionCase.all().first { $0.name == role })
        let text = JSON.object(token.claims).text.replacing("stella", with: name)
        let claims = try #require(try JSON(parsing: text).object)
        return try await ScenarioPerson(server, claims)
    }

    /// At which the server has a record now, whoever may see it.
    private func revision(_ id: Record.ID) async throws -> Revision {
        try await server.record(id, as: server.token("overseer"))?.revision ?? 0
    }

    private func highlight(_ text: String) -> Content {
        note(text).changing { $0["type"] = "pspdfkit/markup/highlight" }
    }
}

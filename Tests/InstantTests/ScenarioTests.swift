import Annotations
import Authorization
import Foundation
import InstantCore
import SyncProtocol
import TestSupport
import Testing

@testable import Instant

/// The scenarios of docs/permissions.md in full: a real server, a library client for each token, and a hostile client
/// that tries what the token forbids.
@Suite("Scenarios", .timeLimit(.minutes(15))) struct ScenarioTests {
    private static let pdf = SmallPDF(annotations: [
        "<</Type/Annot/Subtype/Highlight/Rect[100 600 160 620]/QuadPoints[100 620 160 620 100 600 160 600]"
            + "/Contents(printed)/T(Author)>>"
    ]).bytes
    /// The highlight in the PDF, named by its object number.
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
        // Teachers may delete it but not edit it; other students may only reply.
        #expect(try tom.rights(line.root) == [.delete, .reply])
        #expect(try stan.rights(line.root) == [.reply])
        #expect(try stella.rights(line.root) == [.edit, .delete, .reply, .setGroup])
        #expect(try tom.document.denial(of: .edit, on: line.root)?.description == "needs annotations:edit:group=public")
        for person in [tom, stan] {
            person.isDenied { try $0.update(line.root, content: highlight("better")) }
        }
        stan.isDenied { try $0.remove(line.root) }
        // All may reply, also to the printed highlight, but not edit another person's reply.
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
        // The teacher deletes a student's public note with its thread.
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
        // Events arrive in order: once the later record is there, an earlier one that is missing will never come.
        for person in [tom, stan] {
            try await person.awaits(open)
            #expect(try !person.sees(secret.root) && !person.sees(secret.comment))
        }
        // Refused locally for another person's private group, before anything is sent.
        try stella.descriptor.overrideDefaultGroup(with: "private-tom")
        stella.isDenied { try $0.add(note("smuggled")) }
        try stella.descriptor.resetDefaultGroup()
        try await stella.awaits { stella.descriptor.status.unsent == 0 }
        // A client that can move records publishes the note: it arrives as a new one, and the comments stay private.
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
            // Restoring a live record is a conflict; everything else is refused.
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
        // Both can read the contract itself, and neither can change it.
        for person in [lena, theo] {
            #expect(try person.rights(Self.printed) == [])
            person.isDenied { try $0.reply(to: Self.printed, text: "what is this?") }
        }
        // A private note of the landlord that is shared later.
        let clause = try lena.document.beginThread(highlight("clause 3"), text: .plain("too high?"))
        try lena.descriptor.overrideDefaultGroup(with: "shared")
        let offer = try lena.document.add(highlight("offer"))
        try await theo.awaits(offer)
        #expect(try !theo.sees(clause.root))
        try await lena.moves(clause.root, to: "shared")
        try await theo.awaits(clause.root)
        #expect(try !theo.sees(clause.comment), "the landlord's private comment stays private")
        // Both may edit it, and neither can delete it or make it private.
        #expect(try theo.rights(clause.root).contains(.edit))
        try theo.document.update(clause.root, content: highlight("clause 3, as agreed"))
        try await lena.awaits { try lena.document.record(clause.root)?.text == "clause 3, as agreed" }
        for person in [lena, theo] {
            person.isDenied { try $0.remove(clause.root) }
            #expect(try await person.push(clause.root, to: person.side) == [.denied])
        }
        // A reply that the other side can read, and a comment that it cannot.
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

    /// The student in the documentation's example, or another student with the same permissions.
    private func student(_ name: String) async throws -> ScenarioPerson { try await person("A student", as: name) }

    private func person(_ role: String, as name: String) async throws -> ScenarioPerson {
        let token = try #require(try PermissionCase.all().first { $0.name == role })
        let text = JSON.object(token.claims).text.replacing("stella", with: name)
        let claims = try #require(try JSON(parsing: text).object)
        return try await ScenarioPerson(server, claims)
    }

    /// The current revision of the record on the server, visible or not.
    private func revision(_ id: Record.ID) async throws -> Revision {
        try await server.record(id, as: server.token("overseer"))?.revision ?? 0
    }

    private func highlight(_ text: String) -> Content {
        note(text).changing { $0["type"] = "pspdfkit/markup/highlight" }
    }
}

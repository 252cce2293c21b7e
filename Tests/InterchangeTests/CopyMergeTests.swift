import Annotations
import Interchange
import PDFPages
import Testing

@Suite("Merging copies")
struct CopyMergeTests {
    private static let pages = [PageFrame(width: 600, height: 800)]
    private static let uuid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

    private func note(
        _ id: String, _ text: String, color: String = "#ffff00", left: Double = 10, name: String? = nil,
        author: String? = "eve"
    ) -> Record {
        RecordMergeTests.note(id, text, color: color, left: left, name: name, author: author)
    }

    private func merge(_ document: [Record], _ copies: [CopyMerge.Copy], into present: [Record]? = nil) -> CopyMerge {
        var merge = CopyMerge(document, into: present, pages: Self.pages, writesPDF: present == nil)
        for copy in copies { merge.add(copy) }
        return merge
    }

    private func continued(_ records: [Record], _ base: [Record], of: Int = 0, author: String? = nil) -> CopyMerge.Copy
    {
        CopyMerge.Copy(records, from: .pdf, ancestor: .revision(base, of: of), author: author)
    }

    private func texts(_ merge: CopyMerge) -> [String] { merge.records.map { Annotation($0).text } }

    // MARK: Deletions

    @Test func aDeletionCountsOnlyInACopyThatContinuesTheFile() {
        let base = [note("5", "one"), note("6", "two", left: 60)]
        let proof = merge(base, [continued([base[0]], base)])
        #expect(texts(proof) == ["one"] && proof.counts[0].deleted == 1)
        let other = merge(base, [CopyMerge.Copy([base[0]], from: .pdf)])
        #expect(texts(other) == ["one", "two"] && other.counts[0].missing == 1)
        #expect(other.counts[0].unchanged == 1)
        guard case .missing? = other.entries.first?.finding else {
            Issue.record("\(other.entries)")
            return
        }
        #expect(other.entries[0].record.id == "6")
    }

    @Test func whatAnotherCopyChangedOrAnsweredStays() {
        let base = [note("5", "one")]
        for other in [[note("5", "changed")], [base[0], RecordMergeTests.reply("9", to: "5", "but")]] {
            for copies in [[other, []], [[], other]] {
                let result = merge(base, copies.map { continued($0, base) })
                #expect(result.records.contains { $0.id == "5" })
                #expect(result.counts[1].conflicts == 1)
            }
        }
    }

    @Test func twoDeletionsAreOne() {
        let base = [note("5", "one")]
        let result = merge(base, [continued([], base), continued([], base)])
        #expect(result.records.isEmpty && result.counts.map(\.conflicts) == [0, 0])
    }

    // MARK: Ancestors

    /// Ben went on from Ana's copy, and withdrew what she had written.
    @Test func anEarlierCopyCanBeTheAncestor() {
        let base = [note("5", "one")]
        let ana = base + [note("9", "hers", left: 90, author: "ana")]
        let ben = [base[0], note("9", "hers, agreed", left: 90, author: "ana")]
        let agreed = merge(base, [continued(ana, base), continued(ben, ana, of: 1)])
        #expect(texts(agreed) == ["one", "hers, agreed"] && agreed.counts[1].conflicts == 0)
        let withdrawn = merge(base, [continued(ana, base), continued(base, ana, of: 1)])
        #expect(texts(withdrawn) == ["one"] && withdrawn.counts[1].deleted == 1)
        // The other way round, Ana's copy is a revision of Ben's.
        let reversed = merge(base, [continued(ben, base), continued(ana, ana, of: 1)])
        #expect(texts(reversed) == ["one", "hers, agreed"])
    }

    /// The document went on after the copies were made. Numbers that both sides gave belong to different annotations.
    @Test func anEarlierRevisionCanBeTheAncestor() {
        let old = [note("5", "one"), note("6", "two", left: 60)]
        let document = [note("5", "one, revised"), note("9", "new here", left: 120)]
        let copy = [old[0], old[1], note("9", "new there", left: 200, author: "ana")]
        let result = merge(document, [continued(copy, old)])
        #expect(texts(result) == ["one, revised", "new here", "new there"])
        #expect(result.counts[0].conflicts == 0 && result.counts[0].added == 1)
    }

    // MARK: Conflicts

    @Test func theLostTextBecomesAReplyOnce() throws {
        let base = [note("5", "a b c")]
        let copies = [continued([note("5", "a X c")], base), continued([note("5", "a Y c")], base, author: "Ben")]
        let first = merge(base, copies)
        #expect(first.records[0].content["text"] == "a X c")
        let reply = try #require(first.records.last)
        #expect(reply.content["rootId"] == "5" && Annotation(reply).text == "a Y c")
        #expect(Annotation(reply).author == "Ben" && Record.isValidID(reply.id))
        guard case .conflict(let members, _, _, let replies)? = first.entries.last?.finding else {
            Issue.record("\(first.entries)")
            return
        }
        #expect(members == ["text"] && replies == [reply.id])
        // Under another id, as a PDF gives it.
        var read = first.records
        read[1].id = "77"
        let second = merge(read, [continued([note("5", "a X c")], base), continued([note("5", "a Y c")], base)])
        #expect(second.records == read && second.counts.map(\.conflicts) == [0, 0])
    }

    @Test func otherMembersAreListed() {
        let base = [note("5", "text")]
        let copies = [
            continued([note("5", "text", color: "#ff0000")], base),
            continued([note("5", "text", color: "#0000ff")], base),
        ]
        let result = merge(base, copies)
        #expect(result.records.count == 1 && result.records[0].content["color"] == "#ff0000")
        guard case .conflict(["color"], let mine, let theirs, [])? = result.entries.last?.finding else {
            Issue.record("\(result.entries)")
            return
        }
        #expect(mine.content["color"] == "#ff0000" && theirs.content["color"] == "#0000ff")
    }

    @Test func aTextThatWasRemovedMakesNoReply() {
        let base = [note("5", "a b c")]
        let result = merge(base, [continued([note("5", "a X c")], base), continued([note("5", "")], base)])
        #expect(result.records.count == 1 && result.counts[1].conflicts == 1)
    }

    @Test func aConflictOfRepliesStaysInTheThread() {
        let base = [note("5", "root"), RecordMergeTests.reply("6", to: "5", "a b c")]
        func copy(_ text: String) -> CopyMerge.Copy {
            continued([base[0], RecordMergeTests.reply("6", to: "5", text)], base)
        }
        let result = merge(base, [copy("a X c"), copy("a Y c")])
        #expect(result.records.count == 3 && result.records[2].content["rootId"] == "5")
        #expect(Annotation(result.records[2]).text == "a Y c")
    }

    // MARK: Authors

    private typealias AuthorCase = (author: String?, given: String?, expected: String?)

    @Test func anAuthorIsGivenOnlyWhereThereIsNone() {
        let cases: [AuthorCase] = [
            (nil, "Ana", "Ana"), ("", "Ana", "Ana"), ("eve", "Ana", "eve"), (nil, nil, nil), ("eve", nil, "eve"),
        ]
        for (author, given, expected) in cases {
            let result = merge([], [continued([note("9", "new", author: author)], [], author: given)])
            #expect(result.records.map { Annotation($0).author } == [expected])
        }
        // What was in the document stays without one.
        let base = [note("5", "old", author: nil)]
        let result = merge(base, [continued([note("5", "changed", author: nil)], base, author: "Ana")])
        #expect(result.records.map { Annotation($0).author } == [nil])
    }

    @Test func theSameAnnotationWithoutAuthorIsTakenOnce() {
        let copies = [("1", "Ana", 10.0), ("2", "Ben", 10.6), ("3", nil, 10.0)].map { id, author, left in
            continued([note(id, "same", left: left, author: nil)], [], author: author)
        }
        let result = merge([], copies)
        #expect(result.records.count == 1 && Annotation(result.records[0]).author == "Ana")
        // It has a name in the result, by which a second merge finds it.
        var read = result.records
        read[0].content = read[0].content.changing { $0["name"] = .string(read[0].id) }
        read[0].id = "44"
        #expect(
            merge(
                read,
                copies.map { CopyMerge.Copy($0.records, from: .pdf, ancestor: .revision([], of: 0), author: $0.author) }
            ).records == read)
    }

    // MARK: Other formats, layers

    @Test func shortNamesDoNotMixUpAnnotations() {
        let copies = ["ana", "ben"].map { name in
            continued([note("9", name, left: 10, name: "fitz-A0", author: name)], [])
        }
        #expect(texts(merge([], copies)) == ["ana", "ben"])
    }

    @Test func aLayerKeepsItsOwners() {
        let document = [note("5", "old")]
        var mine = note("01HV60ME365HS69FVQ1CE6PK2G", "mine", left: 80)
        mine.createdBy = "ana"
        mine.group = "teachers"
        let copy = [note("5", "changed"), note("12", "mine", left: 80, name: mine.id)]
        let result = merge(document, [continued(copy, document)], into: document + [mine])
        #expect(result.records.count == 2 && result.records[1] == mine)
        #expect(texts(result) == ["changed", "mine"])
    }
}

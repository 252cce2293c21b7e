import Annotations
import Authorization
import InstantCore
import SyncProtocol
import TestSupport
import Testing

@Suite("A file is sent before the record that names it") struct UploadTests {
    private var it = Bench()
    private let file = AttachmentID(String(repeating: "a", count: 64))!

    init() { _ = it.goLive() }

    private func image(_ file: AttachmentID) -> Content {
        note("").changing {
            $0["type"] = "pspdfkit/image"
            $0["imageAttachmentId"] = .string(file.hex)
        }
    }

    private mutating func addImage(_ id: String = "i") throws {
        try it.layer.addUpload(file)
        try it.layer.create(image(file), id: id, author: nil, at: it.now)
        _ = it.give(.edited)
    }

    private func applied(_ count: Int64, from n: Int64 = 1) -> SyncAnswer {
        let results = (n..<(n + count)).map { ChangeResult(n: $0, status: .applied, revision: $0) }
        let delta = Delta(epoch: "e", changes: [], upTo: n + count - 1, more: false)
        return .push(PushAnswer(results: results, delta: delta))
    }

    @Test mutating func textDoesNotWaitForPictures() throws {
        try addImage("i")
        _ = try it.edit("n")
        let push = it.give(.syncRequested)
        #expect(push.compactMap(\.name) == ["began", "sendingChanges", "push 1"], "only the note")
        let upload = it.give(.answered(push.request ?? -1, applied(1)))
        #expect(upload.compactMap(\.name).last == "upload aaaa")
        #expect(try it.layer.tally()[.waiting] == 1)
        let second = it.give(.answered(upload.request ?? -1, .uploaded))
        #expect(second.compactMap(\.name) == ["push 1"])
        #expect(try it.layer.nextUpload() == nil)
        let rest = it.give(.answered(second.request ?? -1, applied(1, from: 2)))
        #expect(rest.compactMap(\.name).suffix(2) == ["clean", "finished"])
    }

    @Test mutating func oneFileServesManyRecords() throws {
        try addImage("i")
        try addImage("j")
        let upload = it.give(.syncRequested)
        _ = it.give(.answered(try #require(upload.request("pull since 0")), it.delta()))
        #expect(it.names(.answered(try #require(upload.request("upload aaaa")), .uploaded)) == ["push 2"])
    }

    @Test mutating func editsAreSentAndReceivedBesideAnUpload() throws {
        it = Bench()
        _ = try it.goListening()
        try addImage()
        let began = it.give(.syncRequested)
        #expect(began.compactMap(\.name).suffix(2) == ["upload aaaa", "pull since 0"])
        _ = it.give(.answered(try #require(began.request("pull since 0")), it.delta()))
        #expect(try it.edit("n") == [])
        it.now = it.now + 1000
        let push = it.give(.woke)
        #expect(push.compactMap(\.name) == ["push 1"])
        #expect(it.names(.answered(try #require(push.request), applied(1))) == ["changed n"])
        #expect(it.synchronizer.cycle.state == .sendingChanges, "the cycle ends with the upload")
        let rest = it.give(.answered(try #require(began.request("upload aaaa")), .uploaded))
        #expect(rest.compactMap(\.name) == ["push 1"])
    }

    /// The program starts with an upload that takes minutes.
    @Test mutating func theLiveChannelOpensBesideAnUpload() throws {
        try addImage()
        let began = it.give(.listening(true))
        #expect(began.compactMap(\.name).suffix(2) == ["upload aaaa", "pull since 0"])
        let opened = it.give(.answered(try #require(began.request("pull since 0")), it.delta()))
        #expect(opened.compactMap(\.name) == ["open stream"])
        let change = ChangeEvent(epoch: "e", revision: 1, previous: 0, changes: [item("other", "theirs", 1)])
        #expect(it.names(.heard(try #require(opened.stream?.id), .change(change))).contains("changed other"))
    }

    @Test mutating func otherProcessesAreToldOfALongUpload() throws {
        try addImage()
        let began = it.give(.syncRequested)
        _ = it.give(.answered(try #require(began.request("pull since 0")), it.delta()))
        let pull = it.give(.leadClaimed("other"))
        #expect(pull.compactMap(\.name) == ["pull since 0"])
        _ = it.give(.answered(try #require(pull.request), it.delta()))
        #expect(try it.layer.metadata().unsentBecause == nil)
        it.now = it.now + 3000
        _ = it.give(.leadClaimed("another"))
        #expect(try it.layer.metadata().unsentBecause == "a file is being sent")
        _ = it.give(.answered(try #require(began.request("upload aaaa")), .uploaded))
        #expect(try it.layer.metadata().unsentBecause == nil)
    }

    @Test mutating func anUploadThatStandsStillIsTriedAgainAndPutsNothingAside() throws {
        try addImage()
        for _ in 1...5 {
            let effects = it.give(.syncRequested)
            if let pull = effects.request("pull since 0") { _ = it.give(.answered(pull, it.delta())) }
            let upload = try #require(effects.request("upload aaaa"))
            let pull = try #require(it.give(.failed(upload, .stalled("nothing moved"))).request)
            #expect(it.names(.answered(pull, it.delta())).last == "failed: nothing moved")
            it.now = it.now + 10_000
        }
        #expect(try states == ["i": .waiting])
    }

    @Test mutating func aCommentOnAPictureWaitsForTheFile() throws {
        try addImage()
        _ = try it.layer.reply(to: "i", .plain("look"), id: "c", author: nil, at: it.now)
        _ = try it.layer.create(note("other"), id: "n", author: nil, at: it.now)
        #expect(try run(.syncRequested, refusing: []) == ["n", "upload a", "i", "c"])
    }

    /// The connection is the reason already: other edits are not held up once it is back.
    @Test mutating func anUploadThatFailsAfterTheConnectionPausesNothing() throws {
        try addImage()
        let began = it.give(.syncRequested)
        _ = it.give(.failed(try #require(began.request("pull since 0")), .unreachable("no network")))
        guard case .offline(let retry) = it.synchronizer.connection else { return #expect(Bool(false)) }
        _ = it.give(.failed(try #require(began.request("upload aaaa")), .unreachable("no network")))
        #expect(try it.layer.metadata().unsentBecause == nil)
        it.now = retry
        #expect(it.names(.answered(it.request(.woke), it.session())).contains("upload aaaa"))
    }

    @Test mutating func anUploadGoesOnWhenAnotherRequestFails() throws {
        try addImage()
        let began = it.give(.syncRequested)
        let failed = it.give(.failed(try #require(began.request("pull since 0")), .unreachable("cut")))
        #expect(!failed.compactMap(\.name).contains("cancel"))
        _ = it.give(.answered(try #require(began.request("upload aaaa")), .uploaded))
        #expect(try it.layer.nextUpload() == nil)
    }

    @Test mutating func aBrokenUploadIsTriedAgain() throws {
        try addImage()
        let began = it.give(.syncRequested)
        _ = it.give(.failed(try #require(began.request("upload aaaa")), .unreachable("cut")))
        let pull = try #require(began.request("pull since 0"))
        #expect(it.names(.answered(pull, it.delta())).last == "failed: cut")
        #expect(try it.layer.nextUpload() == file)
        it.now = try #require(it.alarm)
        #expect(it.names(.woke).contains("upload aaaa"))
    }

    private static let refused = SyncFailure.invalidServer("it answers 403")

    /// Answers what is sent until nothing is, with the time that passes; the file is refused on the way.
    private mutating func run(_ input: Synchronizer.Input, refusing files: Set<AttachmentID>) throws -> [String] {
        var names: [String] = []
        var sent: [SyncRequest] = []
        func note(_ effects: [Synchronizer.Effect]) {
            for effect in effects {
                if case .send(let request) = effect { sent.append(request) }
            }
        }
        note(it.give(input))
        var revision = try it.layer.metadata().cursor?.revision ?? 0
        var waits = 0
        while true {
            guard !sent.isEmpty else {
                waits += 1
                guard try it.layer.hasUnsent(), waits < 40, let alarm = it.alarm else { break }
                it.now = max(it.now, alarm)
                note(it.give(.woke))
                continue
            }
            let request = sent.removeFirst()
            switch request.kind {
            case .upload(let file) where files.contains(file): note(it.give(.failed(request.id, Self.refused)))
            case .upload(let file):
                names.append("upload \(file.hex.prefix(1))")
                note(it.give(.answered(request.id, .uploaded)))
            case .push(let push):
                names += push.changes.map(\.id)
                let from = push.changes[0].n
                revision = max(revision, from + Int64(push.changes.count) - 1)
                note(it.give(.answered(request.id, applied(Int64(push.changes.count), from: from))))
            default: note(it.give(.answered(request.id, it.delta(upTo: revision))))
            }
        }
        return names
    }

    private var states: [String: OutboxEntry.State] {
        get throws { try it.layer.outbox().reduce(into: [:]) { $0[$1.id] = $1.state } }
    }

    private static let aside = OutboxEntry.State.parked("put aside: its file: it answers 403")

    @Test mutating func aFileThatIsRefusedOnTheWayHoldsUpNoOther() throws {
        let other = try #require(AttachmentID(String(repeating: "b", count: 64)))
        try addImage("i")
        _ = try it.layer.create(note("Caption"), id: "n", author: nil, at: it.now)
        try it.layer.addUpload(other)
        try it.layer.create(image(other), id: "j", author: nil, at: it.now)
        let sent = try run(.syncRequested, refusing: [file])
        #expect(sent == ["n", "upload b", "j"])
        #expect(try states == ["i": Self.aside])
        // It is tried again once, and nothing else waits for it.
        try it.layer.retryAside()
        #expect(try run(.storeChanged, refusing: [file]) == [])
        #expect(try states == ["i": Self.aside])
        try it.layer.retryAside()
        #expect(try run(.storeChanged, refusing: []) == ["upload a", "i"])
        #expect(try states == [:])
    }

    @Test mutating func aFileThatIsAloneIsNotPutAside() throws {
        try addImage("i")
        _ = try run(.syncRequested, refusing: [file])
        #expect(try states == ["i": .waiting])
        // It is once an edit arrives that was made later.
        _ = try it.layer.create(note("Later"), id: "n", author: nil, at: it.now)
        #expect(try run(.edited, refusing: [file]) == ["n"])
        #expect(try states == ["i": Self.aside])
    }

    @Test(arguments: [
        (SyncFailure.tooLarge, "its attachment is too large for the server"),
        (SyncFailure.attachment("it is gone"), "it is gone"),
    ])
    mutating func whatCannotBeUploadedIsRefusedWithTheReason(failure: SyncFailure, reason: String) throws {
        try addImage("i")
        _ = try it.edit("n")
        let push = it.give(.syncRequested).request ?? -1
        let upload = it.give(.answered(push, applied(1))).request ?? -1
        #expect(it.names(.failed(upload, failure)).contains("finished"), "nothing is queued behind it")
        #expect(try it.layer.outbox().map(\.state) == [.refused(reason)])
        #expect(try it.layer.row("i")?.delivery == .refused)
    }

    @Test mutating func aServerThatForgotTheFileIsGivenItAgain() throws {
        try addImage("i")
        let began = it.give(.syncRequested)
        _ = it.give(.answered(try #require(began.request("pull since 0")), it.delta()))
        let push = it.give(.answered(try #require(began.request("upload aaaa")), .uploaded)).request ?? -1
        let invalid = ChangeResult(n: 1, status: .invalid, reason: "its attachment was not uploaded")
        _ = it.give(
            .answered(
                push,
                .push(
                    PushAnswer(
                        results: [invalid], delta: Delta(epoch: "e", changes: [], upTo: 0, more: false)))))
        #expect(try it.layer.nextUpload() == nil, "nothing waits for it")
        let moved = image(file).changing { $0["bbox"] = [5, 5, 5, 5] }
        try it.layer.update("i", content: moved, at: it.now)
        _ = it.give(.edited)
        #expect(it.names(.syncRequested).contains("upload aaaa"))
    }

    @Test mutating func aTokenThatMayNotWriteUploadsNothing() throws {
        try addImage()
        var reader = it.grant
        reader.general = [.readDocument]
        let session = it.request(.tokenSupplied(TokenHandle(2)))
        let names = it.names(.answered(session, it.session(reader)))
        #expect(!names.contains { $0.hasPrefix("upload") })
        #expect(try it.layer.tally()[.parked] == 1)
    }

    @Test func whatEditsNeedIsKept() throws {
        let layer = it.layer
        #expect(try layer.attachmentsInUse() == [])
        try layer.addUpload(file)
        #expect(try layer.attachmentsInUse() == [file], "added, but no record names it yet")
        try layer.create(image(file), id: "i", author: nil, at: it.now)
        try layer.uploaded(file)
        #expect(try layer.attachmentsInUse() == [file])
        try layer.delete("i", at: it.now)
        #expect(try layer.attachmentsInUse() == [])
    }
}

import Annotations
import SyncProtocol

extension Sample {
    private static let seen: SeenFile = {
        var seen = SeenFile(device: 42, inode: .max, changed: 1_795_000_000_123_456_789)
        seen.isReadable = false
        return seen
    }()

    private static let report: FileReport = {
        var report = FileReport(
            document: "01HV60", path: "/home/ana/my \"best\" paper.pdf", version: "7-1024-99", pagesSince: "6-1000-98",
            isPrivate: true, unwritten: 3, isMissing: true, windows: 2, processes: 1)
        report.isSilent = true
        report.number = 17
        report.problem = "this user may not read the file"
        report.movedFrom = "/home/ana/old.pdf"
        report.copy = "/kept/01HV60/9f86.pdf"
        report.damaged = [
            .init(path: "/kept/01HV61/file.sqlite", problem: "it is damaged", file: nil),
            .init(path: "/kept/01HV62/file.sqlite", problem: "it is damaged", file: "/home/ana/other.pdf"),
        ]
        report.merges = 4
        (report.merged.added, report.merged.changed, report.merged.deleted) = (1, 2, 3)
        (report.merged.conflicts, report.merged.lostMarks, report.merged.hasNewPages) = (4, 5, true)
        report.lost = [
            .init(id: "a", type: "pspdfkit/markup/highlight", pageIndex: 3, words: "no longer “there”"),
            .init(id: "b", type: "", pageIndex: nil, words: ""),
        ]
        let mine = Record(id: "218", content: content, createdBy: "ana", updatedBy: "ben", group: "law")
        report.conflicts = [
            .init(id: "218", base: base, mine: mine, theirs: nil, daysLeft: 30, further: [nil, base]),
            .init(id: "219", base: nil, mine: nil, theirs: base),
        ]
        return report
    }()

    private static let written: WrittenFile = {
        var written = WrittenFile(path: "/home/ana/copy.pdf", records: 7)
        (written.conflicts, written.groups, written.merged, written.otherNames) = (1, 2, 3, 4)
        written.left = "1 sound"
        (written.isRewritten, written.holdsDeleted, written.breaksSignature) = (true, true, true)
        written.unwritten = [.init(id: "a", why: "its shape is not known")]
        return written
    }()

    private static let plain = FileReport(
        document: "01HV60", path: "/a.pdf", version: "", pagesSince: "", isPrivate: false, unwritten: 0,
        isMissing: false, windows: 1, processes: 1)

    private static let twin: FileReport = {
        var report = plain
        report.twin = "/home/ana/gone.pdf"
        return report
    }()

    /// The messages between programs and the engine of a person's PDFs, named as in
    /// `Resources/vectors/engine-messages.json`.
    static let engine: [Sample] = [
        Sample(
            "version",
            EngineVersion(
                version: "0.10.1", pid: 4711, instance: "k3w9x2ab", limits: ["files": 1024, "file": .max], isIdle: true)
        ),
        Sample("retirement", RetirementAnswer(isRetired: true)),
        Sample("open", FileOpening(path: "/home/ana/é.pdf", isPrivate: true, onlyChecks: true, seen: .file(seen))),
        Sample("open, nothing there", FileOpening(path: "/a.pdf", isPrivate: false, seen: .nothing)),
        Sample("open, not looked at", FileOpening(path: "/a.pdf", isPrivate: false)),
        Sample("question", FileQuestion(document: "01HV60")),
        Sample("question about changes", FileQuestion(document: "01HV60", asksForChanges: true)),
        Sample(
            "write",
            FileWriting(
                document: "01HV60", copy: "/home/ana/copy.pdf", seen: .file(seen),
                target: SeenTarget(device: 42, inode: 7, file: .nothing), mask: 0o022, isForced: true,
                replacesOthers: true, isCompact: true)),
        Sample("write, the file itself", FileWriting(document: "01HV60")),
        Sample("resolve", FileResolution(document: "01HV60", id: "218", choice: .layer, mine: base, theirs: nil)),
        Sample("report", report),
        Sample("report, nothing special", plain),
        Sample("report, the same bytes as another file", twin),
        Sample(
            "answer",
            FileAnswer(
                plain, token: "a.b.c", changes: [.init(id: "218", base: base, mine: nil)], written: written,
                reverted: 9)),
        Sample("answer, only the report", FileAnswer(report)),
        Sample("closed", ClosedFile(unwritten: 3)),
        Sample("failure", FileFailure(.otherOwner, reason: "it is ben's", message: "it is ben's; write a copy")),
    ]
}

import Annotations
import SyncProtocol

/// Which files something between here and the server refuses: the others are tried, too, and a file that keeps failing while
/// something else arrives is put aside with the edits that need it.
///
/// Unlike a change, an upload has no number and can be repeated, so nothing has to be found out before it is put aside.
struct UploadSearch: Hashable, Sendable {
    private struct Failures: Hashable, Sendable {
        var count = 1
        var last: Timestamp
    }

    private var failures: [AttachmentID: Failures] = [:]
    /// The files that wait while others are tried.
    private(set) var skipped: [AttachmentID: SyncFailure] = [:]
    /// Whether something was accepted since the first failure.
    private var hasAccepted = false

    private static let most = 3
    /// Milliseconds.
    private static let distance: Int64 = 5000

    /// - Returns: Whether the file has failed often enough.
    mutating func note(_ file: AttachmentID, _ failure: SyncFailure, at now: Timestamp) -> Bool {
        if let known = failures[file] {
            if now - known.last >= Self.distance { failures[file] = Failures(count: known.count + 1, last: now) }
        } else {
            if failures.isEmpty { hasAccepted = false }
            failures[file] = Failures(last: now)
        }
        guard failures[file]?.count ?? 0 >= Self.most else { return false }
        skipped[file] = failure
        return true
    }

    /// Notes that a change or another file has arrived.
    mutating func accepted() { hasAccepted = !failures.isEmpty }

    mutating func uploaded(_ file: AttachmentID) {
        failures[file] = nil
        accepted()
    }

    /// Returns what is to be put aside now.
    mutating func takeRefused() -> [AttachmentID: SyncFailure] {
        guard hasAccepted, !skipped.isEmpty else { return [:] }
        for file in skipped.keys { failures[file] = nil }
        defer { skipped = [:] }
        return skipped
    }

    /// Lets every file be tried again, because nothing arrives.
    mutating func giveUp() { skipped = [:] }

    mutating func clockWentBack(by milliseconds: Int64) {
        failures = failures.mapValues { Failures(count: $0.count, last: $0.last + -milliseconds) }
    }
}

extension Synchronizer {
    mutating func uploadEnded() {
        (uploadUnderWay, uploadSince) = (nil, nil)
        if hasToldOfUpload, pause == nil { try? layer.note(unsentBecause: nil) }
        hasToldOfUpload = false
    }

    /// Tells another process, which waits for everything to be sent, that a file is under way: it need not wait for that.
    mutating func tellOfUpload(now: Timestamp) {
        guard !hasToldOfUpload, pause == nil, let uploadSince, now - uploadSince >= Self.longUpload else { return }
        hasToldOfUpload = true
        try? layer.note(unsentBecause: Self.uploading)
    }

    static let uploading = "a file is being sent"

    /// Milliseconds.
    private static let longUpload: Int64 = 3000

    mutating func uploaded(_ file: AttachmentID) throws {
        dropPause()
        try layer.uploaded(file)
        uploads.uploaded(file)
        try putRefusedFilesAside()
        // The cycle may have ended without the upload.
        try sendWaiting()
    }

    /// Handles an upload that the server itself has not answered.
    mutating func uploadFailed(
        _ file: AttachmentID, _ failure: SyncFailure, now: Timestamp, random: inout some RandomNumberGenerator
    ) throws {
        if try layer.isTrial(of: file) {
            announce(try layer.putAside([file: failure]))
            return pauseSending(failure, for: Self.searchPace, now: now)
        }
        guard uploads.note(file, failure, at: now) else { return pauseSending(failure, now: now, random: &random) }
        let refused = uploads.takeRefused()
        if !refused.isEmpty {
            announce(try layer.putAside(refused))
        } else if try layer.nextUpload(except: Set(uploads.skipped.keys)) == nil {
            uploads.giveUp()
            return pauseSending(failure, now: now, random: &random)
        }
        pauseSending(failure, for: Self.searchPace, now: now)
    }

    /// Puts the files aside that were skipped before something else arrived.
    mutating func putRefusedFilesAside() throws {
        let refused = uploads.takeRefused()
        if !refused.isEmpty { announce(try layer.putAside(refused)) }
    }
}

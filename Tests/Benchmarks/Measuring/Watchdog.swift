import Foundation

/// Ends the program if an expected event does not occur: a missing figure is better than an endless wait.
final class Watchdog: Sendable {
    private let work: DispatchWorkItemBox

    init(seconds: Int, what: String) {
        work = DispatchWorkItemBox(
            DispatchWorkItem {
                FileHandle.standardError.write(Data("waited \(seconds) s in vain for \(what)\n".utf8))
                exit(1)
            })
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds), execute: work.item)
    }

    func stop() { work.item.cancel() }

    /// A work item may be cancelled from any thread.
    private struct DispatchWorkItemBox: @unchecked Sendable {
        let item: DispatchWorkItem
        init(_ item: DispatchWorkItem) { self.item = item }
    }
}

import Annotations
import EngineCore
import SyncProtocol

/// Checks everything that the server sends to one token's user: only visible records, only in states that existed.
struct Inspector {
    let book: Chronicle
    let rights: Rights

    func check(_ answer: PushAnswer) throws {
        for result in answer.results { if let item = result.item { try check(item) } }
        if let delta = answer.delta { try check(delta.changes) }
    }

    func check(_ page: SnapshotPage) throws {
        try check(page.records)
        if let next = page.next {
            try require(page.records.last?.id == next, "a page names a record that is out of sight")
        }
    }

    func check(_ items: [SyncItem]) throws { for item in items { try check(item) } }

    func check(_ item: SyncItem) throws {
        switch item {
        case .record(let record, let revision):
            guard let state = book.state(record.id, at: revision) else {
                throw Violation("\(record.id) was never at revision \(revision)")
            }
            try require(state.record == record && state.isLive, "\(record.id) was sent in a state that never existed")
            try require(rights.sees(state.subject), "\(record.id) was sent to a user who may not see it")
        case .removed(let id, let revision):
            // What one request created and removed again is recorded as removed only.
            let past = book.past(id).enumerated().filter { $0.offset == 0 || $0.element.revision < revision }
            let could = past.contains { rights.sees($0.element.subject) }
            try require(could, "a removal of \(id) was sent to a user who never saw it")
        }
    }
}

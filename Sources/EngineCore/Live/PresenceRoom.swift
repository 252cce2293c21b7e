import Annotations
import Authorization
import SyncProtocol

/// The participants of one layer, and what is known about the records they point at.
struct PresenceRoom: Sendable {
    struct Entry: Sendable {
        var person: PresentPerson
        /// nil for a participant of another server.
        var session: Presence.Session?
        /// `Presence.Session.mark`; nil for a participant of a server that does not send it.
        var mark: String?
        var expires: Timestamp
        var presentingSince: Timestamp?
    }

    /// The data that decides who may see a record, as of a revision.
    private struct Visibility: Sendable {
        /// nil: visible to no one.
        var subject: Subject?
        var revision: Revision
    }

    var people: [String: Entry] = [:]
    /// Increases with every visible change.
    var version = 0
    private var sights: [ByteOrdered: Visibility] = [:]

    /// - Returns: whether the state changed.
    mutating func put(_ entry: Entry) -> Bool {
        let before = people.updateValue(entry, forKey: entry.person.id)
        if sights.count > people.count + 16 {
            let named = Set(people.values.compactMap(\.record))
            sights = sights.filter { named.contains($0.key) }
        }
        return before?.person != entry.person
    }

    /// Removes the entry that the same session has under another id.
    mutating func removeOther(of mark: String, than id: String) -> Entry? {
        guard let other = people.values.first(where: { $0.mark == mark && $0.person.id != id }) else { return nil }
        return people.removeValue(forKey: other.person.id)
    }

    // MARK: The presenter

    var presenter: String? { people.values.first { $0.person.isPresenting }?.person.id }

    /// Resolves conflicts between presenters: the earliest start wins, by the clocks of the participants' servers.
    ///
    /// - Returns: the participants who have to stop presenting.
    mutating func settlePresenter() -> [String] {
        let order = people.values.compactMap { entry in entry.presentingSince.map { ($0, entry.person.id) } }.sorted(
            by: <)
        guard let first = order.first.flatMap({ people[$0.1] }) else { return [] }
        // The first one may be about to end, because its session has come to another server.
        let losers = order.dropFirst().map(\.1).filter { first.mark == nil || people[$0]?.mark != first.mark }
        for id in losers {
            people[id]?.presentingSince = nil
            people[id]?.person.isPresenting = false
        }
        return losers
    }

    // MARK: Visibility

    /// - Returns: nil if the id is unknown.
    func person(_ id: String, seenBy scope: ViewScope) -> PresentPerson? {
        guard let entry = people[id] else { return nil }
        var person = entry.person
        let subject = entry.record.flatMap { sights[$0]?.subject }
        // The selection of a hidden record shows where it is. The page stays: presenting needs it.
        if entry.record != nil, subject.map(scope.contains) != true {
            person.whereabouts.record = nil
            person.whereabouts.selection = []
        }
        return person
    }

    var hasRecords: Bool { people.values.contains { $0.record != nil } }

    var unknownRecords: [Record.ID] {
        Set(people.values.compactMap(\.record)).filter { sights[$0] == nil }.map(\.text)
    }

    func isWaiting(for record: Record.ID?) -> Bool {
        record.map { sights[ByteOrdered($0)] == nil } ?? false
    }

    mutating func learn(_ record: ServerRecord) -> [String] {
        learn(record.id, subject: record.isLive ? record.subject : nil, revision: record.revision)
    }

    /// - Returns: the participants whose visible state changed.
    mutating func learn(_ record: Record.ID, subject: Subject?, revision: Revision) -> [String] {
        let id = ByteOrdered(record)
        let pointing = people.values.filter { $0.record == id }.map(\.person.id)
        guard !pointing.isEmpty else { return [] }
        let before = sights[id]
        if let before, before.revision >= revision { return [] }
        sights[id] = Visibility(subject: subject, revision: revision)
        return before.map { $0.subject == subject } ?? false ? [] : pointing
    }

    mutating func forgetRecords() { sights = [:] }
}

extension PresenceRoom.Entry {
    fileprivate var record: ByteOrdered? { person.whereabouts.record.map(ByteOrdered.init) }
}

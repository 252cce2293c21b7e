import Annotations
import FileCore

/// What people and programs did, and what each of them had seen. It says what must be there, and never asks the code.
final class Ledger {
    typealias Value = Object.Value

    private struct Fate {
        /// Whether somebody who saw it has made it something else, or a person has given it up.
        var isOver = false
        /// When that happened.
        var overSince = 0
        /// Whether a private session made it, and it is in no file.
        var isPrivate = false
        /// Whether a private session made it, and took it with it.
        var isForbidden = false
        var isProgram = false
        /// Who made it, for people.
        var maker = ""
    }

    private var fates: [Value: Fate] = [:]
    /// Deletions that count: of these values of the note.
    private var deletions: [Int: Set<Value>] = [:]
    /// What a program has put into a file: by the hash of the file.
    private var introduced: [String: [Event]] = [:]
    private var taken: Set<String> = []
    /// Counts what happens.
    private(set) var clock = 0
    private var nextNote = 0
    private var nextText = 0

    private enum Event {
        case made(Value, over: Value?)
        case deleted(Value)
    }

    func newNote() -> Value {
        nextNote += 1
        return newText(of: nextNote)
    }

    func newText(of note: Int) -> Value {
        nextText += 1
        return Value(note: note, text: nextText)
    }

    private func end(_ value: Value) {
        clock += 1
        guard fates[value]?.isOver == false else { return }
        fates[value]?.isOver = true
        fates[value]?.overSince = clock
    }

    // MARK: Windows

    /// A window has made a value, or made one of the one that it saw.
    ///
    /// What is made again may be there or not: programs may have seen and replaced it meanwhile.
    func made(_ value: Value, over old: Value?, by maker: String, isPrivate: Bool = false) {
        let isKnown = fates[value].map { !$0.isPrivate } ?? false
        if fates[value] != nil { orphaned.insert(value) }
        fates[value] = Fate(isPrivate: isPrivate && !isKnown, maker: maker)
        if let old, old != value { end(old) }
        deletions[value.note]?.remove(value)
        if deletions[value.note]?.isEmpty == true { deletions[value.note] = nil }
    }

    func deleted(_ value: Value) {
        deletersArePrograms.remove(value)
        end(value)
        deletions[value.note, default: []].insert(value)
    }

    /// A person has decided against it.
    func dropped(_ value: Value) { end(value) }

    /// A person has given up everything that is not in the file.
    func gaveUp(_ values: [Value]) { orphaned.formUnion(values) }

    func gaveUp(note: Int) { orphaned.formUnion(fates.keys.filter { $0.note == note }) }

    /// A person has decided for it.
    ///
    /// Whoever has saved it as something else had not seen that.
    func chose(_ value: Value) {
        fates[value]?.isOver = false
        orphaned.insert(value)
        deletions[value.note] = nil
    }

    // MARK: Programs

    /// A person has put an old version back.
    func restored(_ objects: [Object]) { for object in objects { orphaned.insert(object.value) } }

    /// A program has saved a file.
    ///
    /// - Parameter wasKnown: whether the engine knows the version that the program had opened. Otherwise it cannot tell what
    ///   that program has deleted from what it has never seen.
    func saved(_ hash: String, wasKnown: Bool = true, made: [(Value, Value?)], deleted gone: [Value], by maker: String)
    {
        var events: [Event] = []
        for (value, old) in made {
            self.made(value, over: old, by: maker)
            fates[value]?.isProgram = true
            events.append(.made(value, over: old))
        }
        for value in gone {
            deleted(value)
            deletersArePrograms.insert(value)
            // Who does not know of the deletion has the note in some version.
            if forgivesDeletions || !wasKnown { orphaned.formUnion(fates.keys.filter { $0.note == value.note }) }
            events.append(.deleted(value))
        }
        introduced[hash, default: []] += events
    }

    /// A program has written the file anew, without what other programs have written since it had opened it. Nobody can
    /// tell that from a deletion.
    func wroteAnew(_ objects: [Object]) {
        let values = Set(objects.map(\.value))
        for (value, fate) in fates where fate.isProgram && !values.contains(value) && !fate.isOver {
            end(value)
            orphaned.insert(value)
        }
        for value in values where isOver(value) {
            orphaned.insert(value)
            if deletersArePrograms.contains(value) {
                deletions[value.note]?.remove(value)
                if deletions[value.note]?.isEmpty == true { deletions[value.note] = nil }
            }
        }
    }

    /// The document was replaced by another one, and what was in the file belongs to the old one.
    func replacedDocument(_ old: [Value]) {
        for value in old {
            end(value)
            orphaned.insert(value)
        }
    }

    /// An engine that does not know of another one has made something of it.
    func wasTakenElsewhere(_ value: Value) { orphaned.insert(value) }

    /// A person has written it into the file.
    func published(_ objects: [Object]) { for object in objects { fates[object.value]?.isPrivate = false } }

    /// Deletions by programs do not count any more: the text moves, and what is missing may have moved out of sight.
    var forgivesDeletions = false
    private var deletersArePrograms: Set<Value> = []

    /// The engine has taken in this version of the file.
    func took(_ bytes: Bytes) {
        taken.formUnion(bytes.beginnings.map(\.hash))
        known.formUnion(bytes.beginnings.map(\.hash))
    }

    func knows(_ bytes: Bytes) -> Bool { known.contains(bytes.hash) }

    /// The versions that the engine can know, because it has read or written them since it knows the file.
    private var known: Set<String> = []

    /// Whether an engine knew the version, and nothing of the file is known of it any more.
    func hasForgotten(_ bytes: Bytes) -> Bool { taken.contains(bytes.hash) && !known.contains(bytes.hash) }

    /// Whether a file shows where it comes from.
    func showsOrigin(_ bytes: Bytes) -> Bool { bytes.beginnings.contains { known.contains($0.hash) } }

    /// The engine knows nothing of the file any more: what it has written looks like the work of a program.
    ///
    /// - Parameter kept: What an engine of an earlier version still keeps of the file because it ran at the same time. If
    ///   some of it was deleted later, no record of that is left.
    func forgot(kept: [Value]) {
        known = []
        for value in fates.keys { fates[value]?.isProgram = true }
        for values in deletions.values { deletersArePrograms.formUnion(values) }
        for value in kept { returns(value) }
    }

    /// The value may appear again, even if it was deleted.
    private func returns(_ value: Value) {
        orphaned.insert(value)
        deletions[value.note]?.remove(value)
        if deletions[value.note]?.isEmpty == true { deletions[value.note] = nil }
    }

    /// Somebody has replaced the file while the engine knew nothing of it: there is no more than the file.
    func replacedUnknown(_ objects: [Object], kept: Set<Value>) {
        let values = Set(objects.map(\.value))
        for value in fates.keys where !values.contains(value) && !kept.contains(value) {
            end(value)
            // An engine may be about to take it in.
            orphaned.insert(value)
        }
        for value in values { returns(value) }
    }

    /// A version of the file was lost that the engine had no time to read: another program has replaced it.
    func lost(_ bytes: Bytes, to other: Bytes?) {
        for part in bytes.beginnings {
            let hash = part.hash
            guard !taken.contains(hash), !(other?.beginnings.contains { $0.hash == hash } ?? false),
                let events = introduced[hash]
            else { continue }
            introduced[hash] = nil
            for event in events {
                switch event {
                case .made(let value, let old):
                    // What it replaced is still there for whoever has it.
                    if let old { orphaned.insert(old) }
                    if let other, other.objects.contains(where: { $0.value == value }) {
                        introduced[other.hash, default: []].append(event)
                        continue
                    }
                    end(value)
                    orphaned.insert(value)
                case .deleted(let value):
                    deletions[value.note]?.remove(value)
                    if deletions[value.note]?.isEmpty == true { deletions[value.note] = nil }
                    orphaned.insert(value)
                }
            }
        }
    }

    /// Values that may be there or not.
    private var orphaned: Set<Value> = []

    // MARK: Private sessions

    /// A private session is over; only what is in the file is left.
    func endedPrivately(_ file: Set<Value>) {
        for value in file where isOver(value) { orphaned.insert(value) }
        for (value, fate) in fates where fate.isPrivate {
            fates[value]?.isPrivate = false
            if !file.contains(value) {
                fates[value]?.isForbidden = true
                end(value)
            }
        }
    }

    func isOver(_ value: Value) -> Bool { fates[value]?.isOver ?? true }

    // MARK: What must hold

    /// What is where, when nobody is doing anything.
    struct Whereabouts {
        var file: [Value]
        var rows: [ByteOrdered: LocalFileState.Row]
        var conflicts: [ByteOrdered: LocalFileState.Conflict]
        /// What an engine of an earlier version keeps.
        var kept: [Record?]
    }

    func check(_ there: Whereabouts) throws {
        var shown: Set<Value> = Set(there.file)
        for row in there.rows.values { if let local = row.local { shown.insert(local.value) } }
        for conflict in there.conflicts.values {
            for side in [conflict.local, conflict.remote] + conflict.further {
                if let side { shown.insert(side.value) }
            }
        }
        for record in there.kept { if let record { shown.insert(record.value) } }
        for value in shown where fates[value]?.isForbidden == true {
            throw Violation("a private change came back", "\(value)")
        }
        let disputed = Set(
            there.conflicts.flatMap { id, conflict in
                ([conflict.local, conflict.remote, conflict.base] + conflict.further + [
                    there.rows[id]?.local, there.rows[id]?.base,
                ])
                .compactMap { $0?.value.note }
            })
        let keptNotes = Set(there.kept.compactMap { $0?.value.note })
        for (value, fate) in fates where !fate.isOver && !shown.contains(value) && !orphaned.contains(value) {
            throw Violation("a change is nowhere", "\(value) of \(fate.maker)")
        }
        // What has no name may be there as it was and as it is.
        var rows: [Int: Int] = [:]
        for row in there.rows.values { if let local = row.local { rows[local.value.note, default: 0] += 1 } }
        for row in there.rows.values {
            guard let local = row.local?.value, rows[local.note] == 1, !disputed.contains(local.note),
                !keptNotes.contains(local.note)
            else {
                continue
            }
            if let gone = deletions[local.note], gone.contains(local), !orphaned.contains(local) {
                throw Violation("a deleted record is shown", "\(local)")
            }
            if fates[local]?.isOver == true, deletions[local.note] == nil, !orphaned.contains(local) {
                throw Violation("the layer shows an old version", "\(local)")
            }
        }
    }

    /// Nobody may be asked to write what nobody wants.
    ///
    /// - Parameter moment: when the plan was made.
    func checkPlan(_ plan: LocalFileCore.WritePlan, at moment: Int) throws {
        for row in plan.rows.values {
            if let value = row.local?.value {
                guard fates[value]?.isOver != true || fates[value]?.overSince ?? 0 > moment || orphaned.contains(value)
                else {
                    throw Violation("something is written that nobody wants", "\(value)")
                }
            } else if let value = row.base?.value {
                guard fates[value]?.isOver != false || orphaned.contains(value) || deletions[value.note] != nil else {
                    throw Violation("something is deleted that nobody deleted", "\(value)")
                }
            }
        }
    }
}

package import Annotations
import SyncProtocol

/// The stored form of receipts, so that an edit can be undone after a restart. A text that ``json`` did not write reads
/// as nil.
extension EditReceipt {
    package var json: JSON {
        var json = JSONObject()
        json["id"] = .string(id)
        json["kind"] = .string(kind.rawValue)
        json["before"] = before?.stored
        json["after"] = after?.stored
        json["seq"] = .number(JSONNumber(seq))
        json["previous"] = previous?.stored
        if dropsFollowUp { json["dropsFollowUp"] = true }
        json["unanswered"] = (unanswered?.rawValue).map(JSON.string)
        if !swallowed.isEmpty { json["swallowed"] = .array(swallowed.map(\.stored)) }
        json["resolved"] = resolved?.stored
        if !along.isEmpty { json["along"] = .array(along.map(JSON.string)) }
        return .object(json)
    }

    package init?(json: JSON) {
        guard let id = json["id"]?.string, Record.isAcceptedID(id),
            let kind = json["kind"]?.string.flatMap(ChangeKind.init(rawValue:)), let seq = json["seq"]?.integer
        else { return nil }
        let swallowed = (json["swallowed"]?.array ?? []).map(OutboxEntry.init(stored:))
        let previous = json["previous"].map(OutboxEntry.init(stored:))
        let resolved = json["resolved"].map(OutboxEntry.init(stored:))
        let states = [json["before"], json["after"]].map { $0.map(Record.init(stored:)) }
        guard !swallowed.contains(nil), previous != .some(nil), resolved != .some(nil), !states.contains(.some(nil))
        else { return nil }
        self.init(
            id: id, kind: kind, before: states[0] ?? nil, after: states[1] ?? nil, seq: seq,
            previous: previous ?? nil, dropsFollowUp: json["dropsFollowUp"]?.bool ?? false,
            unanswered: json["unanswered"]?.string.flatMap(ChangeKind.init(rawValue:)),
            swallowed: swallowed.compactMap(\.self), along: (json["along"]?.array ?? []).compactMap(\.string),
            resolved: resolved ?? nil)
    }
}

extension Record {
    fileprivate var stored: JSON {
        var json = JSONObject()
        json["id"] = .string(id)
        json["content"] = .string(content.text)
        json["createdBy"] = createdBy.map(JSON.string)
        json["updatedBy"] = updatedBy.map(JSON.string)
        json["group"] = group.map(JSON.string)
        return .object(json)
    }

    fileprivate init?(stored json: JSON) {
        guard let id = json["id"]?.string, let content = json["content"]?.string.flatMap({ try? Content($0) })
        else { return nil }
        self.init(
            id: id, content: content, createdBy: json["createdBy"]?.string,
            updatedBy: json["updatedBy"]?.string, group: json["group"]?.string)
    }
}

extension OutboxEntry {
    /// Only an entry that was waiting can be put back.
    fileprivate var stored: JSON {
        var json = JSONObject()
        json["seq"] = .number(JSONNumber(seq))
        json["id"] = .string(id)
        json["kind"] = .string(kind.rawValue)
        json["baseRevision"] = .number(JSONNumber(baseRevision))
        json["threadRevision"] = threadRevision.map { .number(JSONNumber($0)) }
        json["takenRoot"] = takenRoot.map(JSON.string)
        json["group"] = group.map(JSON.string)
        json["content"] = content.map { .string($0.text) }
        json["base"] = base?.stored
        json["stage"] = .string(stage.rawValue)
        switch state {
        case .waiting: break
        case .sealed(let n): json["n"] = .number(JSONNumber(n))
        case .applied(let n, let revision):
            json["n"] = .number(JSONNumber(n))
            json["revision"] = .number(JSONNumber(revision))
        case .parked(let why), .conflict(let why), .refused(let why): json["reason"] = .string(why)
        }
        if wasSent { json["wasSent"] = true }
        if isAside { json["isAside"] = true }
        json["madeAt"] = .number(JSONNumber(madeAt.milliseconds))
        return .object(json)
    }

    fileprivate init?(stored json: JSON) {
        guard let id = json["id"]?.string, let kind = json["kind"]?.string.flatMap(ChangeKind.init(rawValue:)),
            let stage = json["stage"]?.string.flatMap(Stage.init(rawValue:)), let seq = json["seq"]?.integer,
            let baseRevision = json["baseRevision"]?.integer, let madeAt = json["madeAt"]?.integer
        else { return nil }
        let state: State
        let reason = json["reason"]?.string ?? ""
        switch stage {
        case .waiting: state = .waiting
        case .sealed: state = .sealed(n: json["n"]?.integer ?? 0)
        case .applied: state = .applied(n: json["n"]?.integer ?? 0, revision: json["revision"]?.integer ?? 0)
        case .parked: state = .parked(reason)
        case .conflict: state = .conflict(reason)
        case .refused: state = .refused(reason)
        }
        self.init(
            seq: seq, id: id, kind: kind, baseRevision: baseRevision,
            threadRevision: json["threadRevision"]?.integer, takenRoot: json["takenRoot"]?.string,
            group: json["group"]?.string, content: json["content"]?.string.flatMap { try? Content($0) },
            base: json["base"].flatMap(Record.init(stored:)), state: state,
            madeAt: Timestamp(milliseconds: madeAt))
        wasSent = json["wasSent"]?.bool ?? false
        isAside = json["isAside"]?.bool ?? false
    }
}

import Annotations

extension BaseAnnotations {
    /// The same annotations, with the ids that this program has given them: it writes the id of a record as its name
    /// (`NM`). All others keep the numbers of their objects.
    ///
    /// A name that several annotations have, or that is another one's id, counts for none.
    package var byOwnNames: BaseAnnotations {
        var counts: [ByteOrdered: Int] = [:]
        for record in records { counts[ByteOrdered(record.id), default: 0] += 1 }
        for record in records where record.ownName != nil { counts[ByteOrdered(record.ownName ?? ""), default: 0] += 1 }
        var ids: [ByteOrdered: Record.ID] = [:]
        for record in records {
            guard let name = record.ownName, counts[ByteOrdered(name)] == 1 else { continue }
            ids[ByteOrdered(record.id)] = name
        }
        guard !ids.isEmpty else { return self }
        var named = self
        named.records = records.map { record in
            var record = record
            record.id = ids[ByteOrdered(record.id)] ?? record.id
            let (root, target) = (record.content["rootId"]?.string, record.content["postilla"]?["inReplyTo"]?.string)
            let names = [root, target].map { $0.flatMap { ids[ByteOrdered($0)] } }
            guard names.contains(where: { $0 != nil }) else { return record }
            record.content = record.content.changing { object in
                if let name = names[0] { object["rootId"] = .string(name) }
                guard let name = names[1], var aside = object["postilla"]?.object else { return }
                aside["inReplyTo"] = .string(name)
                object["postilla"] = .object(aside)
            }
            return record
        }
        return named
    }
}

extension Record {
    /// The name of the annotation if it is an id as this program makes them (a ULID).
    fileprivate var ownName: String? {
        guard let name = content["name"]?.string, name.utf8.count == 26,
            name.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) })
        else { return nil }
        return name
    }
}

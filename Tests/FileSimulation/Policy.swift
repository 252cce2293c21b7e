import Annotations
import FileCore

/// Finds annotations again as the program does, with fewer ways: by number, by name, by equality.
struct Policy: RecordComparing {
    func partners(of file: [Record], in known: [Record], sharesIDs: Bool, isMoved: Bool) -> [ByteOrdered: Record] {
        var partners: [ByteOrdered: Record] = [:]
        var used: Set<ByteOrdered> = []
        func pair(_ record: Record, _ partner: Record) {
            let changed = record.value == partner.value ? partner : partner.with(record.value)
            partners[ByteOrdered(record.id)] = changed
            used.insert(ByteOrdered(partner.id))
        }
        func match(_ isPartner: (Record, Record) -> Bool) {
            for record in file where partners[ByteOrdered(record.id)] == nil {
                let partner = known.first { !used.contains(ByteOrdered($0.id)) && isPartner(record, $0) }
                if let partner { pair(record, partner) }
            }
        }
        if sharesIDs {
            match { file, known in
                known.content["pdfObjectId"]?.integer == file.content["pdfObjectId"]?.integer
                    // The number of what was deleted may be that of something new.
                    && (file.content["name"]?.string).isExactly(known.content["name"]?.string)
            }
        }
        match { file, known in
            guard let name = file.content["name"]?.string else { return false }
            return (name == known.id || name == known.content["name"]?.string) && file.page == known.page
        }
        match { file, known in
            file.content["name"] == nil && known.content["name"] == nil && file.value == known.value
                && file.page == known.page
        }
        return partners
    }
}

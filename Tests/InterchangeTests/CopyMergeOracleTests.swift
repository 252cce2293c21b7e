import Annotations
import Interchange
import PDFPages
import TestSupport
import Testing

/// Copies of a document with 300 annotations each, made by three people apart. A model that knows what each of them did
/// says what the merge must give: it compares no records and knows no names.
@Suite("Merging three copies with 300 annotations each")
struct CopyMergeOracleTests {
    static let pages = (0..<10).map { _ in PageFrame(width: 600, height: 800) }

    /// What one person's copy says of an annotation.
    struct Version: Equatable {
        var slots: [String]
        var color: String
        func text(_ key: Int) -> String { "k\(key) a \(slots[0]) b \(slots[1]) c \(slots[2]) d" }
    }

    /// What a file calls an annotation.
    enum Name { case strong, weak, none }

    /// How a copy is handed in.
    enum Form: CaseIterable {
        /// The person's program appended to the file.
        case continued
        /// It wrote the file anew, with other numbers.
        case rewritten
        /// Instant JSON or the like: ids are names.
        case records
    }

    /// What one person did.
    struct Review {
        var person: String
        var form: Form
        var versions: [Int: Version] = [:]
        /// The texts of new replies, by the annotation.
        var replies: [Int: [String]] = [:]
    }

    static let firstNew = 1000
    static let firstShared = 5000

    static func name(of key: Int) -> Name {
        if key >= firstShared { return key % 2 == 0 ? .strong : .none }
        return [.strong, .strong, .weak, .none][key % 4]
    }

    static func author(of key: Int) -> String {
        key >= firstShared ? "shared" : key >= firstNew ? ["ana", "ben", "cy"][key / firstNew - 1] : "eve"
    }

    // MARK: What people do

    static func base(_ random: inout SeededRandom) -> [Int: Version] {
        var base: [Int: Version] = [:]
        for key in 0..<240 { base[key] = Version(slots: ["1", "2", "3"], color: random.pick(["#ffff00", "#00ffff"])) }
        return base
    }

    static func review(
        _ place: Int, _ form: Form, of base: [Int: Version], _ random: inout SeededRandom
    ) -> Review {
        let person = ["ana", "ben", "cy"][place]
        var review = Review(person: person, form: form, versions: base)
        for key in base.keys.sorted() where random.chance(1, of: 3) {
            // A program that gives an annotation another number, and no name, must leave it as it is.
            let mayChange = form == .continued || name(of: key) == .strong
            switch Int.random(in: 0..<6, using: &random) {
            case 0: review.versions[key] = nil
            case 1 where mayChange: review.versions[key]?.color = random.pick(["#ff0000", "#00ff00"])
            case let choice where choice <= 4 && mayChange:
                let slot = Int.random(in: 0..<3, using: &random)
                review.versions[key]?.slots[slot] = random.pick([person, "both"])
            default: review.replies[key] = ["k\(key) reply of \(person)"]
            }
        }
        for number in 0..<50 {
            let key = firstNew * (place + 1) + number
            review.versions[key] = Version(slots: [person, "new", "x"], color: "#000000")
            if number % 10 == 0 { review.replies[key] = ["k\(key) own reply"] }
        }
        for key in firstShared..<firstShared + 30 where random.chance(2, of: 3) {
            // With a name, people may have gone on from there.
            let word = name(of: key) == .strong && random.chance(1, of: 4) ? person : "common"
            review.versions[key] = Version(slots: ["s", word, "s"], color: "#123456")
        }
        return review
    }

    // MARK: Files

    static func record(
        _ key: Int, _ version: Version, id: String, shift: Double, naming name: String?
    ) -> Record {
        var object = JSONObject()
        object["v"] = 1
        object["type"] = "pspdfkit/note"
        object["pageIndex"] = .number(JSONNumber(Int64(key % 10)))
        object["bbox"] =
            Rect(
                left: Double(key % 25) * 20 + shift, top: Double(key / 25 % 30) * 20, width: 18, height: 18
            ).json
        object["text"] = .string(version.text(key))
        object["color"] = .string(version.color)
        object["name"] = name.map(JSON.string)
        object["creatorName"] = .string(author(of: key))
        return Record(id: id, content: Content(object))
    }

    /// Returns the file of a review. Numbers of new annotations are the same in each copy, as with programs that append.
    static func records(of review: Review, base: [Int: Version], _ random: inout SeededRandom) -> [Record] {
        var numbers = Array(20_000..<30_000)
        numbers.shuffle(using: &random)
        var (next, records, ids): (Int, [Record], [Int: String]) = (7000, [], [:])
        for key in review.versions.keys.sorted() {
            var name: String?
            switch Self.name(of: key) {
            case .strong: name = "name-of-annotation-\(key)"
            // Programs give the same short names in each copy.
            case .weak: name = "fitz-A\(key % 100)"
            case .none: break
            }
            var id: String
            switch review.form {
            case .continued where base[key] != nil: id = "\(key + 10)"
            case .continued:
                id = "\(next)"
                next += 1
            case .rewritten: id = "\(numbers.removeLast())"
            case .records:
                id = name.flatMap { $0.count >= 16 ? $0 : nil } ?? "#\(key)"
                name = nil
            }
            ids[key] = id
            let shift = review.form == .rewritten ? Double.random(in: -0.45...0.45, using: &random) : 0
            records.append(record(key, review.versions[key]!, id: id, shift: shift, naming: name))
        }
        for (key, texts) in review.replies.sorted(by: { $0.key < $1.key }) {
            for text in texts {
                guard let root = ids[key] else { continue }
                var object = JSONObject()
                object["v"] = 1
                object["type"] = "pspdfkit/comment"
                object["pageIndex"] = .number(JSONNumber(Int64(key % 10)))
                object["rootId"] = .string(root)
                object["text"] = .string(text)
                object["creatorName"] = .string(review.person)
                records.append(Record(id: review.form == .records ? "#r\(key)" : "\(next)", content: Content(object)))
                next += 1
            }
        }
        if review.form != .continued { records.shuffle(using: &random) }
        return records
    }

    // MARK: The model

    /// The union, decided annotation by annotation.
    struct Union {
        var versions: [Int: Version]
        var replies: Set<String> = []
        /// The annotations that each copy disputes.
        var disputed: [Set<Int>] = []
        var missing: [Set<Int>] = []

        mutating func add(_ review: Review, base: [Int: Version]) {
            var (conflicts, missing): (Set<Int>, Set<Int>) = ([], [])
            for key in Set(base.keys).union(review.versions.keys) {
                let (was, now, theirs) = (base[key], versions[key], review.versions[key])
                let hasOthersReply = replies.contains { $0.hasPrefix("k\(key)|") }
                switch (was, now, theirs) {
                case (nil, nil, let theirs?): versions[key] = theirs
                case (let was?, let now?, nil):
                    if review.form != .continued {
                        missing.insert(key)
                    } else if now != was || hasOthersReply {
                        conflicts.insert(key)
                    } else {
                        versions[key] = nil
                    }
                case (let was?, nil, let theirs?):
                    // Deleted by somebody else.
                    if theirs != was || review.replies[key]?.isEmpty == false {
                        conflicts.insert(key)
                        versions[key] = theirs
                    }
                case (let was, let now?, let theirs?): merge(key, was, now, theirs, &conflicts)
                default: break
                }
            }
            for (key, texts) in review.replies where review.versions[key] != nil {
                for text in texts { replies.insert("k\(key)|\(text)") }
            }
            disputed.append(conflicts)
            self.missing.append(missing)
        }

        private mutating func merge(
            _ key: Int, _ was: Version?, _ now: Version, _ theirs: Version, _ conflicts: inout Set<Int>
        ) {
            guard let was else {
                guard now.slots != theirs.slots else { return }
                if replies.insert("k\(key)|\(theirs.text(key))").inserted { conflicts.insert(key) }
                return
            }
            if theirs.color != was.color, theirs.color != now.color {
                if now.color == was.color { versions[key]?.color = theirs.color } else { conflicts.insert(key) }
            }
            let isDisputed = (0..<3).contains { slot in
                let (was, now, theirs) = (was.slots[slot], now.slots[slot], theirs.slots[slot])
                return now != was && theirs != was && now != theirs
            }
            if isDisputed {
                // A text that was lost once is not lost twice.
                if replies.insert("k\(key)|\(theirs.text(key))").inserted { conflicts.insert(key) }
            } else {
                for slot in 0..<3 where theirs.slots[slot] != was.slots[slot] {
                    versions[key]?.slots[slot] = theirs.slots[slot]
                }
            }
        }
    }

    // MARK: What the merge gave

    static func key(of text: String) -> Int { Int(text.dropFirst().prefix { $0.isNumber }) ?? -1 }

    static func annotations(_ records: [Record]) -> [String] {
        records.filter { $0.contentType != .comments }.map { record in
            let text = record.content["text"]?.string ?? ""
            return "\(text)|\(record.content["color"]?.string ?? "")|\(record.content["creatorName"]?.string ?? "")"
        }.sorted()
    }

    static func replies(_ records: [Record]) -> [String] {
        let roots = Dictionary(records.map { ($0.id, $0) }) { first, _ in first }
        return records.filter { $0.contentType == .comments }.map { record in
            let root = record.content["rootId"]?.string.flatMap { roots[$0] }?.content["text"]?.string ?? "none"
            return "k\(key(of: root))|\(record.content["text"].flatMap(CommentText.init(json:))?.words ?? "")"
        }.sorted()
    }

    static func conflicts(_ merge: CopyMerge, _ copy: Int) -> Set<Int> {
        Set(
            merge.entries.compactMap { entry in
                guard entry.copy == copy else { return nil }
                switch entry.finding {
                case .conflict, .keptDeleted: return key(of: entry.record.content["text"]?.string ?? "")
                default: return nil
                }
            })
    }

    @Test(arguments: 0..<10)
    func theResultIsTheUnion(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let base = Self.base(&random)
        let forms = (0..<3).map { _ in seed < 3 ? .continued : random.pick(Form.allCases) }
        let reviews = (0..<3).map { Self.review($0, forms[$0], of: base, &random) }
        let document = Self.records(of: Review(person: "eve", form: .continued, versions: base), base: base, &random)
        let files = reviews.map { Self.records(of: $0, base: base, &random) }
        #expect(files.allSatisfy { (250...400).contains($0.count) })

        func merged(into document: [Record], since ancestor: [Record]) -> CopyMerge {
            var merge = CopyMerge(document, pages: Self.pages, writesPDF: true)
            for (review, file) in zip(reviews, files) {
                merge.add(
                    CopyMerge.Copy(
                        file, from: review.form == .records ? .records : .pdf,
                        ancestor: review.form == .continued ? .revision(ancestor, of: 0) : .likely(ancestor, of: 0)))
            }
            return merge
        }
        let merge = merged(into: document, since: document)
        var union = Union(versions: base)
        for review in reviews { union.add(review, base: base) }

        let expected = union.versions.map { "\($1.text($0))|\($1.color)|\(Self.author(of: $0))" }.sorted()
        #expect(Self.annotations(merge.records) == expected, "seed \(seed), \(forms)")
        #expect(Self.replies(merge.records) == union.replies.sorted(), "seed \(seed), \(forms)")
        for copy in 0..<3 {
            #expect(Self.conflicts(merge, copy) == union.disputed[copy], "seed \(seed), \(forms), copy \(copy)")
            #expect(merge.counts[copy].missing == union.missing[copy].count, "seed \(seed), \(forms), copy \(copy)")
        }
        #expect(Set(merge.records.map(\.id)).count == merge.records.count)

        // Read again from a PDF, new records have numbers, and their ids as names unless they have others.
        let written = Self.asWritten(merge.records, in: document)
        for (review, file) in zip(reviews, files) {
            let copy = CopyMerge.Copy(file, from: review.form == .records ? .records : .pdf)
            let changes = [document, written].map { CopyMerge.differences(of: copy, from: $0, pages: Self.pages) }
            #expect(changes[0] < changes[1], "seed \(seed), \(forms), \(review.person)")
        }
        let again = merged(into: written, since: document)
        let differing = zip(again.records, written).filter { $0 != $1 }.map {
            ($0.0.id, $0.0.content.text, $0.1.content.text)
        }
        #expect(again.records.count == written.count && differing.isEmpty, "seed \(seed), \(forms), \(differing.first)")
        #expect(again.counts.allSatisfy { $0.added + $0.changed + $0.deleted == 0 })
    }

    static func asWritten(_ records: [Record], in document: [Record]) -> [Record] {
        let old = Set(document.map(\.id))
        var ids: [String: String] = [:]
        for (place, record) in records.enumerated() {
            ids[record.id] = old.contains(record.id) ? record.id : "\(40_000 + place)"
        }
        return records.map { record in
            guard !old.contains(record.id) else { return record }
            let content = record.content.changing { object in
                object["name"] = object["name"] ?? .string(record.id)
                if let root = object["rootId"]?.string { object["rootId"] = ids[root].map(JSON.string) }
            }
            return Record(id: ids[record.id] ?? "", content: content)
        }
    }
}

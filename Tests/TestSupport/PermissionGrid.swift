import Annotations
import Authorization

/// A grid of yes/no answers to one permission question: each line is a token, each column a record or a verb.
struct PermissionGrid {
    private let name: String
    private let guide: String
    private let claims: JSONObject
    /// The entries of each token; `<line>`, `<on>` and `<do>` are substituted. nil if the claim is absent.
    private let entries: [String]?
    /// The variants that the grid is repeated for: members of each row.
    private let each: [JSONObject]
    private let columns: [String]
    private let verbs: JSONObject
    private let lines: [(kind: Kind, key: String, answers: [String])]

    /// The meaning of a line's key.
    private enum Kind: String, CaseIterable { case lines, permissions, users }

    static func cases(_ json: JSON) throws -> [PermissionCase] {
        let grid = try PermissionGrid(json)
        return try grid.each.flatMap { each in
            try grid.lines.map { try grid.token($0.kind, $0.key, each, answers: $0.answers) }
        }
    }

    private init(_ json: JSON) throws {
        guard let name = json["grid"]?.string, let guide = json["guide"]?.string,
            let claims = json["claims"]?.object, let columns = json["columns"]?.string.map(Self.words)
        else { throw BadRow(text: json.text) }
        self.name = name
        self.guide = guide
        self.claims = claims
        self.columns = columns
        entries = json["entries"]?.array?.compactMap(\.string)
        each = json["each"]?.array?.compactMap(\.object) ?? [JSONObject()]
        verbs = json["verbs"]?.object ?? JSONObject()
        lines = try Kind.allCases.flatMap { kind in
            try (json[kind.rawValue]?.object?.members ?? []).map { line in
                let answers = line.value.string.map(Self.words) ?? []
                guard answers.count == columns.count else { throw BadRow(text: "\(name), \(line.key)") }
                return (kind, line.key, answers)
            }
        }
        if lines.isEmpty { throw BadRow(text: json.text) }
    }

    private func token(_ kind: Kind, _ key: String, _ each: JSONObject, answers: [String]) throws -> PermissionCase {
        var claims = claims
        switch kind {
        case .lines: break
        case .permissions: claims["permissions"] = Self.permissions(key)
        case .users: claims["user_id"] = key == "-" ? nil : .string(key)
        }
        if let entries {
            let more = each["with"]?.array?.compactMap(\.string) ?? []
            claims["collaboration_permissions"] = .array(
                (more + entries).map { entry in
                    var text = entry.replacing("<line>", with: key)
                    for word in ["on", "do"] { text.replace("<\(word)>", with: each[word]?.string ?? "") }
                    return .string(text)
                })
        }
        let what = [each["do"]?.string, each["on"]?.string].compactMap { $0 }.joined(separator: " ")
        let name = [name, what, key].filter { !$0.isEmpty }.joined(separator: ", ")
        return try PermissionCase(name, claims) { grant in
            try zip(columns, answers).map { column, answer in
                var row = try verbs[column]?.object ?? Self.row(of: column, over: each)
                row["answer"] = .string(answer)
                row["why"] = .string(guide)
                return try PermissionRow(name, grant, .object(row))
            }
        }
    }

    /// Parses `ana/x`, `ben/-`, `ben/x>y` or `pdf`.
    private static func row(of column: String, over each: JSONObject) throws -> JSONObject {
        var row = each
        if column == "pdf" {
            row["pdf"] = true
            return row
        }
        let sides = column.split(separator: ">")
        let names = sides[0].split(separator: "/")
        guard names.count == 2 else { throw BadRow(text: column) }
        row["by"] = name(names[0])
        row["group"] = name(names[1])
        if sides.count == 2 { row[each["do"]?.string == "reply" ? "into" : "to"] = name(sides[1]) }
        return row
    }

    private static func name(_ word: Substring) -> JSON? { word == "-" ? .null : .string(String(word)) }

    /// Parses `all`, or a list such as `[read-document, write]`.
    private static func permissions(_ key: String) -> JSON {
        guard key.hasPrefix("[") else { return .string(key) }
        let names = key.dropFirst().dropLast().split(separator: ",").map { $0.drop { $0 == " " } }
        return .array(names.map { .string(String($0)) })
    }

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
}

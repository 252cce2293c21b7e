package import Annotations
package import Authorization

/// The rows of `Resources/vectors/permissions.json` that one token is held to.
///
/// The decision function, what the client offers and what the server answers are tested with the same rows.
package struct PermissionCase: Sendable, CustomStringConvertible {
    package var name: String
    /// Of the token, but for what every token needs besides: document, layer and end.
    package var claims: JSONObject
    package var grant: Grant
    package var rows: [PermissionRow]

    package var description: String { name }

    init(_ name: String, _ claims: JSONObject, _ rows: (Grant) throws -> [PermissionRow]) throws {
        var complete = claims
        complete["document_id"] = "contract"
        complete["exp"] = 4_000_000_000
        self.name = name
        self.claims = claims
        grant = try Claims(payload: Array(JSON.object(complete).text.utf8)).grant
        self.rows = try rows(grant)
    }

    /// Every token of the table.
    package static func all() throws -> [PermissionCase] {
        let table = try JSON(parsing: Repository.text("Resources/vectors/permissions.json"))
        return try (table["grids"]?.array ?? []).flatMap(PermissionGrid.cases)
            + (table["scenarios"]?.array ?? []).map(scenario)
    }

    private static func scenario(_ json: JSON) throws -> PermissionCase {
        guard let name = json["scenario"]?.string, let claims = json["claims"]?.object,
            let rows = json["rows"]?.array
        else { throw BadRow(text: json.text) }
        return try PermissionCase(name, claims) { grant in try rows.map { try PermissionRow(name, grant, $0) } }
    }
}

/// Somebody with these rights wants to do this; may they?
package struct PermissionRow: Sendable, CustomStringConvertible {
    package var grant: Grant
    package var operation: Operation
    package var isAllowed: Bool
    /// The record is one the PDF came with.
    package var isOfThePDF: Bool
    /// The words of the denial, where the row names them.
    package var reason: String?
    package var why: String
    private var place: String

    package var description: String { place }

    package static func all() throws -> [PermissionRow] { try PermissionCase.all().flatMap(\.rows) }

    /// - Parameter row: `do`, `on`, `by`, `group`, `answer` and `why`; `to`, `into` and `first` where they belong.
    init(_ name: String, _ grant: Grant, _ row: JSON) throws {
        guard let verb = row["do"]?.string, let type = row["on"]?.string.flatMap(ContentType.init(rawValue:)),
            let answer = row["answer"]?.string, ["yes", "no"].contains(answer), let why = row["why"]?.string
        else { throw BadRow(text: row.text) }
        let subject = Subject(type, createdBy: row["by"]?.string, group: row["group"]?.string)
        switch verb {
        case "view": operation = .view(subject)
        case "edit": operation = .edit(subject)
        case "delete": operation = .delete(subject)
        case "create": operation = .createAnnotation(group: subject.group)
        case "reply":
            operation = .createComment(
                root: subject, first: row["first"]?.bool == true, group: row["into"]?.string)
        case "move": operation = .move(subject, to: row["to"]?.string)
        default: throw BadRow(text: row.text)
        }
        self.grant = grant
        isAllowed = answer == "yes"
        isOfThePDF = row["pdf"]?.bool == true
        reason = row["says"]?.string
        self.why = why
        place = "\(name): \(row.text)"
    }
}

struct BadRow: Error { var text: String }

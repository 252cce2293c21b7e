import Annotations
package import Authorization

/// One row of `Resources/vectors/permissions.json`: somebody with these claims wants to do this; may they?
///
/// The decision function, the client's keys and the server's answers are all held to the same rows.
package struct PermissionRow: Sendable, CustomStringConvertible {
    package var scenario: String
    package var grant: Grant
    package var operation: Operation
    package var isAllowed: Bool
    /// The words of the denial, where the row names them.
    package var reason: String?
    package var why: String
    package var line: String

    package var description: String { "\(scenario): \(line)" }

    package static func all() throws -> [PermissionRow] {
        let table = try JSON(parsing: Repository.text("Resources/vectors/permissions.json"))
        return try (table["scenarios"]?.array ?? []).flatMap { scenario in
            guard let name = scenario["scenario"]?.string, let claims = scenario["claims"]?.object else {
                throw BadRow(text: scenario.text)
            }
            let grant = try grant(claims)
            return try (scenario["rows"]?.array ?? []).map { try PermissionRow(name, grant, $0) }
        }
    }

    /// The claims as they stand in the table, with what every token needs besides.
    private static func grant(_ claims: JSONObject) throws -> Grant {
        var claims = claims
        claims["document_id"] = "contract"
        claims["exp"] = 4_000_000_000
        return try Claims(payload: Array(JSON.object(claims).text.utf8)).grant
    }

    private init(_ scenario: String, _ grant: Grant, _ row: JSON) throws {
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
        self.scenario = scenario
        self.grant = grant
        isAllowed = answer == "yes"
        reason = row["says"]?.string
        self.why = why
        line = row.text
    }

    private struct BadRow: Error { var text: String }
}

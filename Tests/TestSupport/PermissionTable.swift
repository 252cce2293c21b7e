package import Annotations
package import Authorization

/// One token of `Resources/vectors/permissions.json` with the rows that test it.
///
/// The same rows test the decision function, the client's offers and the server's answers.
package struct PermissionCase: Sendable, CustomStringConvertible {
    package var name: String
    /// The token's claims without those that every token needs: document, layer and expiry.
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

    /// Returns every token of the table.
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

/// The question whether these rights allow an operation.
package struct PermissionRow: Sendable, CustomStringConvertible {
    package var grant: Grant
    package var operation: Operation
    package var isAllowed: Bool
    /// Whether the record came with the PDF.
    package var isOfThePDF: Bool
    /// Whether the change omits its group.
    package var omitsGroup: Bool
    /// The text of the denial, if the row gives it.
    package var reason: String?
    package var why: String
    private var place: String

    package var description: String { place }

    package static func all() throws -> [PermissionRow] { try PermissionCase.all().flatMap(\.rows) }

    /// - Parameter row: `do`, `on`, `by`, `group`, `answer` and `why`; `to`, `into`, `first` and `omits` where they apply.
    init(_ name: String, _ grant: Grant, _ row: JSON) throws {
        guard let verb = row["do"]?.string, let type = row["on"]?.string.flatMap(ContentType.init(rawValue:)),
            let answer = row["answer"]?.string, ["yes", "no"].contains(answer), let why = row["why"]?.string
        else { throw BadRow(text: row.text) }
        let omits = row["omits"]?.bool == true
        func given(_ name: String) -> String? { omits ? grant.defaultGroup : row[name]?.string }
        let subject = Subject(type, createdBy: row["by"]?.string, group: row["group"]?.string)
        switch verb {
        case "view": operation = .view(subject)
        case "edit": operation = .edit(subject)
        case "delete": operation = .delete(subject)
        case "create": operation = .createAnnotation(group: given("group"))
        case "reply":
            operation = .createComment(
                root: subject, first: row["first"]?.bool == true, group: given("into"))
        case "set-state": operation = .setState(root: subject, group: given("into"))
        case "edit-state": operation = .editState(subject)
        case "move": operation = .move(subject, to: row["to"]?.string)
        default: throw BadRow(text: row.text)
        }
        self.grant = grant
        omitsGroup = omits
        isAllowed = answer == "yes"
        isOfThePDF = row["pdf"]?.bool == true
        reason = row["says"]?.string
        self.why = why
        place = "\(name): \(row.text)"
    }
}

struct BadRow: Error { var text: String }

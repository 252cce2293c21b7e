/// The two tables of `docs/architecture.md`: the allowed imports of each module, and the folders where a library may
/// appear. The tests enforce the page, so it cannot become outdated.
struct ModuleTable {
    /// Own and third-party modules, by module.
    var mayImport: [String: Set<String>] = [:]
    /// Folders by library.
    var onlyIn: [String: [String]] = [:]

    init() throws {
        for line in try SourceFile.read("docs/architecture.md").lines where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map(Self.names)
            guard let head = cells.first else { continue }
            switch cells.count {
            case 4: mayImport[head[0]] = Set(cells[2] + cells[3])
            case 2: for library in head { onlyIn[library] = cells[1] }
            default: continue
            }
        }
    }

    /// Returns the words between backticks in a cell.
    private static func names(_ cell: Substring) -> [String] {
        cell.matches(of: /`([^`]+)`/).map { String($0.1) }
    }
}

/// How the lines of a server's log look.
enum LogFormat: String, CaseIterable {
    case text, json
}

import Annotations

/// The actions that a record may put into a file: an address on the web or for mail, or another page of the document.
/// People who click a link do not know who wrote its record, so anything that starts a program, runs a script or opens
/// another file is left out. A destination within the document is not an action but `Dest`.
struct LinkAction {
    /// The action as a PDF dictionary (ISO 32000-1, 12.6.4).
    let entries: [String: PDFObject]

    static let maxAddress = 8192

    /// The named actions of the standard; others are menu items of a program, such as printing or quitting.
    private static let namedActions: Set = ["NextPage", "PrevPage", "FirstPage", "LastPage"]

    /// - Returns: nil for any other action.
    init?(_ action: JSON) {
        switch action["type"]?.string {
        case "uri":
            guard let address = action["uri"]?.string, LinkAddress.isAllowed(address) else { return nil }
            entries = ["S": .name("URI"), "URI": .string(String(address.prefix(scalars: Self.maxAddress)))]
        case "named":
            let word = action["action"]?.string ?? ""
            let name = word.prefix(scalars: 1).uppercased() + word.dropFirst(scalars: 1)
            guard Self.namedActions.contains(name) else { return nil }
            entries = ["S": .name("Named"), "N": .name(name)]
        default: return nil
        }
    }
}

public import Annotations
public import ArgumentParser
public import InstantCore

/// The filter and order of a layer's annotations.
struct FilterOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only this page, counted from 1.", valueName: "n"))
    var page: PageArgument?

    @Option(help: ArgumentHelp("Only this kind, such as note or highlight; repeatable.", valueName: "kind"))
    var kind: [KindArgument] = []

    @Option(help: ArgumentHelp("Only this author, by display name.", valueName: "name"))
    var author: String?

    @Option(help: ArgumentHelp("Only this group; '' for none.", valueName: "group"))
    var group: String?

    @Option(help: ArgumentHelp("Only annotations with this in the text, author or kind.", valueName: "text"))
    var text: String?

    @Flag(help: "In a table, also links, form fields and other furniture without a remark.")
    var all = false

    @Flag(help: "Only annotations changed by others since they were last read.")
    var unread = false

    @Option(
        help: ArgumentHelp(
            "Only this state: accepted, rejected, cancelled, completed or none; repeatable.", valueName: "state"))
    var state: [AnnotationState] = []

    @Flag(help: "Only annotations that are resolved.")
    var resolved = false

    @Flag(help: "Only annotations that are not resolved.")
    var open = false

    @Option(help: "Order: page, newest, author or group.")
    var order = ListQuery.Order.page

    @Option(help: ArgumentHelp("Maximum number of annotations.", valueName: "n"))
    var limit: Int?

    func validate() throws {
        guard !resolved || !open else { throw ValidationError("Use --resolved or --open, not both.") }
        guard state.allSatisfy({ $0.model == .review }) else {
            throw ValidationError("--state must be accepted, rejected, cancelled, completed or none.")
        }
        if let limit, limit < 0 { throw ValidationError("--limit must be 0 or more.") }
    }

    var query: ListQuery {
        var filter = ListFilter()
        filter.pageIndex = page?.index
        filter.kinds = Set(kind.map(\.kind))
        filter.author = author
        filter.group = group
        filter.text = text ?? ""
        filter.unreadOnly = unread
        filter.states = Set(state)
        if resolved || open { filter.resolved = resolved }
        return ListQuery(order: order, filter: filter)
    }
}

/// A kind by its name in lists, with a hyphen for a space.
struct KindArgument: ExpressibleByArgument {
    var kind: AnnotationKind

    init?(argument: String) {
        let found = AnnotationKind.known.first { Self.name($0) == argument.lowercased() }
        guard let found else { return nil }
        kind = found
    }

    static var allValueStrings: [String] { AnnotationKind.known.map(name) }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

    private static func name(_ kind: AnnotationKind) -> String {
        kind.name.lowercased().replacing(scalars: " ", with: "-").replacing(scalars: "'", with: "")
    }
}

extension ListQuery.Order: ExpressibleByArgument {}
extension AnnotationState: ExpressibleByArgument {}

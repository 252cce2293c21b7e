import Annotations
import ArgumentParser
import InstantCore

/// Which annotations of a layer, and in which order.
struct FilterOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only this page, counted from 1.", valueName: "n"))
    var page: PageArgument?

    @Option(help: ArgumentHelp("Only this kind, such as note or highlight; may be given again.", valueName: "kind"))
    var kind: [KindArgument] = []

    @Option(help: ArgumentHelp("Only those of this author, by the name they show.", valueName: "name"))
    var author: String?

    @Option(help: ArgumentHelp("Only this group; empty for those in none.", valueName: "group"))
    var group: String?

    @Option(help: ArgumentHelp("Only those with this in their text, author or kind.", valueName: "text"))
    var text: String?

    @Flag(help: "Only those that others changed since this person last saw them.")
    var unread = false

    @Option(help: "page, newest, author or group.")
    var order = ListQuery.Order.page

    @Option(help: ArgumentHelp("At most so many.", valueName: "n"))
    var limit: Int?

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit counts annotations: 0 or more.") }
    }

    var query: ListQuery {
        var filter = ListFilter()
        filter.pageIndex = page?.index
        filter.kinds = Set(kind.map(\.kind))
        filter.author = author
        filter.group = group
        filter.text = text ?? ""
        filter.unreadOnly = unread
        return ListQuery(order: order, filter: filter)
    }
}

/// A kind by its name in lists, with a hyphen for a space.
struct KindArgument: ExpressibleByArgument {
    var kind: AnnotationKind

    init?(argument: String) {
        let found = AnnotationKind.known.first { $0.name.replacing(" ", with: "-") == argument.lowercased() }
        guard let found else { return nil }
        kind = found
    }

    static var allValueStrings: [String] { AnnotationKind.known.map { $0.name.replacing(" ", with: "-") } }
}

extension ListQuery.Order: ExpressibleByArgument {}

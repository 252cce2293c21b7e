import Annotations
import App
import ArgumentParser

/// An annotation described by options.
struct NewAnnotationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Add a note with this text; needs --page.", valueName: "text"))
    var note: String?

    @Option(
        help: ArgumentHelp("Attach this file; needs --page.", valueName: "path"), completion: .file())
    var file: String?

    @Flag(help: "Mark the words in the boxes of --rect; needs --page.")
    var mark: MarkArgument?

    @Option(help: ArgumentHelp("Page of the annotation, from 1.", valueName: "n"))
    var page: PageArgument?

    @Option(help: ArgumentHelp("Position of a note, in points from the page's top left corner.", valueName: "x,y"))
    var at: PointArgument?

    @Option(
        help: ArgumentHelp(
            "Box of marked words, in points from the page's top left corner; one per line of words.",
            valueName: "left,top,width,height"))
    var rect: [RectArgument] = []

    @Option(help: ArgumentHelp("Text of a mark.", valueName: "text"))
    var text: String?

    @Option(help: ArgumentHelp("Colour, as #rrggbb.", valueName: "color"))
    var annotationColor: ColorArgument?

    func validate() throws {
        guard note != nil || mark != nil || file != nil else {
            guard page == nil, at == nil, rect.isEmpty, text == nil, annotationColor == nil else {
                throw ValidationError("No annotation given. Use --note or a mark such as --highlight.")
            }
            return
        }
        guard [note != nil, mark != nil, file != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Use only one of --note, --file and a mark.")
        }
        guard page != nil else { throw ValidationError("Missing page. Use --page N, from 1.") }
        guard mark == nil || !rect.isEmpty else { throw ValidationError("Missing words. Use --rect for each line.") }
        guard mark != nil || rect.isEmpty, mark != nil || file != nil || text == nil else {
            throw ValidationError("--rect and --text need a mark such as --highlight.")
        }
        guard at == nil || note != nil || file != nil else { throw ValidationError("--at needs --note or --file.") }
    }

    /// nil when the options describe no annotation.
    var content: Content? {
        guard let page = page?.index else { return nil }
        var content: Content?
        if let note {
            // The default place is one inch from the page's left and top edges.
            content = .note(onPage: page, at: at?.point ?? Point(x: 72, y: 72), text: note)
        } else if let mark {
            content = MarkupKind(mark.kind).map { .markup($0, onPage: page, rects: rect.map(\.rect)) }
            if let text { content = content?.changingText(to: text) }
        }
        guard let annotationColor else { return content }
        return content?.changing { $0["color"] = .string(annotationColor.text) }
    }
}

enum MarkArgument: String, EnumerableFlag {
    case highlight, underline, strikeOut, squiggly

    var kind: AnnotationKind {
        switch self {
        case .highlight: .highlight
        case .underline: .underline
        case .strikeOut: .strikeOut
        case .squiggly: .squiggly
        }
    }
}

/// A colour such as `#rrggbb`.
struct ColorArgument: ExpressibleByArgument {
    var text: String

    init?(argument: String) {
        guard argument.utf8.count == 7, argument.begins(with: "#"),
            argument.dropFirst(scalars: 1).allSatisfy(\.isHexDigit)
        else {
            return nil
        }
        text = argument.lowercased()
    }
}

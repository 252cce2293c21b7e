import Annotations
import InstantCore
import PageLayout
import Screen

/// The first line of the document screen: where the user is, and who else is here. If space is short, names are dropped
/// first, then the title and the layer; the page never is.
struct TitleLine {
    let left: CleanText
    /// The page, and what is not the default about its view.
    let page: CleanText
    let people: CleanText

    init(_ state: AppState, _ document: DocumentState, columns: Int, art: LineArt) {
        var place = document.placeParts
        let pages = document.pageForms
        let names = document.peopleForms(art: art)
        var form = (page: 0, names: 0, where: 0)
        let name = CleanText(cleaning: document.name)
        // A file is known by its name; the title inside it is said as well.
        let isTitled = document.isLocal && !DocumentTitle.saysNothing(document.title) && document.title != document.name
        let title = isTitled ? name + art.dot + CleanText(cleaning: document.title) : name
        let layer = CleanText(cleaning: document.layerName)
        let wheres: [CleanText] =
            document.isLocal
            ? [title, name, name.truncated(to: 14), ""]
            : [title + art.path + layer, title.truncated(to: 24) + art.path + layer.truncated(to: 20), layer, ""]
        place += [""]
        func width() -> Int {
            let rest = wheres[form.where].width + names[form.names].width + 4
            return rest + pages[form.page].width + (place.first?.width ?? 0) + (names[form.names].isEmpty ? 0 : 3)
        }
        while width() > columns, form.names + 1 < names.count { form.names += 1 }
        while width() > columns, form.where + 1 < wheres.count { form.where += 1 }
        while width() > columns, place.count > 1 { place.removeFirst() }
        while width() > columns, form.page + 1 < pages.count { form.page += 1 }
        // The name that was cut to its shortest form gets the room that is left.
        let room = columns - width() + wheres[form.where].width
        left = document.isLocal && form.where == 2 ? name.truncated(to: max(14, room)) : wheres[form.where]
        people = names[form.names]
        let view = place.first ?? ""
        page = view.isEmpty ? pages[form.page] : view + "   " + pages[form.page]
    }
}

extension DocumentState {
    /// What is not the default about the view of the page, the longest wording first.
    fileprivate var placeParts: [CleanText] {
        var parts: [CleanText] = []
        if let search = page.search {
            let percent = index.percent(of: pageCount ?? 0)
            parts.append("/\(CleanText(cleaning: search.text).truncated(to: 24))\(percent < 100 ? " \(percent)%" : "")")
        }
        if page.typeset?.view == .layout, page.zoom != 100 { parts.append("\(page.zoom)%") }
        if page.left > 0 { parts.append("column \(page.left + 1)") }
        guard !parts.isEmpty else { return [] }
        return [parts.joined(separator: "   "), parts[0]]
    }

    /// `page iv (4 of 7)`, `page 4 of 7`, `p4`
    var pageForms: [CleanText] {
        let label = label(of: page.index)
        let number = "\(page.index + 1)"
        let count = pageCount.map { " of \($0)" } ?? ""
        let long: CleanText = label == number ? "page \(number)\(count)" : "page \(label) (\(number)\(count))"
        return [long, "page \(number)", "p\(number)"]
    }

    /// `● ana  ● ben  ● cy`, `● ana +2`, `+3`
    fileprivate func peopleForms(art: LineArt) -> [CleanText] {
        let people = presence.people.filter(\.isPresenting) + presence.people.filter { !$0.isPresenting }
        let names = people.map { CleanText(cleaning: $0.shownName).truncated(to: 16) }
        guard let first = names.first else { return [""] }
        let all = names.prefix(4).map { art.person + $0 }.joined(separator: "  ")
        let whole: CleanText = names.count > 4 ? all + "  +\(names.count - 4)" : all
        let short: CleanText = names.count > 1 ? art.person + first + " +\(names.count - 1)" : art.person + first
        return [whole, short, "+\(names.count)", ""]
    }
}

extension Canvas {
    mutating func drawTitle(_ state: AppState, _ document: DocumentState, in area: Area) {
        guard !area.isEmpty else { return }
        let line = TitleLine(state, document, columns: area.columns, art: art)
        let theme = state.theme
        write(line.left, in: area, column: 1, style: theme.title)
        let people = line.people.isEmpty ? 0 : line.people.width + 3
        let column = max(1, area.columns - line.page.width - people - 1)
        write(line.page, in: area, column: column, style: document.focus == .page ? theme.accent : theme.text)
        write(line.people, in: area, column: area.columns - line.people.width - 1, style: theme.text)
    }
}

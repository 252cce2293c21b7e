import Annotations
import InstantCore
import PDFPages
import PageLayout
import Screen

// What the page pane shows while it has no text.
extension Canvas {
    mutating func drawWithoutText(_ state: AppState, _ document: DocumentState, in area: Area) {
        let lines: [CleanText]
        switch document.pdf {
        case .downloading(let progress):
            drawDownload(document, progress, state.theme, in: area)
            return
        case .missing(let progress):
            let part = progress.map { " (\($0.amounts))" } ?? ""
            lines = ["The PDF is not downloaded yet\(part). Press D to download it."]
        case .opening: lines = ["Opening the PDF ..."]
        case .failed(let why):
            lines = [
                CleanText(cleaning: why.asSentence), "You can still see the annotations in the list. Press D to retry.",
            ]
        case .ready: lines = [document.reasonForNoText]
        }
        var row = 0
        for line in lines.flatMap({ $0.wrapped(to: area.columns - 6) }) {
            write(line, in: area, row: row, column: PagePane.gutter + 1, style: state.theme.dimmed)
            row += 1
        }
        drawMarks(state, document, in: area.split(top: row + 1).rest)
    }

    /// Draws the marks of the page with their position on it.
    private mutating func drawMarks(_ state: AppState, _ document: DocumentState, in area: Area) {
        guard let sizes = document.pdf.info?.pages, sizes.indices.contains(document.page.index) else { return }
        let size = sizes[document.page.index]
        let page = document.page
        let top = Scrolling.top(page.top, cursor: page.mark, rows: area.rows, count: page.rows.count)
        for (index, annotation) in page.rows.enumerated().dropFirst(top).prefix(area.rows) {
            let place = annotation.box?.place(width: size.width, height: size.height) ?? "unknown position"
            let row = index - top
            let text: CleanText =
                " \(String(annotation.kind.letter))   \(place): \(annotation.kind.name) \(annotation.text)"
            let isCurrent = index == page.mark && document.focus == .page
            let style = isCurrent ? state.theme.selection : state.theme.text
            write(text.truncated(to: area.columns), in: area, row: row, style: style)
            if isCurrent { cursor = Position(row: area.row + row, column: area.column) }
        }
    }

    private mutating func drawDownload(
        _ document: DocumentState, _ progress: TransferStatus?, _ theme: Theme, in area: Area
    ) {
        let room = area.split(left: PagePane.gutter + 1).rest
        write(clean("Downloading \(document.title)").truncated(to: room.columns - 1), in: room, style: theme.title)
        guard let progress else {
            write("Waiting for data; Esc to stop", in: room, row: 2, style: theme.dimmed)
            return
        }
        let width = max(4, min(60, room.columns - 2))
        let full = Int((progress.fraction ?? 0) * Double(width - 2))
        let bar = String(repeating: "#", count: full) + String(repeating: ".", count: width - 2 - full)
        write("[\(bar)]", in: room, row: 2)
        write(CleanText(cleaning: progress.sentence).truncated(to: room.columns), in: room, row: 3)
        write("Esc to stop; the next download resumes here.", in: room, row: 5, style: theme.dimmed)
    }
}

extension DocumentState {
    var reasonForNoText: CleanText {
        switch texts[page.index] {
        case .text?: "Page \(page.index + 1) has no text. Marks by position:"
        case .failed(let why)?: "\(why) Annotations on page \(page.index + 1) by position:"
        case .loading?, nil: "Reading page \(page.index + 1) ..."
        }
    }
}

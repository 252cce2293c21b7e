import Screen

extension Canvas {
    mutating func drawDocument(_ state: AppState, _ document: DocumentState) {
        let layout = state.layout
        drawTabs(state, in: layout.tabs)
        drawTitle(state, document, in: layout.title)
        if document.requests.isOpen {
            drawRequests(state, document.requests, in: layout.body)
        } else if document.outbox.isOpen {
            drawOutbox(state, document, in: layout.body)
        } else {
            drawPage(state, document, in: layout.page)
            drawListTitle(state, document, in: layout.listTitle, isRule: layout.form == .stacked)
            drawList(state, document, in: layout.list)
            drawBlame(state, document, in: layout.blame)
            if let divider = layout.divider { fill(divider, with: art.vertical, style: state.theme.rule) }
            drawDetail(state, document, in: layout.detail)
            if let divider = layout.divider, !layout.detail.isEmpty {
                let tee = CleanText(cleaning: String(art.tee))
                write(tee, row: layout.detail.row, column: divider.column, style: state.theme.rule)
            }
        }
        drawReader(state, document)
        drawFoot(state, document, in: layout.foot)
        drawStatus(state, document, in: layout.status)
    }

    /// Draws the editor or the participants.
    private mutating func drawFoot(_ state: AppState, _ document: DocumentState, in area: Area) {
        guard !area.isEmpty else { return }
        fill(area)
        if let editor = document.editor {
            drawEditor(editor, state, in: area)
        } else {
            drawParticipants(state, in: area)
        }
    }
}

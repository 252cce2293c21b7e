import Screen

extension Canvas {
    mutating func drawDocument(_ state: AppState, _ document: DocumentState) {
        let layout = state.layout
        drawTabs(state, in: layout.tabs)
        if document.requests.isOpen, document.conflict == nil {
            drawRequests(state, document.requests, in: layout.body)
        } else if document.outbox.isOpen, document.conflict == nil {
            drawOutbox(state, document, in: layout.body)
        } else {
            drawPageHeader(state, document, in: layout.pageHeader)
            drawPage(state, document, in: layout.page)
            drawListRule(state, document, in: layout.listRule)
            drawList(state, document, in: layout.list)
            drawBlame(state, document, in: layout.blame)
            drawDetail(state, document, in: layout.detail)
            if let divider = layout.divider { fill(divider, with: "|", style: state.theme.rule) }
        }
        drawFoot(state, document, in: layout.foot)
        drawStatus(state, document, in: layout.status)
    }

    /// Draws the innermost open editor or card.
    private mutating func drawFoot(_ state: AppState, _ document: DocumentState, in area: Area) {
        guard !area.isEmpty else { return }
        fill(area)
        if let card = document.conflict {
            drawConflict(card, state, in: area)
        } else if let editor = document.editor {
            drawEditor(editor, state, in: area)
        } else if let card = state.token {
            drawTokenCard(card, state, in: area)
        } else if state.isLossShown {
            drawAccessLost(state, in: area)
        } else {
            drawParticipants(state, in: area)
        }
    }
}

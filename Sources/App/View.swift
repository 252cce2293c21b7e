package import Screen

/// Draws the screen of a state, always as large as the terminal.
package func view(_ state: AppState) -> Canvas {
    var canvas = Canvas(size: state.size, art: state.art)
    if state.size.rows < DocumentLayout.smallest.rows || state.size.columns < DocumentLayout.smallest.columns {
        canvas.drawTooSmall(state.size)
        return canvas
    }
    if let document = state.document {
        canvas.drawDocument(state, document)
    } else if let opening = state.opening {
        canvas.drawOpening(opening, state)
    } else {
        canvas.drawLibrary(state)
    }
    canvas.drawFooter(state)
    canvas.drawOverlays(state)
    canvas.drawNotice(state)
    return canvas
}

extension Canvas {
    /// Draws the topmost overlay that is a box.
    fileprivate mutating func drawOverlays(_ state: AppState) {
        switch state.overlay {
        case .question: if let prompt = state.prompt { drawQuestion(prompt, state) }
        case .picker: if let picker = state.picker { drawPicker(picker, state) }
        case .help: drawHelp(state)
        case .token: if let card = state.token { drawTokenCard(card, state) }
        case .conflict: if let card = state.document?.conflict { drawConflict(card, state) }
        case .look: drawLook(state)
        case .lost: drawAccessLost(state)
        case .prompt, .editor, .reader, .requests, .outbox, nil: break
        }
    }

    fileprivate mutating func drawTooSmall(_ size: Size) {
        let smallest = DocumentLayout.smallest
        let text: CleanText =
            "Too small: \(size.columns)x\(size.rows), minimum \(smallest.columns)x\(smallest.rows)"
        for (row, line) in text.wrapped(to: size.columns).enumerated() { write(line, row: row, column: 0) }
    }

    fileprivate mutating func drawOpening(_ opening: Opening, _ state: AppState) {
        guard let problem = opening.problem else {
            write("Opening ...", row: 1, column: 2)
            return
        }
        write(state.cannotOpen, row: 1, column: 2, style: state.theme.title)
        let lines = CleanText(cleaning: problem.asSentence).wrapped(to: state.size.columns - 4)
        for (row, line) in lines.enumerated() { write(line, row: row + 3, column: 2) }
    }
}

extension Theme {
    /// True colour for light backgrounds; a terminal with fewer colours shows the nearest.
    package static let light = coloured(
        .light,
        Tints(
            blue: .rgb(0, 87, 174), cyan: .rgb(0, 110, 110), green: .rgb(0, 110, 40), magenta: .rgb(140, 40, 140),
            red: .rgb(176, 0, 32), grey: .rgb(95, 95, 95), row: .rgb(232, 240, 250), mark: .rgb(255, 241, 168)))

    /// True colour for dark backgrounds.
    package static let dark = coloured(
        .dark,
        Tints(
            blue: .rgb(122, 178, 255), cyan: .rgb(110, 212, 212), green: .rgb(140, 214, 140),
            magenta: .rgb(226, 160, 226), red: .rgb(255, 138, 138), grey: .rgb(160, 160, 160), row: .rgb(44, 50, 60),
            mark: .rgb(72, 64, 16)))

    private struct Tints {
        var blue: Color
        var cyan: Color
        var green: Color
        var magenta: Color
        var red: Color
        var grey: Color
        /// Background of the cursor's row.
        var row: Color
        /// Background of words being selected or found.
        var mark: Color
    }

    /// Replaces the terminal's own colours with tints chosen for a background.
    private static func coloured(_ ground: Ground, _ tints: Tints) -> Theme {
        var theme = Theme.standard
        theme.ground = ground
        for (_, role) in roles {
            switch theme[keyPath: role].foreground {
            case .blue: theme[keyPath: role].foreground = tints.blue
            case .cyan: theme[keyPath: role].foreground = tints.cyan
            case .green: theme[keyPath: role].foreground = tints.green
            case .magenta: theme[keyPath: role].foreground = tints.magenta
            case .red: theme[keyPath: role].foreground = tints.red
            default: break
            }
        }
        theme.rule = Style(foreground: tints.grey)
        theme.dimmed = Style(foreground: tints.grey)
        theme.covered = Style(foreground: tints.grey)
        theme.selection.background = tints.row
        theme.inactiveSelection.background = tints.row
        theme.selectedText.background = tints.mark
        theme.searchMatch.background = tints.mark
        theme.flash.background = tints.mark
        return theme
    }

    /// Every role with its name in a settings file.
    package static var roles: [(name: String, style: WritableKeyPath<Theme, Style>)] {
        [
            ("text", \.text), ("title", \.title), ("heading", \.heading), ("dimmed", \.dimmed), ("rule", \.rule),
            ("status-line", \.statusLine), ("loud", \.loud), ("completion", \.completion), ("footer", \.footer),
            ("footer-key", \.footerKey), ("prompt", \.prompt), ("input", \.input), ("notice", \.notice),
            ("warning", \.warning), ("error", \.error), ("progress", \.progress), ("selection", \.selection),
            ("inactive-selection", \.inactiveSelection), ("selected-text", \.selectedText),
            ("search-match", \.searchMatch), ("unread", \.unread), ("flash", \.flash), ("unsent", \.unsent),
            ("conflict", \.conflict),
            ("highlight-mark", \.highlightMark), ("underline-mark", \.underlineMark),
            ("strike-out-mark", \.strikeOutMark), ("squiggly-mark", \.squigglyMark), ("lit-mark", \.litMark),
            ("note-mark", \.noteMark),
            ("other-mark", \.otherMark), ("presenting", \.presenting), ("hint", \.hint), ("card", \.card),
            ("card-title", \.cardTitle), ("accent", \.accent), ("covered", \.covered),
        ]
    }
}

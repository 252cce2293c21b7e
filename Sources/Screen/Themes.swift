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

    /// The colours of the roles with a meaning.
    private struct Tints {
        var blue: Color
        var cyan: Color
        var green: Color
        var magenta: Color
        var red: Color
        var grey = Color.normal
        /// Background of the cursor's row.
        var row = Color.normal
        /// Background of words being selected or found.
        var mark = Color.normal
    }

    /// The terminal's own colours, those that are readable on its background in the usual palettes.
    package static func named(on ground: Ground?) -> Theme {
        var theme = Theme.plain
        theme.ground = ground
        guard let ground else { return theme }
        theme.tint(
            ground.isDark
                ? Tints(
                    blue: .brightCyan, cyan: .brightCyan, green: .brightGreen, magenta: .brightYellow, red: .brightRed)
                : Tints(blue: .blue, cyan: .blue, green: .normal, magenta: .magenta, red: .red))
        return theme
    }

    /// Colours computed for a terminal of 256 colours or more, of which the background may be unknown.
    package static func computed(
        _ depth: ColorDepth, _ ground: Ground?, least: Double = MarkColors.contrastOfText
    ) -> Theme {
        let isDark = ground?.isDark ?? true
        let plain = MarkColors(depth: depth, ground: ground, least: least)
        let row = plain.wash(RGB(90, 140, 220), share: isDark ? 0.2 : 0.12)
        let mark = plain.wash(RGB(255, 216, 63), share: isDark ? 0.2 : 0.45)
        let colors = MarkColors(
            depth: depth, ground: ground, fields: [row, mark].compactMap(\.self), least: least)
        var theme = Theme.plain
        theme.ground = ground
        theme.contrastOfText = least
        theme.tint(
            Tints(
                blue: colors.ink(isDark ? RGB(122, 178, 255) : RGB(0, 87, 174)),
                cyan: colors.ink(isDark ? RGB(110, 212, 212) : RGB(0, 110, 110)),
                green: colors.ink(isDark ? RGB(140, 214, 140) : RGB(0, 110, 40)),
                magenta: colors.ink(isDark ? RGB(226, 160, 226) : RGB(140, 40, 140)),
                red: colors.ink(isDark ? RGB(255, 138, 138) : RGB(176, 0, 32)),
                grey: colors.ink(RGB(128, 128, 128)), row: row?.color ?? .normal, mark: mark?.color ?? .normal))
        return theme
    }

    /// As much contrast as the terminal has: no dim text, and 7:1 for colours.
    package static func highContrast(_ depth: ColorDepth, _ ground: Ground?) -> Theme {
        let hasColours = ground != nil && (depth == .many || depth == .direct)
        var theme = hasColours ? computed(depth, ground, least: 7) : Theme.plain
        theme.contrastOfText = 7
        theme.dimmed = .normal
        theme.rule = .normal
        theme.statusLine = .normal
        theme.strikeOutMark.attributes = .underline
        theme.selection.attributes = hasColours ? [.bold, .underline] : [.bold, .reverse]
        theme.completion = Style([.bold, .reverse])
        return theme
    }

    /// Colours chosen for a background.
    private static func coloured(_ ground: Ground, _ tints: Tints) -> Theme {
        var theme = Theme.plain
        theme.ground = ground
        theme.tint(tints)
        return theme
    }

    private mutating func tint(_ tints: Tints) {
        heading.foreground = tints.blue
        footerKey.foreground = tints.blue
        prompt.foreground = tints.blue
        cardTitle.foreground = tints.blue
        accent.foreground = tints.blue
        notice.foreground = tints.cyan
        unread.foreground = tints.cyan
        noteMark.foreground = tints.cyan
        otherMark.foreground = tints.cyan
        highlightMark.foreground = tints.green
        underlineMark.foreground = tints.green
        presenting.foreground = tints.green
        warning.foreground = tints.magenta
        searchMatch.foreground = tints.magenta
        hint.foreground = tints.magenta
        flash.foreground = tints.magenta
        unsent.foreground = tints.magenta
        squigglyMark.foreground = tints.magenta
        loud.foreground = tints.magenta
        error.foreground = tints.red
        conflict.foreground = tints.red
        strikeOutMark.foreground = tints.red
        selection.background = tints.row
        inactiveSelection.background = tints.row
        selectedText.background = tints.mark
        searchMatch.background = tints.mark
        flash.background = tints.mark
        guard tints.grey != .normal else { return }
        rule = Style(foreground: tints.grey)
        dimmed = Style(foreground: tints.grey)
        covered = Style(foreground: tints.grey)
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

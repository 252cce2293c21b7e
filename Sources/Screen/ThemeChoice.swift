/// The theme that the user chose, with changed roles. The theme itself depends on the terminal's colours, which may
/// become known later.
package struct ThemeChoice: Hashable, Sendable {
    package enum Base: String, Hashable, Sendable, CaseIterable {
        /// Fits the terminal: computed from its background if it has many colours, else its own colours.
        case auto
        /// The terminal's own sixteen colours.
        case terminal
        case dark, light
        case highContrast = "high-contrast"
        /// No colours.
        case mono
    }

    package var base: Base
    /// Styles by the name of their role.
    package var changes: [String: Style]

    package init(_ base: Base, changes: [String: Style] = [:]) { (self.base, self.changes) = (base, changes) }

    /// - Parameter ground: The terminal's own colours, if known.
    package func theme(_ depth: ColorDepth, _ ground: Ground?) -> Theme {
        var theme = plainTheme(depth, ground)
        for (name, role) in Theme.roles {
            guard let style = changes[name] else { continue }
            theme[keyPath: role] = base == .mono ? style.withoutColor : style
        }
        return theme
    }

    private func plainTheme(_ depth: ColorDepth, _ ground: Ground?) -> Theme {
        if depth == .mono, base != .highContrast { return .plain }
        let hasOwn = depth == .many || depth == .direct
        return switch base {
        case .auto: hasOwn ? .computed(depth, ground) : .named(on: ground)
        case .terminal: .named(on: ground)
        case .dark: .dark
        case .light: .light
        case .highContrast: .highContrast(depth, ground)
        case .mono: .plain
        }
    }
}

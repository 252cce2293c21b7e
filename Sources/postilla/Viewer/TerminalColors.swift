import Annotations
import Screen

/// What is known about the terminal's own colours: from its answers, else from the environment.
struct TerminalColors {
    private(set) var text: RGB?
    private(set) var background: RGB?

    /// Whether the terminal is asked. The Linux console is always dark, and has no answer.
    static func isAsked(_ environment: [String: String]) -> Bool { environment["TERM"]?.begins(with: "linux") != true }

    /// What the environment says.
    static func ground(_ environment: [String: String]) -> Ground? {
        if !isAsked(environment) { return Ground(background: .black, text: RGB(170, 170, 170)) }
        return environment["COLORFGBG"].flatMap(Ground.init(colorFGBG:))
    }

    /// Returns the ground once a report completes it. A terminal that tells only its background is taken to have black
    /// or white text.
    mutating func heard(_ report: TerminalReport) -> Ground? {
        switch report {
        case .text(let color): text = color
        case .background(let color): background = color
        case .attributes, .graphics, .keyboard: return nil
        }
        guard let background else { return nil }
        return Ground(background: background, text: text ?? (background.luminance < 0.18 ? .white : .black))
    }
}

import Foundation

/// A line chart as an SVG file. It has its own background, light or dark according to the reader's preference, and
/// needs no other font, script or file.
struct Plot {
    var title: String
    var x: String
    var y: String
    var series: [Series] = []

    struct Series {
        var name: String
        var points: [Point]
    }

    struct Point: Equatable {
        var x: Double
        var y: Double
    }

    static let width = 720.0
    static let height = 400.0
    private let area = (left: 70.0, right: 540.0, top: 58.0, bottom: 340.0)

    var svg: String {
        let points = series.flatMap(\.points)
        let horizontal = PlotScale(points.map(\.x), from: area.left, to: area.right)
        let vertical = PlotScale(points.map(\.y), from: area.bottom, to: area.top)
        var lines = [head, text(title, area.left, 24, "title", anchor: "start")]
        for tick in vertical.ticks {
            let y = vertical.position(of: tick)
            lines.append(line(area.left, y, area.right, y, "grid"))
            lines.append(text(PlotScale.label(tick), area.left - 8, y + 4, "label", anchor: "end"))
        }
        for tick in horizontal.ticks {
            let x = horizontal.position(of: tick)
            lines.append(line(x, area.top, x, area.bottom, "grid"))
            lines.append(text(PlotScale.label(tick), x, area.bottom + 20, "label", anchor: "middle"))
        }
        lines.append(line(area.left, area.bottom, area.right, area.bottom, "axis"))
        lines.append(line(area.left, area.top, area.left, area.bottom, "axis"))
        let xNote = horizontal.isLogarithmic ? x + " (log scale)" : x
        lines.append(text(xNote, (area.left + area.right) / 2, area.bottom + 44, "label", anchor: "middle"))
        let yNote = vertical.isLogarithmic ? y + " (log scale)" : y
        lines.append(text(yNote, area.left, 44, "label", anchor: "start"))
        lines += drawn(horizontal, vertical)
        return lines.joined(separator: "\n") + "\n</svg>\n"
    }

    // MARK: Series

    /// Lines and points, and the names to the right, each near the end of its line.
    private func drawn(_ horizontal: PlotScale, _ vertical: PlotScale) -> [String] {
        var lines: [String] = []
        var names: [(y: Double, index: Int)] = []
        // The first series is drawn last, over the others.
        for (index, one) in series.enumerated().reversed() {
            let places = one.points.sorted { $0.x < $1.x }.map {
                (x: horizontal.position(of: $0.x), y: vertical.position(of: $0.y))
            }
            guard let last = places.last else { continue }
            let path = places.map { "\(Self.short($0.x)),\(Self.short($0.y))" }.joined(separator: " ")
            let colour = "s\(index % Self.colours.count)"
            lines.append(#"<polyline class="line \#(colour)\#(index == 0 ? " first" : "")" points="\#(path)"/>"#)
            lines += places.map { mark(index, $0.x, $0.y) }
            names.append((last.y, index))
        }
        var free = area.top
        for (y, index) in names.sorted(by: { $0.y < $1.y }) {
            let place = max(y, free)
            free = place + 19
            lines.append(mark(index, area.right + 18, place))
            lines.append(text(series[index].name, area.right + 30, place + 4, "name", anchor: "start"))
        }
        return lines
    }

    /// A shape for each series, so that they can be told apart without colours.
    private func mark(_ index: Int, _ x: Double, _ y: Double) -> String {
        let colour = "f\(index % Self.colours.count)"
        func polygon(_ corners: [(Double, Double)]) -> String {
            let points = corners.map { "\(Self.short(x + $0.0)),\(Self.short(y + $0.1))" }.joined(separator: " ")
            return #"<polygon class="\#(colour)" points="\#(points)"/>"#
        }
        return switch index % 4 {
        case 0: #"<circle class="\#(colour)" cx="\#(Self.short(x))" cy="\#(Self.short(y))" r="4.5"/>"#
        case 1: polygon([(-4, -4), (4, -4), (4, 4), (-4, 4)])
        case 2: polygon([(0, -5), (5, 4), (-5, 4)])
        default: polygon([(0, -5.5), (5.5, 0), (0, 5.5), (-5.5, 0)])
        }
    }

    // MARK: Elements

    /// The colour of each series on a light and on a dark background.
    private static let colours = [
        ("#0969da", "#4493f8"), ("#bc4c00", "#f0883e"), ("#1a7f37", "#3fb950"), ("#8250df", "#ab7df8"),
        ("#bf3989", "#f778ba"), ("#59636e", "#9198a1"),
    ]

    private var head: String {
        func colours(_ pick: ((String, String)) -> String) -> String {
            Self.colours.map(pick).enumerated().map { ".s\($0){stroke:\($1)}.f\($0){fill:\($1)}" }.joined()
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.short(Self.width)) \(Self.short(Self.height))" \
            width="\(Self.short(Self.width))" height="\(Self.short(Self.height))" role="img">
            <title>\(Self.escaped(title))</title>
            <style>
            text{font-family:system-ui,-apple-system,"Segoe UI",sans-serif;font-size:13px;fill:#1f2328}
            .title{font-size:16px;font-weight:600}.label{fill:#59636e}.back{fill:#fff}
            .grid{stroke:#d1d9e0}.axis{stroke:#59636e}.line{fill:none;stroke-width:2}.first{stroke-width:3}
            \(colours(\.0))
            @media(prefers-color-scheme:dark){text{fill:#f0f6fc}.label{fill:#9198a1}.back{fill:#0d1117}
            .grid{stroke:#3d444d}.axis{stroke:#9198a1}
            \(colours(\.1))}
            </style>
            <rect class="back" width="100%" height="100%" rx="6"/>
            """
    }

    private func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ kind: String) -> String {
        let ends = zip(["x1", "y1", "x2", "y2"], [x1, y1, x2, y2]).map { #"\#($0)="\#(Self.short($1))""# }
        return #"<line class="\#(kind)" \#(ends.joined(separator: " "))/>"#
    }

    private func text(_ words: String, _ x: Double, _ y: Double, _ kind: String, anchor: String) -> String {
        let place = #"x="\#(Self.short(x))" y="\#(Self.short(y))" text-anchor="\#(anchor)""#
        return #"<text class="\#(kind)" \#(place)>\#(Self.escaped(words))</text>"#
    }

    /// A tenth of a pixel is enough.
    private static func short(_ value: Double) -> String {
        let text = String(format: "%.1f", value)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}

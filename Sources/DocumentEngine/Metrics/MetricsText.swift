/// Prometheus' text format, version 0.0.4.
enum MetricsText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    static func text(_ registry: MetricsRegistry) -> String {
        var text = ""
        for (name, family) in registry.figures {
            if !family.description.help.isEmpty { text += "# HELP \(name) \(escape(family.description.help))\n" }
            text += "# TYPE \(name) \(family.kind.rawValue)\n"
            for series in family.series.values.sorted(by: { key($0) < key($1) }) {
                text += lines(name, series.labels, series.value.reading)
            }
        }
        return text
    }

    /// Replaces all characters of a name except letters, digits, `_` and `:` with `_`.
    static func name(_ label: String) -> String {
        let name = String(
            label.unicodeScalars.map { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", "_", ":": Character(scalar)
                default: "_"
                }
            })
        return name.first.map { ("0"..."9").contains($0) } ?? true ? "_" + name : name
    }

    private static func key(_ series: MetricsRegistry.Series) -> String { labels(series.labels) }

    private static func lines(_ name: String, _ own: [MetricsRegistry.Label], _ reading: MetricReading) -> String {
        switch reading {
        case .whole(let number): return "\(name)\(labels(own)) \(number)\n"
        case .number(let number): return "\(name)\(labels(own)) \(self.number(number))\n"
        case .distribution(let bounds, let count, let sum):
            var text = ""
            for (bound, below) in bounds.map({ (number($0.value), $0.count) }) + [("+Inf", count)] {
                let all = own + [MetricsRegistry.Label(name: "le", value: bound)]
                text += "\(name)_bucket\(labels(all)) \(below)\n"
            }
            return text + "\(name)_sum\(labels(own)) \(number(sum))\n\(name)_count\(labels(own)) \(count)\n"
        }
    }

    private static func labels(_ labels: [MetricsRegistry.Label]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0.name)=\"\(escape($0.value, quotes: true))\"" }.joined(separator: ",") + "}"
    }

    /// Returns whole numbers without a decimal point.
    private static func number(_ value: Double) -> String { Int64(exactly: value).map(String.init) ?? "\(value)" }

    private static func escape(_ text: String, quotes: Bool = false) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

import Annotations
import CoreMetrics
import FoundationEssentials
import Glibc
import Synchronization

/// The server's metrics, exported as Prometheus text. The registry is passed to the code that counts; there is no
/// global instance.
final class MetricsRegistry: MetricsFactory {
    /// The help text of a metric, and the bounds of a histogram.
    struct Description: Hashable, Sendable {
        var help: String
        /// Upper bounds, ascending; without them a histogram has only the bucket `+Inf`.
        var bounds: [Double] = []
    }

    /// One metric with one set of labels.
    struct Series: Sendable {
        var labels: [Label]
        var value: any MetricValue
    }

    struct Label: Hashable, Sendable {
        var name: String
        var value: String
    }

    struct Family: Sendable {
        var kind: MetricKind
        var description: Description
        var series: [[Label]: Series] = [:]
    }

    private let descriptions: [String: Description]
    private let families = Mutex<[String: Family]>([:])

    /// - Parameter descriptions: keyed by the name of the metric.
    init(_ descriptions: [String: Description]) { self.descriptions = descriptions }

    /// All metrics in byte order of their names.
    var figures: [(name: String, family: Family)] {
        families.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    /// Returns the same value for the same name and labels.
    private func value<Value: MetricValue>(
        _ label: String, _ dimensions: [(String, String)], _ kind: MetricKind, _ make: (Description) -> Value
    ) -> Value {
        let name = MetricsText.name(label)
        let labels = dimensions.map { Label(name: MetricsText.name($0.0), value: $0.1) }.sorted { $0.name < $1.name }
        return families.withLock { families in
            let description = descriptions[name] ?? Description(help: "")
            var family = families[name] ?? Family(kind: kind, description: description)
            if let known = family.series[labels]?.value as? Value { return known }
            let made = make(description)
            // A second kind of metric under the same name is counted but not exported.
            if family.kind == kind { family.series[labels] = Series(labels: labels, value: made) }
            families[name] = family
            return made
        }
    }

    // MARK: MetricsFactory

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        value(label, dimensions, .counter) { _ in CounterValue() }
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        value(label, dimensions, .gauge) { _ in GaugeValue() }
    }

    func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else { return value(label, dimensions, .gauge) { _ in GaugeValue() } }
        return value(label, dimensions, .histogram) { HistogramValue(bounds: $0.bounds) }
    }

    /// In seconds, as Prometheus expects.
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        value(label, dimensions, .histogram) { HistogramValue(bounds: $0.bounds) }
    }

    // Metrics are never removed: a scraper would take a missing one for a restart.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}

/// What the system reports about this process. Without `/proc` only the limit is known.
enum ProcessMetrics {
    /// In bytes.
    static var memory: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(scalar: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    static var openFiles: Int? {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count
    }

    static var fileLimit: Int? {
        var limit = rlimit()
        let known = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return known ? Int(clamping: limit.rlim_cur) : nil
    }
}

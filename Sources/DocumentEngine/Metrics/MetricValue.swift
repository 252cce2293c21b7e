import CoreMetrics
import Synchronization

enum MetricKind: String, Hashable, Sendable {
    case counter, gauge, histogram
}

/// One metric, updated from any thread.
protocol MetricValue: AnyObject, Sendable {
    var reading: MetricReading { get }
}

/// The value of a metric at one time.
enum MetricReading: Hashable, Sendable {
    case whole(Int64)
    case number(Double)
    /// How many values are at or below each bound (cumulative), and the count and sum of all values.
    case distribution(upTo: [Bound], count: Int64, sum: Double)

    struct Bound: Hashable, Sendable {
        var value: Double
        var count: Int64
    }
}

final class CounterValue: CounterHandler, MetricValue {
    private let count = Atomic<Int64>(0)

    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { count.store(0, ordering: .relaxed) }
    var reading: MetricReading { .whole(count.load(ordering: .relaxed)) }
}

/// The last value.
final class GaugeValue: MeterHandler, RecorderHandler, MetricValue {
    private let value = Mutex(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }
    var reading: MetricReading { .number(value.withLock { $0 }) }
}

/// A histogram of values.
final class HistogramValue: TimerHandler, RecorderHandler, MetricValue {
    private struct State {
        /// The count for each bound alone, then the count of values above all bounds.
        var counts: [Int64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        guard value.isFinite else { return }
        let place = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[place] += 1
            state.sum += value
        }
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    var reading: MetricReading {
        let state = state.withLock { $0 }
        var count: Int64 = 0
        let upTo = zip(bounds, state.counts).map { bound, own in
            count += own
            return MetricReading.Bound(value: bound, count: count)
        }
        return .distribution(upTo: upTo, count: count + state.counts[bounds.count], sum: state.sum)
    }
}

import CoreMetrics
import Testing

@testable import DocumentEngine

/// Metrics recorded through swift-metrics appear in the Prometheus format.
struct MetricsTextTests {
    private static func registry() -> MetricsRegistry {
        MetricsRegistry([
            "answers_total": .init(help: "Answers, \"all\" of them.\nEach once."),
            "seconds": .init(help: "", bounds: [0.1, 1]), "size": .init(help: "", bounds: [10, 20]),
        ])
    }

    @Test func eachKindHasItsForm() {
        let registry = Self.registry()
        Counter(label: "answers_total", dimensions: [("status", "200"), ("method", "GET")], factory: registry)
            .increment(by: 3)
        Counter(label: "answers_total", dimensions: [("method", "GET"), ("status", "404")], factory: registry)
            .increment()
        Meter(label: "open", factory: registry).set(2.5)
        Recorder(label: "size", factory: registry).record(15)
        let timer = Timer(label: "seconds", factory: registry)
        timer.recordNanoseconds(50_000_000)
        timer.recordNanoseconds(100_000_000)
        timer.recordNanoseconds(5_000_000_000)
        #expect(
            MetricsText.text(registry) == """
                # HELP answers_total Answers, "all" of them.\\nEach once.
                # TYPE answers_total counter
                answers_total{method="GET",status="200"} 3
                answers_total{method="GET",status="404"} 1
                # TYPE open gauge
                open 2.5
                # TYPE seconds histogram
                seconds_bucket{le="0.1"} 2
                seconds_bucket{le="1"} 2
                seconds_bucket{le="+Inf"} 3
                seconds_sum 5.15
                seconds_count 3
                # TYPE size histogram
                size_bucket{le="10"} 0
                size_bucket{le="20"} 1
                size_bucket{le="+Inf"} 1
                size_sum 15
                size_count 1

                """)
    }

    @Test func theSameFigureIsCountedTogetherWhoeverAsksForIt() {
        let registry = Self.registry()
        for _ in 0..<5 { Counter(label: "answers_total", factory: registry).increment() }
        #expect(MetricsText.text(registry).contains("answers_total 5\n"))
    }

    @Test func labelsCannotBreakOutOfTheirQuotes() {
        let registry = Self.registry()
        Counter(label: "answers_total", dimensions: [("method", "\"} 7\nevil{x=\"\\")], factory: registry).increment()
        let text = MetricsText.text(registry)
        #expect(text.contains(#"answers_total{method="\"} 7\nevil{x=\"\\"} 1"#))
        #expect(!text.contains("\nevil"))
    }

    @Test(arguments: [("a.b-c", "a_b_c"), ("7", "_7"), ("", "_"), ("ok_1:x", "ok_1:x"), ("é", "_")])
    func namesAreMadeOfWhatPrometheusTakes(_ label: String, _ name: String) {
        #expect(MetricsText.name(label) == name)
    }

    @Test func aGaugeGoesUpAndDown() {
        let registry = Self.registry()
        let gauge = Meter(label: "open", factory: registry)
        gauge.increment(by: 3)
        gauge.decrement(by: 1)
        #expect(MetricsText.text(registry).contains("open 2\n"))
    }

    @Test func noNumberSpoilsASum() {
        let registry = Self.registry()
        let size = Recorder(label: "size", factory: registry)
        for value in [Double.nan, .infinity, -.infinity] { size.record(value) }
        size.record(3)
        #expect(MetricsText.text(registry).contains("size_sum 3\nsize_count 1\n"))
    }
}

import Foundation

extension Run {
    func download() async throws {
        let file = folder.appendingPathComponent("large.pdf")
        try LargePDF.write(megabytes: options.megabytes, to: file)
        let bytes = options.megabytes << 20
        try backend.upload(file.path, as: "large")
        let result = try await DownloadBenchmark(server: backend.server, document: "large", folder: folder).run()
        var table = Table("", "ms", "least-most", "MB/s", "x")
        func add(_ name: String, _ samples: Samples) {
            table.add(
                name, Figures.milliseconds(samples.median),
                Figures.milliseconds(samples.least) + "-" + Figures.milliseconds(samples.most),
                Figures.megabytesPerSecond(bytes, in: samples.median),
                Figures.ratio(samples.median, to: result.curl?.median))
        }
        add("Instant: verified, on the disk", result.instant)
        if let curl = result.curl {
            add("curl; sync; sha256sum", curl)
        } else {
            Report.add("curl is not installed and is left out.")
        }
        Report.add("## A PDF of \(options.megabytes) MB from the server\n\n\(table.text)\n")
    }
}

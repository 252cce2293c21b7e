// swift-tools-version: 6.2
import PackageDescription

/// Every reader of the package, built so that libFuzzer sees the code paths of each input. It is a separate package
/// because all of it is compiled with other options; its sources are links to those of the main package.
let watched: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing", "-parse-as-library"]),
]

func module(_ name: String, _ uses: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: uses, path: "Sources/\(name)", swiftSettings: watched)
}

let package = Package(
    name: "fuzz",
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    ],
    targets: [
        module("Annotations"),
        module("Authorization", ["Annotations"]),
        module("SyncProtocol", ["Annotations", "Authorization"]),
        module(
            "PDFPages",
            [
                "Annotations", .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        module("Merging", ["Annotations"]),
        module("Interchange", ["Annotations", "Merging", "PDFPages"]),
        module("InstantCore", ["Annotations", "Authorization", "SyncProtocol"]),
        module("EngineCore", ["Annotations", "Authorization", "SyncProtocol"]),
        module("Screen"),
        module("PageLayout", ["Annotations", "PDFPages", "Screen"]),
        module(
            "App", ["Annotations", "Authorization", "SyncProtocol", "InstantCore", "PDFPages", "PageLayout", "Screen"]),
        .systemLibrary(name: "CNcurses", path: "Sources/CNcurses"),
        .target(name: "CTerminal", path: "Sources/CTerminal"),
        module("Terminal", ["Annotations", "Screen", "CNcurses", "CTerminal"]),
        .systemLibrary(name: "CVTerm", path: "Sources/CVTerm"),
        .target(name: "CPty", path: "Sources/CPty"),
        module("TestSupport", ["Screen", "CPty", "CVTerm"]),
        // Only the parsers of these two: the rest needs a server's or a program's libraries.
        module("DocumentEngine", ["Annotations", "SyncProtocol", "EngineCore"]),
        module("postilla"),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "Annotations", "Authorization", "SyncProtocol", "InstantCore", "Interchange", "PDFPages", "Screen",
                "App", "Terminal", "TestSupport", "DocumentEngine", "postilla",
            ],
            path: "Sources/Fuzz", swiftSettings: watched,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
    ],
    swiftLanguageModes: [.v6]
)

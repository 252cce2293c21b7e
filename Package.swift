// swift-tools-version: 6.2
import PackageDescription

/// Settings of every target: warnings are errors, and imports are internal by default.
let rim: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// Also makes members visible only where their module is imported. Not used at the rim: with SwiftNIO and the C library
/// in one module, the compiler assigns fields of C structs (`stat`, `timespec`) to whichever module it loaded first.
let strict = rim + [.enableUpcomingFeature("MemberImportVisibility")]

func module(
    _ name: String, _ uses: [Target.Dependency] = [], _ settings: [SwiftSetting] = strict,
    holding files: [Resource] = []
) -> Target {
    .target(name: name, dependencies: uses, resources: files, swiftSettings: settings)
}

func tests(_ name: String, _ uses: [Target.Dependency] = [], _ settings: [SwiftSetting] = strict) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [.target(name: name), "TestSupport", "Children"] + uses,
        swiftSettings: settings)
}

/// A library that only the program, its server and the tests use. Without the trait it is not even fetched.
func program(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Program"]))
}

// The rim: third-party libraries. docs/architecture.md states which module may import which, and
// Tests/ArchitectureTests enforces it.
let http = program("Hummingbird", "hummingbird")
let httpCore = program("HummingbirdCore", "hummingbird")
let httpTLS = program("HummingbirdTLS", "hummingbird")
let httpClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let httpTypes = program("HTTPTypes", "swift-http-types")
let nio: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioHTTP: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let lifecycle = program("ServiceLifecycle", "swift-service-lifecycle")
let signals = program("UnixSignals", "swift-service-lifecycle")
let sqlite: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let rawSQLite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let jwt = program("JWTKit", "jwt-kit")
let nioHTTPTypes = program("NIOHTTPTypesHTTP1", "swift-nio-extras")
let crypto = program("Crypto", "swift-crypto")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics = program("CoreMetrics", "swift-metrics")
let arguments = program("ArgumentParser", "swift-argument-parser")
let subprocess = program("Subprocess", "swift-subprocess")
let systemPackage = program("SystemPackage", "swift-system")

let package = Package(
    name: "postilla",
    products: [
        .executable(name: "postilla", targets: ["postilla"]),
        .library(name: "Instant", targets: ["Instant"]),
    ],
    traits: [
        .trait(name: "Program", description: "The program and the server. Users of the library Instant need neither."),
        .default(enabledTraits: ["Program"]),
    ],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    ],
    targets: [
        // Shared modules. All except SQLite are synchronous and have no third-party imports.
        module("Annotations"),
        module("Authorization", ["Annotations"]),
        module("SyncProtocol", ["Annotations", "Authorization"]),
        module("Merging", ["Annotations"]),
        module("SQLite", [sqlite, rawSQLite]),
        .target(name: "CSHA256"),

        // The client.
        module("InstantCore", ["Annotations", "Authorization", "SyncProtocol"]),
        module(
            "Instant",
            [
                "Annotations", "Authorization", "SyncProtocol", "SQLite", "InstantCore", "CSHA256", httpClient, nio,
                nioHTTP, nioPosix, sqlite, rawSQLite, logging,
            ], rim),

        // The server.
        module("EngineCore", ["Annotations", "Authorization", "SyncProtocol"]),
        .target(name: "CPostgres", linkerSettings: [.linkedLibrary("dl")]),
        module("Postgres", ["Annotations", "Authorization", "SyncProtocol", "EngineCore", "CPostgres"]),
        module(
            "DocumentEngine",
            [
                "Annotations", "Authorization", "SyncProtocol", "Merging", "FileCore", "SQLite", "EngineCore",
                "Postgres", "PDFPages", "Interchange", http, httpCore, httpTLS, httpTypes, nio, nioHTTP, nioHTTPTypes,
                nioPosix, nioSSL, lifecycle, sqlite, jwt, crypto, logging, metrics,
            ], rim, holding: [.embedInCode("API/openapi.json")]),

        // A person's own PDFs.
        module("FileCore", ["Annotations", "Merging"]),

        // Files and the terminal.
        module("PDFPages", ["Annotations", subprocess, systemPackage]),
        module("Interchange", ["Annotations", "Merging", "PDFPages"]),
        module("Screen"),
        module("PageLayout", ["Annotations", "PDFPages", "Screen"]),
        module(
            "App",
            ["Annotations", "Authorization", "SyncProtocol", "InstantCore", "PDFPages", "PageLayout", "Screen"]),
        .systemLibrary(name: "CNcurses", providers: [.apt(["libncurses-dev"])]),
        .target(name: "CTerminal", swiftSettings: strict),
        module("Terminal", ["Annotations", "Screen", "CNcurses", "CTerminal"]),
        .executableTarget(
            name: "postilla",
            dependencies: [
                "Annotations", "Authorization", "SyncProtocol", "Merging", "InstantCore", "Instant", "EngineCore",
                "DocumentEngine", "Postgres", "PDFPages", "PageLayout", "Interchange", "Screen",
                "App", "Terminal", arguments, logging, crypto, httpClient, nio, nioHTTP, signals, subprocess,
                systemPackage,
            ],
            swiftSettings: rim),

        // Tests.
        .systemLibrary(name: "CVTerm", path: "Tests/CVTerm", providers: [.apt(["libvterm-dev"])]),
        .target(name: "CPty", path: "Tests/CPty"),
        .target(
            name: "TestSupport",
            dependencies: [
                "Annotations", "Authorization", "SyncProtocol", "InstantCore", "EngineCore", "Screen", "CPty", "CVTerm",
            ],
            path: "Tests/TestSupport", swiftSettings: strict),
        // Child processes of tests.
        .target(name: "Children", dependencies: ["CPty"], path: "Tests/Children", swiftSettings: rim),
        // The real server in a separate process.
        .target(
            name: "EngineSupport",
            dependencies: ["Annotations", "Authorization", "Children", crypto, httpClient, nio, nioHTTP],
            path: "Tests/EngineSupport", swiftSettings: rim),
        // A faulty network between client and server.
        .target(
            name: "FaultProxy", dependencies: ["TestSupport", nio, nioPosix], path: "Tests/FaultProxy",
            swiftSettings: rim),
        // Threads for blocking tests.
        .target(name: "TestThreads", dependencies: [nioPosix], path: "Tests/TestThreads", swiftSettings: rim),
        // A private PostgreSQL for tests.
        .target(
            name: "PostgresSupport", dependencies: ["Postgres", "Children"], path: "Tests/PostgresSupport",
            swiftSettings: rim),
        tests("Annotations"),
        tests("Authorization", ["Annotations"]),
        tests("SyncProtocol", ["Annotations", "Authorization"]),
        tests("InstantCore", ["Annotations", "Authorization", "SyncProtocol", "EngineCore", "Simulation"]),
        tests(
            "Instant",
            [
                "Annotations", "Authorization", "SyncProtocol", "InstantCore", "EngineCore", "DocumentEngine",
                "FaultProxy", "TestThreads", "CSHA256", jwt, crypto, httpClient, nio, nioHTTP, logging,
            ], rim),
        tests("EngineCore", ["Annotations", "Authorization", "SyncProtocol"]),
        tests(
            "Postgres",
            ["Annotations", "Authorization", "SyncProtocol", "EngineCore", "PostgresSupport", "TestThreads"]),
        tests(
            "DocumentEngine",
            [
                "Annotations", "Authorization", "SyncProtocol", "FileCore", "SQLite", "EngineCore", "Postgres",
                "PostgresSupport", "TestThreads", "PDFPages", sqlite, rawSQLite, jwt, crypto, httpClient, metrics, nio,
                nioHTTP, nioPosix, nioEmbedded, httpCore, httpTypes, logging,
            ], rim),
        tests("PDFPages", ["Annotations"]),
        tests("Interchange", ["Annotations", "Merging", "PDFPages"]),
        tests("FileCore", ["Annotations", "Merging", "FileSimulation"]),
        tests("Screen"),
        tests("PageLayout", ["Annotations", "PDFPages", "Screen", "TestThreads"]),
        tests(
            "App",
            [
                "Annotations", "Authorization", "SyncProtocol", "InstantCore", "PDFPages", "PageLayout", "Screen",
                "TestThreads",
            ]),
        tests("Terminal", ["Annotations", "PDFPages", "Screen", "CTerminal", "CPty", "TestThreads"]),
        .testTarget(name: "ArchitectureTests", dependencies: ["Children", "TestThreads"], swiftSettings: strict),
        .testTarget(
            name: "ProgramTests",
            dependencies: [
                "TestSupport", "TestThreads", "FaultProxy", "Children", "EngineSupport", "PostgresSupport", "postilla",
                "Annotations", "InstantCore", "DocumentEngine", "Interchange", "Screen", logging, sqlite, rawSQLite,
            ],
            swiftSettings: rim),
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "TestSupport", "TestThreads", "Annotations", "Authorization", "SyncProtocol", "InstantCore",
                "Interchange", "PDFPages", "PageLayout", "Screen", "App", "Terminal", "DocumentEngine", "postilla",
            ],
            exclude: ["Corpus"], swiftSettings: rim),
        .target(
            name: "Simulation",
            dependencies: [
                "TestSupport", "Annotations", "Authorization", "SyncProtocol", "InstantCore", "EngineCore",
            ],
            path: "Tests/Simulation", swiftSettings: strict),
        .executableTarget(
            name: "simulate", dependencies: ["Simulation"], path: "Tests/Simulate", swiftSettings: strict),
        .target(
            name: "FileSimulation", dependencies: ["TestSupport", "Annotations", "Merging", "FileCore"],
            path: "Tests/FileSimulation", swiftSettings: strict),
        .executableTarget(
            name: "simulate-files", dependencies: ["FileSimulation"], path: "Tests/SimulateFiles",
            swiftSettings: strict),
        .executableTarget(
            name: "mutations", dependencies: ["TestSupport", "Children"], path: "Tests/Mutations", swiftSettings: rim),
        .testTarget(name: "MutationsTests", dependencies: ["TestSupport", "mutations"], swiftSettings: rim),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "TestSupport", "Children", "EngineSupport", "Annotations", "Authorization", "SyncProtocol",
                "InstantCore", "Instant", "Screen", "PostgresSupport", "TortureHarness", "FaultProxy", arguments,
                crypto,
                httpClient, nio, nioHTTP, rawSQLite,
            ],
            path: "Tests/Benchmarks", exclude: ["Yjs/peer.py", "Yjs/requirements.txt"], swiftSettings: rim),
        .testTarget(name: "BenchmarksTests", dependencies: ["Benchmarks"], swiftSettings: rim),
        .executableTarget(
            name: "Crash",
            dependencies: [
                "TestSupport", "Children", "EngineSupport", "PostgresSupport", "Annotations", "InstantCore", "Instant",
                arguments, httpClient, nio, nioHTTP,
            ],
            path: "Tests/Crash", swiftSettings: rim),
        // The real server over real sockets, compared with the core in memory.
        .target(
            name: "TortureHarness",
            dependencies: [
                "TestSupport", "Children", "EngineSupport", "PostgresSupport", "FaultProxy", "Annotations",
                "Authorization", "SyncProtocol", "InstantCore", "Instant", "EngineCore", crypto,
            ],
            path: "Tests/Torture/Harness", swiftSettings: rim),
        .executableTarget(
            name: "torture", dependencies: ["TortureHarness", arguments], path: "Tests/Torture/Program",
            swiftSettings: rim),
        .testTarget(
            name: "TortureTests",
            dependencies: ["TestSupport", "TestThreads", "EngineSupport", "TortureHarness", "postilla"],
            swiftSettings: rim),
        // Every PDF of a folder through the real server, read back with other programs.
        .executableTarget(
            name: "corpus", dependencies: ["Children", "EngineSupport", arguments, httpClient, nioHTTP],
            path: "Tests/Corpus", swiftSettings: rim),
        .testTarget(
            name: "CorpusTests", dependencies: ["TestSupport", "TestThreads", "Children", "corpus", "postilla"],
            swiftSettings: rim),
        .testTarget(
            name: "CrashTests", dependencies: ["TestSupport", "TestThreads", "Children", "Crash", "postilla"],
            swiftSettings: rim),
    ],
    swiftLanguageModes: [.v6]
)

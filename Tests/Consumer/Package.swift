// swift-tools-version: 6.2
import PackageDescription

/// A third-party program: it depends on the package like any other, and is not a target of it.
let package = Package(
    name: "consumer",
    dependencies: [.package(name: "postilla", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "consumer", dependencies: [.product(name: "Instant", package: "postilla")], path: "Sources")
    ],
    swiftLanguageModes: [.v6]
)

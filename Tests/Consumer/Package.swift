// swift-tools-version: 6.2
import PackageDescription

/// A program of somebody else: it depends on the package as any other would, and is no target of it.
let package = Package(
    name: "consumer",
    dependencies: [.package(name: "postilla", path: "../..")],
    targets: [
        .executableTarget(
            name: "consumer", dependencies: [.product(name: "Instant", package: "postilla")], path: "Sources")
    ],
    swiftLanguageModes: [.v6]
)

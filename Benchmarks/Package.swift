// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that who uses Switchyard never resolves or builds the peers.
let package = Package(
    name: "switchyard-benchmarks",
    platforms: [.macOS(.v15)],
    traits: [
        .trait(name: "NATS", description: "The table of a NATS cluster; needs libnats")
    ],
    dependencies: [
        // Named, because the folder that holds the repository may be called anything.
        .package(
            name: "switchyard", path: "..",
            traits: [
                .trait(name: "NIO"), .trait(name: "NATS", condition: .when(traits: ["NATS"])),
            ]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        // The peers.
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
    ],
    targets: [
        .target(name: "CBenchmarks"),
        .systemLibrary(
            name: "CNATSClient", pkgConfig: "libnats",
            providers: [.apt(["libnats-dev"]), .brew(["cnats"])]),
        .target(name: "BenchmarkHarness", dependencies: ["CBenchmarks"]),
        .executableTarget(
            name: "switchyard-benchmarks",
            dependencies: [
                "BenchmarkHarness", "CBenchmarks",
                .product(name: "Switchyard", package: "switchyard"),
                .product(name: "SwitchyardCore", package: "switchyard"),
                .product(name: "SwitchyardDistributed", package: "switchyard"),
                .product(name: "SwitchyardNIO", package: "switchyard"),
                .target(name: "CNATSClient", condition: .when(traits: ["NATS"])),
                .product(
                    name: "SwitchyardNATS", package: "switchyard",
                    condition: .when(traits: ["NATS"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        .testTarget(name: "BenchmarkHarnessTests", dependencies: ["BenchmarkHarness"]),
        .testTarget(name: "CBenchmarksTests", dependencies: ["CBenchmarks"]),
    ]
)

for target in package.targets where !["CBenchmarks", "CNATSClient"].contains(target.name) {
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}

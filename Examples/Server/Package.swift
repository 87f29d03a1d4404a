// swift-tools-version: 6.2
import PackageDescription

// A package of its own: who builds the other examples fetches none of these dependencies. `scripts/examples`
// runs it, and compares what it prints with what stands in Expected.
let package = Package(
    name: "switchyard-example-server",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(
            name: "switchyard", path: "../..",
            traits: ["Logging", "Lifecycle", "Metrics", "Tracing"]),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    ],
    targets: [
        .executableTarget(
            name: "orders",
            dependencies: [
                .product(name: "Switchyard", package: "switchyard"),
                .product(name: "SwitchyardDistributed", package: "switchyard"),
                .product(name: "SwitchyardLogging", package: "switchyard"),
                .product(name: "SwitchyardLifecycle", package: "switchyard"),
                .product(name: "SwitchyardMetrics", package: "switchyard"),
                .product(name: "SwitchyardTracing", package: "switchyard"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                // A server has an exporter in their place.
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ])
    ]
)

for target in package.targets {
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}

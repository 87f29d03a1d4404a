// swift-tools-version: 6.2
import PackageDescription

/// The engine and the center are optimised in debug builds too. Otherwise posting takes several times
/// longer than with Foundation, whose library is always optimised. Assertions stay. To step through
/// the sources in a debugger, build with `SWITCHYARD_UNOPTIMIZED=1` in the environment.
let isOptimized = Context.environment["SWITCHYARD_UNOPTIMIZED"] == nil
let swiftOptimized: [SwiftSetting] =
    isOptimized
    ? [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))] : []
let cOptimized: [CSetting] =
    isOptimized ? [.unsafeFlags(["-O2"], .when(configuration: .debug))] : []

let package = Package(
    name: "switchyard",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Switchyard", targets: ["Switchyard"]),
        .library(name: "SwitchyardCore", targets: ["SwitchyardCore"]),
        .library(name: "SwitchyardDistributed", targets: ["SwitchyardDistributed"]),
        .library(name: "SwitchyardTesting", targets: ["SwitchyardTesting"]),
        // Apart from it, so that tests without processes build none of what is between them.
        .library(name: "SwitchyardDistributedTesting", targets: ["SwitchyardDistributedTesting"]),
        // Empty without the traits of their names.
        .library(name: "SwitchyardNIO", targets: ["SwitchyardNIO"]),
        .library(name: "SwitchyardNATS", targets: ["SwitchyardNATS"]),
        .library(name: "SwitchyardOpenCombine", targets: ["SwitchyardOpenCombine"]),
        .library(name: "SwitchyardLogging", targets: ["SwitchyardLogging"]),
        .library(name: "SwitchyardLifecycle", targets: ["SwitchyardLifecycle"]),
        .library(name: "SwitchyardMetrics", targets: ["SwitchyardMetrics"]),
        .library(name: "SwitchyardTracing", targets: ["SwitchyardTracing"]),
        .library(name: "SwitchyardGLib", targets: ["SwitchyardGLib"]),
        // C's functions of CoreFoundation's centers and of notify(3). Nobody else gets these symbols.
        .library(
            name: "SwitchyardCoreFoundation",
            targets: ["SwitchyardCoreFoundation", "CSwitchyardCoreFoundation"]),
        // Lets the tool look into a running program.
        .library(name: "SwitchyardInspection", targets: ["SwitchyardInspection"]),
        .executable(name: "switchyard", targets: ["switchyard-tool"]),
        // For the example programs, which are a package of their own. Not public API.
        .library(name: "SwitchyardConsole", targets: ["SwitchyardConsole"]),
    ],
    traits: [
        .trait(name: "NIO", description: "SwiftNIO's event loops as delivery contexts"),
        .trait(name: "NATS", description: "Notifications across machines, on a NATS cluster"),
        .trait(name: "OpenCombine", description: "Publishers of notifications and messages"),
        .trait(name: "Logging", description: "Problems of deliveries in swift-log's logs"),
        .trait(name: "Lifecycle", description: "Threads and centers as ServiceLifecycle's"),
        .trait(name: "Metrics", description: "Figures of centers for swift-metrics"),
        .trait(name: "Tracing", description: "Spans of posts and handlers"),
        .trait(
            name: "GLib", description: "GLib's main loop, which GTK runs, as a delivery context"),
        .trait(name: "Web", description: "The live page of a running program's notifications"),
    ],
    dependencies: [
        // For the traits alone: without them nobody resolves or builds these.
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        // For the command-line tool alone: whoever uses a library builds none of it.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .target(name: "CSwitchyard", cSettings: cOptimized),
        .target(
            name: "SwitchyardCore", dependencies: ["CSwitchyard"], swiftSettings: swiftOptimized),
        .target(
            name: "Switchyard", dependencies: ["CSwitchyard", "SwitchyardCore"],
            swiftSettings: swiftOptimized),
        // No product: the frames that processes send each other, for the modules that do.
        .target(name: "SwitchyardWire", dependencies: ["CSwitchyard"]),
        .target(
            name: "SwitchyardDistributed",
            dependencies: ["CSwitchyard", "SwitchyardCore", "Switchyard", "SwitchyardWire"]),
        .target(
            name: "SwitchyardInspection",
            dependencies: ["CSwitchyard", "SwitchyardCore", "SwitchyardWire"]),
        .target(name: "SwitchyardTesting", dependencies: ["Switchyard"]),
        .target(
            name: "SwitchyardDistributedTesting",
            dependencies: ["CSwitchyard", "SwitchyardCore", "SwitchyardDistributed"]),
        .target(
            name: "SwitchyardNIO",
            dependencies: [
                "SwitchyardCore",
                .product(
                    name: "NIOCore", package: "swift-nio", condition: .when(traits: ["NIO"])),
            ]),
        // Debian's libnats, for the trait alone: without it nobody needs it.
        .systemLibrary(
            name: "CNATS", pkgConfig: "libnats",
            providers: [.apt(["libnats-dev"]), .brew(["cnats"])]),
        .target(
            name: "SwitchyardNATS",
            dependencies: [
                "CSwitchyard", "SwitchyardCore", "Switchyard", "SwitchyardDistributed",
                "SwitchyardWire",
                .target(name: "CNATS", condition: .when(traits: ["NATS"])),
            ]),
        .target(
            name: "SwitchyardOpenCombine",
            dependencies: [
                "SwitchyardCore", "Switchyard",
                .product(
                    name: "OpenCombine", package: "OpenCombine",
                    condition: .when(traits: ["OpenCombine"])),
            ]),
        .target(
            name: "SwitchyardLogging",
            dependencies: [
                "SwitchyardCore",
                .product(
                    name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
            ]),
        .target(
            name: "SwitchyardLifecycle",
            dependencies: [
                "SwitchyardCore", "Switchyard", "SwitchyardDistributed",
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["Lifecycle"])),
            ]),
        .target(
            name: "SwitchyardMetrics",
            dependencies: [
                "SwitchyardCore",
                .product(
                    name: "CoreMetrics", package: "swift-metrics",
                    condition: .when(traits: ["Metrics"])),
            ]),
        .target(
            name: "SwitchyardTracing",
            dependencies: [
                "SwitchyardCore",
                .product(
                    name: "Tracing", package: "swift-distributed-tracing",
                    condition: .when(traits: ["Tracing"])),
            ]),
        // Debian's libglib2.0, for the trait alone: without it nobody needs it.
        .systemLibrary(
            name: "CSwitchyardGLib", pkgConfig: "glib-2.0",
            providers: [.apt(["libglib2.0-dev"]), .brew(["glib"])]),
        .target(
            name: "SwitchyardGLib",
            dependencies: [
                "SwitchyardCore",
                .target(name: "CSwitchyardGLib", condition: .when(traits: ["GLib"])),
            ]),
        .target(name: "CSwitchyardCoreFoundation"),
        .target(
            name: "SwitchyardCoreFoundation",
            dependencies: [
                "CSwitchyard", "CSwitchyardCoreFoundation", "SwitchyardCore", "Switchyard",
                "SwitchyardDistributed", "SwitchyardWire",
            ]),
        // The pieces that command-line programs share: streams, signals, options, keeping pace with readers.
        .target(
            name: "SwitchyardConsole",
            dependencies: [
                "CSwitchyard", "SwitchyardCore", "SwitchyardDistributed", "SwitchyardNATS",
                "SwitchyardWire",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        // The server of the live page, and the page itself, which becomes part of the program.
        .target(
            name: "SwitchyardWeb",
            dependencies: [
                "SwitchyardCore",
                .product(
                    name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: ["Web"])),
            ],
            resources: [
                .embedInCode("Page/page.html"), .embedInCode("Page/page.css"),
                .embedInCode("Page/page.js"), .embedInCode("Page/page.svg"),
            ]),
        .target(
            name: "SwitchyardCommands",
            dependencies: [
                "SwitchyardCore", "Switchyard", "SwitchyardConsole", "SwitchyardDistributed",
                "SwitchyardInspection", "SwitchyardNATS", "SwitchyardWeb", "SwitchyardWire",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(name: "switchyard-tool", dependencies: ["SwitchyardCommands"]),
        // Helpers of all tests, and the rules of the contract as a trait of tests.
        .target(
            name: "TestSupport", dependencies: ["SwitchyardCore"], path: "Tests/TestSupport"),
        .testTarget(
            name: "SwitchyardCoreTests", dependencies: ["SwitchyardCore", "TestSupport"]),
        .testTarget(
            name: "SwitchyardTests",
            dependencies: ["Switchyard", "SwitchyardTesting", "TestSupport"]),
        .testTarget(
            name: "SwitchyardTestingTests",
            dependencies: ["Switchyard", "SwitchyardTesting", "TestSupport"]),
        .testTarget(
            name: "SwitchyardNIOTests",
            dependencies: [
                "SwitchyardCore", "SwitchyardNIO", "TestSupport",
                .product(
                    name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["NIO"])),
                .product(
                    name: "NIOEmbedded", package: "swift-nio", condition: .when(traits: ["NIO"])),
            ]),
        .testTarget(
            name: "SwitchyardNATSTests",
            dependencies: [
                "SwitchyardCore", "Switchyard", "SwitchyardDistributed", "SwitchyardLifecycle",
                "SwitchyardNATS", "SwitchyardTracing", "NATSProbe", "TestSupport",
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["Lifecycle"])),
                .product(
                    name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle",
                    condition: .when(traits: ["Lifecycle"])),
                .product(
                    name: "Tracing", package: "swift-distributed-tracing",
                    condition: .when(traits: ["Tracing"])),
                .product(
                    name: "InMemoryTracing", package: "swift-distributed-tracing",
                    condition: .when(traits: ["Tracing"])),
            ]),
        .testTarget(
            name: "SwitchyardOpenCombineTests",
            dependencies: [
                "SwitchyardCore", "Switchyard", "SwitchyardDistributed",
                "SwitchyardDistributedTesting", "SwitchyardOpenCombine", "SwitchyardTesting",
                "TestSupport",
                .product(
                    name: "OpenCombine", package: "OpenCombine",
                    condition: .when(traits: ["OpenCombine"])),
            ]),
        .testTarget(
            name: "SwitchyardLoggingTests",
            dependencies: [
                "SwitchyardCore", "Switchyard", "SwitchyardDistributed",
                "SwitchyardDistributedTesting", "SwitchyardLogging", "SwitchyardTesting",
                "TestSupport",
                .product(
                    name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
                .product(
                    name: "InMemoryLogging", package: "swift-log",
                    condition: .when(traits: ["Logging"])),
            ]),
        .testTarget(
            name: "SwitchyardLifecycleTests",
            dependencies: [
                "SwitchyardCore", "Switchyard", "SwitchyardDistributed",
                "SwitchyardDistributedTesting", "SwitchyardLifecycle", "TestSupport",
                .product(
                    name: "Logging", package: "swift-log", condition: .when(traits: ["Lifecycle"])),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["Lifecycle"])),
                .product(
                    name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle",
                    condition: .when(traits: ["Lifecycle"])),
            ]),
        .testTarget(
            name: "SwitchyardMetricsTests",
            dependencies: [
                "SwitchyardCore", "Switchyard", "SwitchyardMetrics", "SwitchyardTesting",
                "TestSupport",
                .product(
                    name: "MetricsTestKit", package: "swift-metrics",
                    condition: .when(traits: ["Metrics"])),
            ]),
        .testTarget(
            name: "SwitchyardTracingTests",
            dependencies: [
                "SwitchyardCore", "Switchyard", "SwitchyardDistributed",
                "SwitchyardDistributedTesting", "SwitchyardTesting", "SwitchyardTracing",
                "TestSupport",
                .product(
                    name: "Tracing", package: "swift-distributed-tracing",
                    condition: .when(traits: ["Tracing"])),
                .product(
                    name: "InMemoryTracing", package: "swift-distributed-tracing",
                    condition: .when(traits: ["Tracing"])),
            ]),
        .testTarget(
            name: "SwitchyardGLibTests",
            dependencies: [
                "SwitchyardCore", "SwitchyardGLib", "TestSupport",
                .target(name: "CSwitchyardGLib", condition: .when(traits: ["GLib"])),
            ]),
        .testTarget(
            name: "SwitchyardDistributedTests",
            dependencies: [
                "CSwitchyard", "SwitchyardCore", "Switchyard", "SwitchyardDistributed",
                "SwitchyardDistributedTesting", "SwitchyardTesting", "SwitchyardWire",
                "DistributedProbe", "TestSupport", "peer-probe",
            ]),
        .testTarget(
            name: "SwitchyardCommandsTests",
            dependencies: [
                "SwitchyardCommands", "SwitchyardConsole", "SwitchyardCore",
                "SwitchyardDistributed", "SwitchyardInspection", "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .testTarget(name: "SwitchyardWebTests", dependencies: ["SwitchyardWeb", "TestSupport"]),
        .testTarget(
            name: "SwitchyardCoreFoundationTests",
            dependencies: [
                "CSwitchyardCoreFoundation", "Switchyard", "SwitchyardCoreFoundation",
                "SwitchyardDistributed", "SwitchyardWire", "TestSupport", "cf-probe",
            ]),
        .testTarget(
            name: "SwitchyardInspectionTests",
            dependencies: [
                "CSwitchyard", "Switchyard", "SwitchyardCore", "SwitchyardInspection",
                "SwitchyardWire", "TestSupport",
            ]),
        .testTarget(name: "DropInTests", dependencies: ["Switchyard"]),
        .testTarget(
            name: "Swift5ModeTests", dependencies: ["Switchyard", "TestSupport"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "ProgramTests",
            dependencies: [
                "SwitchyardCore", "SwitchyardDistributed", "SwitchyardNATS", "SwitchyardWire",
                "NATSProbe",
                "TestSupport", "main-probe", "async-main-probe", "core-main-probe",
                "inspection-probe",
                "switchyard-tool",
                "wire-probe",
            ],
            exclude: ["Support/terminal.py"]),
        // What the program tests run.
        .executableTarget(
            name: "main-probe", dependencies: ["Switchyard"], path: "Tests/Programs/main-probe"),
        .target(
            name: "NATSProbe", dependencies: ["SwitchyardCore"], path: "Tests/Programs/NATSProbe"),
        .target(
            name: "DistributedProbe",
            dependencies: ["CSwitchyard", "SwitchyardCore", "SwitchyardDistributed"],
            path: "Tests/Programs/DistributedProbe"),
        .executableTarget(
            name: "peer-probe",
            dependencies: ["CSwitchyard", "DistributedProbe", "SwitchyardDistributed"],
            path: "Tests/Programs/peer-probe"),
        .executableTarget(
            name: "cf-probe",
            dependencies: ["CSwitchyardCoreFoundation", "SwitchyardCoreFoundation"],
            path: "Tests/Programs/cf-probe"),
        .executableTarget(
            name: "wire-probe", dependencies: ["SwitchyardDistributed"],
            path: "Tests/Programs/wire-probe", exclude: ["wire_probe.py"]),
        .executableTarget(
            name: "inspection-probe",
            dependencies: ["Switchyard", "SwitchyardDistributed", "SwitchyardInspection"],
            path: "Tests/Programs/inspection-probe"),
        .executableTarget(
            name: "live-probe", dependencies: ["Switchyard", "SwitchyardInspection"],
            path: "Tests/Programs/live-probe", exclude: ["page_checks.py"]),
        .executableTarget(
            name: "post-probe", dependencies: ["Switchyard", "SwitchyardCore"],
            path: "Tests/Programs/post-probe"),
        .executableTarget(
            name: "mesh-probe", dependencies: ["SwitchyardDistributed"],
            path: "Tests/Programs/mesh-probe"),
        .executableTarget(
            name: "core-main-probe", dependencies: ["SwitchyardCore"],
            path: "Tests/Programs/core-main-probe"),
        .executableTarget(
            name: "async-main-probe", dependencies: ["Switchyard"],
            path: "Tests/Programs/async-main-probe"),
    ]
)

// DropInTests is built as a user's module is by default: no upcoming features. Swift5ModeTests is built
// in the language mode in which most modules are that move from Foundation.
let asUsersBuild = ["DropInTests", "Swift5ModeTests"]
for target in package.targets
where
    !(["CSwitchyard", "CSwitchyardCoreFoundation", "CSwitchyardGLib", "CNATS", "cf-probe"]
    + asUsersBuild)
    .contains(target.name)
{
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .swiftLanguageMode(.v6),
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
        ]
}

// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that who uses the libraries builds none of it. `scripts/examples` builds
// the programs, runs them, and compares what they print with what stands in Expected.
let package = Package(
    name: "switchyard-examples",
    platforms: [.macOS(.v15)],
    traits: [.trait(name: "NATS", description: "`tail --nats`; needs libnats")],
    dependencies: [
        .package(
            name: "switchyard", path: "..",
            traits: [.trait(name: "NATS", condition: .when(traits: ["NATS"]))]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .executableTarget(
            name: "by-hand-redirection",
            dependencies: [.product(name: "Switchyard", package: "switchyard")]),
        .executableTarget(name: "center-from-scratch"),
        .executableTarget(
            name: "transport-from-scratch",
            dependencies: [.product(name: "SwitchyardDistributed", package: "switchyard")]),
        .executableTarget(
            name: "tour",
            dependencies: [
                "ThreadNames",
                .product(name: "Switchyard", package: "switchyard"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(
            name: "tail",
            dependencies: [
                "ThreadNames",
                .product(name: "Switchyard", package: "switchyard"),
                .product(name: "SwitchyardConsole", package: "switchyard"),
                .product(name: "SwitchyardDistributed", package: "switchyard"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(
            name: "folio",
            dependencies: [
                .product(name: "Switchyard", package: "switchyard"),
                .product(name: "SwitchyardConsole", package: "switchyard"),
                .product(name: "SwitchyardInspection", package: "switchyard"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .target(name: "ThreadNames"),
        .target(
            name: "ConverterMessages",
            dependencies: [.product(name: "SwitchyardDistributed", package: "switchyard")]),
        .executableTarget(
            name: "converter-service",
            dependencies: [
                "ConverterMessages",
                .product(name: "SwitchyardDistributed", package: "switchyard"),
            ]),
        .executableTarget(
            name: "converter-client",
            dependencies: [
                "ConverterMessages",
                .product(name: "SwitchyardDistributed", package: "switchyard"),
            ]),
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

// swift-tools-version: 6.2
import PackageDescription

// A package of its own: nobody who uses Switchyard builds this. `scripts/fuzz` does.
//
// The library's modules are links to its sources, not a dependency, because only so can they be
// instrumented alone, and what they keep to the package be called.
let fuzzers = ["fuzz-property-list", "fuzz-archive", "fuzz-frames", "fuzz-message"]

// Instrumented, so that the fuzzer sees which way its input takes, and memory is watched.
let sanitizers = "-sanitize=fuzzer,address"

let package = Package(
    name: "switchyard-fuzz",
    platforms: [.macOS(.v15)],
    targets: [
        .target(name: "CSwitchyard"),
        .target(name: "SwitchyardCore", dependencies: ["CSwitchyard"]),
        .target(name: "Switchyard", dependencies: ["CSwitchyard", "SwitchyardCore"]),
        .target(
            name: "SwitchyardWire", dependencies: ["CSwitchyard"],
            swiftSettings: [.unsafeFlags([sanitizers])]),
        .target(
            name: "SwitchyardDistributed",
            dependencies: ["CSwitchyard", "SwitchyardCore", "Switchyard", "SwitchyardWire"],
            swiftSettings: [.unsafeFlags([sanitizers])]),
        .target(name: "CFuzzing"),
        .target(name: "Fuzzing", dependencies: ["CFuzzing"]),
    ]
)

for fuzzer in fuzzers {
    package.targets.append(
        .executableTarget(
            name: fuzzer, dependencies: ["Fuzzing", "SwitchyardDistributed", "SwitchyardWire"],
            swiftSettings: [.unsafeFlags([sanitizers])],
            // Not gold, which breaks off while it links libFuzzer.
            linkerSettings: [
                .unsafeFlags([sanitizers]),
                .unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux])),
            ]))
}

for target in package.targets where !["CSwitchyard", "CFuzzing"].contains(target.name) {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .swiftLanguageMode(.v6),
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
        ]
}

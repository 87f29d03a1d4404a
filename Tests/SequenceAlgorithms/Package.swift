// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that who uses the libraries never fetches the algorithms: run it with
// `swift test --package-path Tests/SequenceAlgorithms`.
let package = Package(
    name: "switchyard-sequence-algorithms",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "switchyard", path: "../.."),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.0.0"),
    ],
    targets: [
        .testTarget(
            name: "SequenceAlgorithmsTests",
            dependencies: [
                .product(name: "Switchyard", package: "switchyard"),
                .product(name: "SwitchyardTesting", package: "switchyard"),
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
            ],
            path: "Tests",
            swiftSettings: [
                .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ])
    ]
)

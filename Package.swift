// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "switchyard",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [

        .library(name: "Switchyard", targets: ["Switchyard"]),
        .library(name: "SwitchyardCore", targets: ["SwitchyardCore"]),


    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .target(name: "CSwitchyard"),
        .target(name: "SwitchyardCore", dependencies: ["CSwitchyard"]),
        .target(name: "Switchyard", dependencies: ["CSwitchyard", "SwitchyardCore"]),
    ]
)

for target in package.targets where target.type != .system && target.name != "CSwitchyard" {
    target.swiftSettings = (target.swiftSettings ?? []) + [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}

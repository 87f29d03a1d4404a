// swift-tools-version: 6.2
import PackageDescription

// A package of its own: who builds the other examples needs no GTK. `scripts/examples` runs it on a display that
// is not there, and compares what it prints with what stands in Expected.
let package = Package(
    name: "switchyard-example-window",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "switchyard", path: "../..", traits: ["GLib"])],
    targets: [
        .systemLibrary(
            name: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
        .executableTarget(
            name: "window",
            dependencies: [
                "CGTK",
                .product(name: "SwitchyardCore", package: "switchyard"),
                .product(name: "SwitchyardGLib", package: "switchyard"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
    ]
)

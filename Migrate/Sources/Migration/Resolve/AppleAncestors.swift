// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The superclasses of the classes of UIKit and AppKit that sources inherit from most.
enum AppleAncestors {
    private static let subclasses: [String: [String]] = [
        "NSObject": ["UIResponder", "NSResponder"],
        "UIResponder": ["UIViewController", "UIView"],
        "UIViewController": [
            "UITableViewController", "UICollectionViewController", "UINavigationController",
            "UITabBarController", "UISplitViewController", "UIPageViewController",
            "UISearchController", "UIAlertController", "UIActivityViewController",
            "UIHostingController", "AVPlayerViewController",
        ],
        "UINavigationController": ["UIImagePickerController"],
        "UIView": [
            "UIScrollView", "UITableViewCell", "UITableViewHeaderFooterView", "UIWindow",
            "UICollectionReusableView", "UILabel", "UIImageView", "UIControl", "UIStackView",
            "UIToolbar", "UINavigationBar", "UISearchBar", "UITabBar", "WKWebView",
        ],
        "UIScrollView": ["UITableView", "UICollectionView", "UITextView"],
        "UICollectionReusableView": ["UICollectionViewCell"],
        "UIControl": ["UIButton", "UITextField", "UISwitch", "UISlider"],
        "NSResponder": ["NSViewController", "NSWindowController", "NSView", "NSWindow"],
        "NSViewController": ["NSSplitViewController", "NSTabViewController"],
        "NSWindow": ["NSPanel"],
        "NSView": ["NSControl", "NSScrollView", "NSStackView", "NSVisualEffectView", "NSText"],
        "NSControl": ["NSButton", "NSTableView", "NSTextField"],
        "NSTableView": ["NSOutlineView"],
        "NSText": ["NSTextView"],
    ]
    private static let superclasses = Dictionary(
        uniqueKeysWithValues: subclasses.flatMap { superclass, names in
            names.map { ($0, superclass) }
        })

    /// The classes before a class, the nearest first.
    static func of(_ name: String) -> [String] {
        Array(sequence(first: name) { superclasses[$0] }.dropFirst())
    }
}

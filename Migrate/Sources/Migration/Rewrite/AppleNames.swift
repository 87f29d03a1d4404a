// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Names of frameworks that Apple's systems alone have.
enum AppleNames {
    private static let classes: Set<String> = [
        "NSApplication", "NSWorkspace", "NSWindow", "NSView", "NSScreen", "NSControl", "NSText",
        "NSTextView", "NSTextStorage", "NSTableView", "NSOutlineView", "NSSplitView", "NSMenu",
        "NSPopover", "NSScrollView", "NSComboBox", "NSBrowser", "NSColor", "NSColorPanel", "NSFont",
        "NSManagedObjectContext", "NSPersistentStoreCoordinator", "NSPersistentCloudKitContainer",
        "NSUbiquitousKeyValueStore", "NSSpellChecker", "NSDrawer", "NSHelpManager", "NSImageRep",
        "NSAnimation", "NSViewController", "NSToolbar", "NSRuleEditor", "NSMetadataQuery",
        "NSUndoManager", "UndoManager", "NSExtensionContext", "EKEventStore",
        "MPMusicPlayerController",
        "CNContactStore", "GCController", "PKPassLibrary", "SKPaymentQueue", "EAAccessoryManager",
        "NSApp", "ALAssetsLibrary", "NEVPNConnection", "HKHealthStore", "PHPhotoLibrary",
        "NSBundleResourceRequest",
    ]
    private static let prefixes = [
        "UI", "AV", "WK", "MK", "CK", "MTK", "GK", "SCN", "CTRadio", "NEVPN",
    ]
    /// Beginnings of members of `Notification.Name` that those frameworks add.
    private static let memberPrefixes = [
        "UI", "AV", "NSManagedObject", "NSPersistent", "NSWorkspace", "NSWindow", "NSApplication",
        "CNContact", "EKEvent", "MPMusic", "MPMovie", "GCController", "CK", "NSUbiquit", "CTRadio",
        "AL", "PKPass", "SCNetwork", "NSUndoManager",
    ]

    /// The first name of such a framework in an expression, as in `UIApplication.didBecomeActive…`.
    static func first(
        in expression: ExprSyntax, module: ModuleIndex, file: SourceFile
    ) -> String? {
        for token in expression.tokens(viewMode: .sourceAccurate) {
            guard let reference = token.parent?.as(DeclReferenceExprSyntax.self) else {
                if let type = token.parent?.as(IdentifierTypeSyntax.self), isApple(type.name.text) {
                    return type.name.text
                }
                continue
            }
            let name = token.text
            let member = reference.parent?.as(MemberAccessExprSyntax.self)
            if let member, member.declName.id == reference.id {
                let base = member.base?.trimmedDescription
                guard
                    base == nil || base?.hasSuffix("Notification.Name") == true
                        || base?.hasSuffix("NSNotification.Name") == true
                else { continue }
                let isOwn = module.types.contains { name2, types in
                    name2.hasSuffix("Notification.Name")
                        && types.contains { $0.variables.contains { $0.name == name } }
                }
                if !isOwn, memberPrefixes.contains(where: { begins(name, $0) }) {
                    return "." + name
                }
            } else if isApple(name), !module.hasOwnType(name, at: reference, in: file),
                module.globals[name] == nil
            {
                return name
            }
        }
        return nil
    }

    /// Protocols whose types belong to the main actor, where no class has given them its name.
    private static let mainProtocols: Set<String> = [
        "UIViewControllerRepresentable", "UIViewRepresentable", "NSViewControllerRepresentable",
        "NSViewRepresentable", "App", "View", "UICollectionViewDelegateFlowLayout",
        "UISearchResultsUpdating", "UIDocumentPickerDelegate", "WKNavigationDelegate",
        "WKUIDelegate", "WKScriptMessageHandler",
    ]
    private static let delegateEndings = ["Delegate", "DataSource"]
    /// Classes of Core Data whose names end as those of user interfaces do.
    private static let offMain: Set<String> = ["NSFetchedResultsController"]
    /// Ends of the names of classes that belong to the main actor.
    private static let mainEndings = [
        "View", "Controller", "Window", "Responder", "Application", "Control", "Button", "Cell",
        "Field", "Panel", "Document", "Menu", "MenuItem", "Toolbar", "Item", "Bar", "Recognizer",
        "Layout", "Scene", "Device", "Screen", "Label", "Switch", "Slider", "Popover", "Alert",
    ]

    /// Whether a protocol of such a framework puts its types on the main actor, as the delegates of
    /// user interfaces do.
    static func isOnMain(protocol name: String) -> Bool {
        if mainProtocols.contains(name) { return true }
        guard let ending = delegateEndings.first(where: { name.hasSuffix($0) }),
            ["UI", "NS", "WK"].contains(where: { begins(name, $0) })
        else { return false }
        return isOnMain(class: String(name.dropLast(ending.count)))
    }

    /// Whether a class of such a framework belongs to the main actor, as those of user interfaces
    /// do.
    static func isOnMain(class name: String) -> Bool {
        let prefixes = prefixes + ["NS"]
        return !offMain.contains(name) && prefixes.contains { begins(name, $0) }
            && mainEndings.contains { name.hasSuffix($0) }
    }

    /// Whether a member of `Notification.Name` begins as those that such frameworks add.
    static func isNameOfFramework(_ name: String) -> Bool {
        memberPrefixes.contains { begins(name, $0) }
    }

    /// Whether a class of such a framework has the name.
    static func isApple(_ name: String) -> Bool {
        classes.contains(name) || prefixes.contains { begins(name, $0) }
    }

    /// Whether a name begins with a prefix that another word follows.
    private static func begins(_ name: String, _ prefix: String) -> Bool {
        guard name.hasPrefix(prefix), let next = name.dropFirst(prefix.count).first else {
            return false
        }
        return next.isUppercase
    }
}

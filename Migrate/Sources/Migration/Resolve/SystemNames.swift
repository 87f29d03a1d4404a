// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Names of notifications that the system's frameworks declare.
enum SystemNames {
    /// Classes of Foundation with names of notifications.
    private static let classes: Set<String> = [
        "UserDefaults", "ProcessInfo", "Bundle", "NSLocale", "FileHandle", "Process", "Port",
        "HTTPCookieStorage", "URLCredentialStorage", "NSMetadataQuery", "Thread",
    ]

    /// Whether a member is such a name, as in `UIScreen.brightnessDidChangeNotification` and
    /// `.NSCalendarDayChanged`. Names that the sources add to the frameworks' types count, too.
    static func contains(
        _ name: MemberAccessExprSyntax, module: ModuleIndex, file: SourceFile
    ) -> Bool {
        guard let base = name.base else { return isMember(name.declName.baseName.text) }
        let spelled = base.trimmedDescription
        if spelled == "Notification.Name" || spelled == "NSNotification.Name" {
            return isMember(name.declName.baseName.text)
        }
        guard base.is(DeclReferenceExprSyntax.self),
            !module.hasOwnType(spelled, at: base, in: file)
        else { return false }
        return classes.contains(spelled) || AppleNames.isApple(spelled)
    }

    /// Whether a member of `Notification.Name` is named as those of the frameworks are.
    private static func isMember(_ name: String) -> Bool {
        AppleNames.isNameOfFramework(name)
            || name.hasPrefix("NS") && name.dropFirst(2).first?.isUppercase == true
    }
}

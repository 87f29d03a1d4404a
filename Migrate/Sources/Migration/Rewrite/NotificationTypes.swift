// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// The names by which a place in a file means Foundation's notifications. The module is named where
/// a type of the sources has the same name.
struct NotificationTypes {
    let value: String
    let object: String

    init(at node: some SyntaxProtocol, in file: SourceFile, of module: ModuleIndex) {
        func name(_ type: String) -> String {
            module.hasOwnType(type, at: node, in: file) ? "Foundation." + type : type
        }
        value = name("Notification")
        object = name("NSNotification")
    }
}

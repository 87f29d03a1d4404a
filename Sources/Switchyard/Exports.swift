// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// A file that imports Switchyard in place of Foundation needs nothing more: the classes declared
// here use Foundation's types in every signature, and shadow its centers.
@_exported public import Foundation
@_exported public import SwitchyardCore

/// Foundation's center, under a name that this module's center does not shadow.
typealias FoundationCenter = Foundation.NotificationCenter

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// swift: 5 6
// The class imports work beside a module that exports Foundation, as many do.
import Dispatch
import Foundation
@_exported import Foundation
import Switchyard

import class Switchyard.NotificationCenter

let center = NotificationCenter.default

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CoreFoundation
import Foundation

/// Makes a mode of the calling thread's loop a common one, which Foundation has no name for.
func addCommonMode(_ name: NSString) {
    CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), unsafeBitCast(name, to: CFString.self))
}

import AppKit
import Combine

let delegate = Delegate()
NSApplication.shared.delegate = delegate
NSApplication.shared.run()

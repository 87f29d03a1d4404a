// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation

/// Whether the tests, and the programs that they start, run under ThreadSanitizer: it takes a multiple
/// of the memory, and lets a forked child start no threads.
let isThreadSanitized = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "__tsan_init") != nil

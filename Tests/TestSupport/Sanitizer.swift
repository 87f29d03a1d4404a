// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// Whether the tests, and the programs that they start, run under ThreadSanitizer: it takes a
/// multiple of the memory and the time, and lets a forked child start no threads.
package let isThreadSanitized = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "__tsan_init") != nil

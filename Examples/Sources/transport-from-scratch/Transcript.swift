// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation

/// Prints what handlers hear, and has the main thread wait for it.
final class Transcript: Sendable {
    private let heard = DispatchSemaphore(value: 0)

    func hear(_ text: String) {
        print("  \(text)")
        heard.signal()
    }

    /// Blocks the calling thread until so many more lines are printed.
    func wait(for count: Int = 1) {
        for _ in 0..<count where heard.wait(timeout: .now() + .seconds(60)) == .timedOut {
            print("  nothing is heard")
            exit(1)
        }
    }
}

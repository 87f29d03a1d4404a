// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

extension RunLoop {
    /// Wakes the loop, in whichever of `modes` it sleeps, or has it not sleep when it next runs in
    /// one of them. From any thread.
    ///
    /// Adds a timer, because a block given to `perform` does not wake a loop, and nothing else that
    /// is public reaches into another thread's loop. Foundation on Linux never releases a timer's
    /// block, so this block holds nothing.
    func wakeFromElsewhere(inModes modes: Set<RunLoop.Mode>) {
        for mode in modes {
            add(Timer(fire: Date(), interval: 0, repeats: false) { _ in }, forMode: mode)
        }
    }
}

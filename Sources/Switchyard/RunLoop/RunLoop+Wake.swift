// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

extension RunLoop {
    /// Wakes the loop, in whichever of `modes` it sleeps, or has it not sleep when it next runs in
    /// one of them. From any thread.
    ///
    /// By a timer: a block given to `perform` does not wake a loop, and nothing else that is public
    /// reaches into another thread's. Foundation on Linux never lets a timer's block go, so this one
    /// holds nothing.
    func wakeFromElsewhere(inModes modes: Set<RunLoop.Mode>) {
        for mode in modes {
            add(Timer(fire: Date(), interval: 0, repeats: false) { _ in }, forMode: mode)
        }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardCore

/// The worker has done another step.
struct StepDone: NotificationMessage {
    let number: Int
    let count: Int

    var isLast: Bool { number == count }
}

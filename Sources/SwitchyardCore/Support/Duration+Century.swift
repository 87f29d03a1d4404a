// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension Duration {
    /// This duration, or a century, forward or back, if it is longer. Clocks stop the program when
    /// a time does not fit them, and nobody waits that long.
    package var withinACentury: Duration {
        min(max(self, .seconds(-3_155_760_000)), .seconds(3_155_760_000))
    }
}

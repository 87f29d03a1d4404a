// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension Duration {
    /// The duration, limited to the range from zero to a century. Any clock can add it to the
    /// present; a larger sum would stop the program.
    var asTimeLimit: Duration { max(.zero, min(self, .seconds(3_155_760_000))) }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The answers that a request waits for.
@_spi(Engine) public enum WantedAnswers: String, Sendable {
    /// Every answer.
    case all
    /// One answer, whatever it is.
    case one
    /// One answer that fulfils a condition, which only the one who asks knows.
    case oneThatFits
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser

extension ValidationError {
    /// Finds out whether a notification can have the name that was written on a command line.
    ///
    /// The library takes empty names. Here, one comes from a shell's variable that is not set.
    ///
    /// - Throws: when it is empty; it says what to do.
    static func check(name: String, or alternative: String = "") throws(ValidationError) {
        guard name.isEmpty else { return }
        throw ValidationError(
            "the notification's name is empty: write one, such as org.example.Saved"
                + "\(alternative); if it is a variable's value, set that")
    }

    /// Finds out whether one can end after so many.
    static func check(count: Int?) throws(ValidationError) {
        if let count, count < 1 { throw ValidationError("--count takes one or more") }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import ArgumentParser
internal import SwitchyardCore
internal import SwitchyardDistributed
internal import SwitchyardWire

extension ValidationError {
    /// Checks whether a notification can have a name from the command line.
    ///
    /// The library allows empty names. On a command line, an empty name comes from an unset shell
    /// variable.
    ///
    /// - Throws: An error that says what to do, when the name is empty or too long.
    public static func check(name: String, or alternative: String = "") throws(ValidationError) {
        if name.utf8.count > WireFormat.longestName {
            throw ValidationError(
                "the notification's name has \(name.utf8.count) bytes, and at most "
                    + "\(WireFormat.longestName) can be sent: shorten it")
        }
        guard name.isEmpty else { return }
        throw ValidationError(
            "the notification's name is empty: write one, such as org.example.Saved"
                + "\(alternative); if it is a variable's value, set that")
    }

    /// Checks whether a notification can be about an object from the command line.
    ///
    /// - Throws: An error that says what to do, when the object is too long.
    package static func check(object: String?, or alternative: String) throws(ValidationError) {
        guard let count = object?.utf8.count, count > WireFormat.longestObject else { return }
        throw ValidationError(
            "--object has \(count) bytes, and at most \(WireFormat.longestObject) can be sent: "
                + alternative)
    }

    /// Checks whether a durable observer on a cluster can have a name from the command line.
    ///
    /// - Throws: An error that says which names are possible.
    package static func check(durable name: String) throws(ValidationError) {
        let isPossible = name.utf8.allSatisfy { byte in
            byte > 0x20 && byte != 0x7F && !".*>%/\\".utf8.contains(byte)
        }
        if isPossible, !name.isEmpty { return }
        throw ValidationError(
            "no durable observer is called \"\(name.shown)\": names there have no spaces, dots, slashes, "
                + "nor the characters * > %, and are not empty; leave the name out for all observers"
        )
    }

    /// Checks that a number of notifications to end after is at least one.
    package static func check(count: Int?) throws(ValidationError) {
        if let count, count < 1 { throw ValidationError("--count takes one or more") }
    }
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CFuzzing
internal import Foundation

/// Runs libFuzzer as the program's arguments say, until they say that it ends.
///
/// Not libFuzzer's own `main`, which calls a function named `LLVMFuzzerTestOneInput`: SwiftPM gives
/// the `main` of an executable another name, and does not link without it.
///
/// - Parameter test: called with input after input. It has failed when it traps; what it returns is 0,
///   or -1 for an input that is not worth keeping.
public func fuzz(_ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt) -> Never {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(LLVMFuzzerRunDriver(&count, &arguments, test))
}

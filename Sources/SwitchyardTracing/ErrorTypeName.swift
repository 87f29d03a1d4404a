// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Tracing
/// The names of errors' types.
enum ErrorTypeName {
    /// Returns the name of an error's type, with its module. Leaves out the parts that the runtime adds for
    /// types that are private or in functions: the addresses in them differ in each run.
    static func of(_ error: any Error) -> String {
        String(reflecting: type(of: error))
            .replacing(/\(unknown context at \$[0-9a-f]+\)\./, with: "")
            .replacing(/\(([^ ()]+) in _[0-9A-F]+\)/) { $0.1 }
    }
}
#endif

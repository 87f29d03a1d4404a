// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Earlier names. The compiler offers the new ones; version 0.2.0 has them no more.

extension ExpectationFailure {
    /// Earlier name of `Code`.
    @available(*, deprecated, renamed: "Code")
    public typealias Kind = Code

    /// Earlier name of `code`.
    @available(*, deprecated, renamed: "code")
    public var kind: Code { code }
}

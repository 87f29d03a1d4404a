// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Earlier names. The compiler offers the new ones; these go with version 0.1.0.

extension ExpectationFailure {
    /// Earlier name of `Code`.
    @available(*, deprecated, renamed: "Code")
    public typealias Kind = Code

    /// Earlier name of `code`.
    @available(*, deprecated, renamed: "code")
    public var kind: Code { code }
}

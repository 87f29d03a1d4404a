// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Earlier names. The compiler offers the new ones; version 0.2.0 has them no more.

/// Earlier name of `DistributedCenterError`.
@available(*, deprecated, renamed: "DistributedCenterError")
public typealias MeshError = DistributedCenterError

extension PropertyListError {
    /// Earlier name of `Code`.
    @available(*, deprecated, renamed: "Code")
    public typealias Kind = Code

    /// Earlier name of `code`.
    @available(*, deprecated, renamed: "code")
    public var kind: Code { code }
}

extension DistributedNotificationCenter {
    /// Earlier name of `waitUntilReady(within:)`.
    @available(*, deprecated, renamed: "waitUntilReady(within:)")
    @discardableResult
    public func ready(within limit: Duration) async -> [DistributedPeer] {
        await waitUntilReady(within: limit)
    }

    /// Earlier name of `waitUntilFlushed(within:)`.
    @available(*, deprecated, renamed: "waitUntilFlushed(within:)")
    @discardableResult
    public func flush(within limit: Duration) async -> [DistributedPeer] {
        await waitUntilFlushed(within: limit)
    }
}

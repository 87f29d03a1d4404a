// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import NIOCore
internal import NIOPosix

/// SwiftNIO's event loops. Two, given out in turn: a round trip is between both.
enum EventLoops {
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)

    static func next() -> any EventLoop { group.next() }
}

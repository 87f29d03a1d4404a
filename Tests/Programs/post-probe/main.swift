// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Posts so many times in one way, for a tool that counts instructions: post-probe ROW POSTS.

import Switchyard
import SwitchyardCore

private final class Item: Sendable {}

private struct Plain: NotificationMessage {
    var number = 0
}

private struct About: NotificationMessage {
    typealias Subject = Item
    var number = 0
}

private final class Listener: Sendable {
    func hear(_ plain: Plain) { sum &+= plain.number }
}

/// The sum that handlers add to, so that they do some work.
// Unsafe to the compiler: one thread.
nonisolated(unsafe) private var sum = 0

private let center = Switchyard.NotificationCenter()
private let name = Notification.Name("CounterChanged")
private let item = Item()

private func observeTyped(_ count: Int) -> [ObservationToken] {
    (0..<count).map { _ in center.observe(Plain.self) { sum &+= $0.number } }
}

private func postTyped(_ observers: Int, _ posts: Int) {
    let tokens = observeTyped(observers)
    for number in 0..<posts { center.post(Plain(number: number)) }
    withExtendedLifetime(tokens) {}
}

private func postAbout(_ posts: Int) {
    let token = center.observe(About.self, of: item) { sum &+= $0.number }
    for number in 0..<posts { center.post(About(number: number), subject: item) }
    withExtendedLifetime(token) {}
}

private func postToMethod(_ posts: Int) {
    let listener = Listener()
    center.observe(Plain.self, with: listener, Listener.hear)
    for number in 0..<posts { center.post(Plain(number: number)) }
    withExtendedLifetime(listener) {}
}

private func postNamed(_ object: Item?, _ posts: Int) {
    let token = center.observe(name, of: object) { _ in sum &+= 1 }
    for _ in 0..<posts { center.post(name: name, object: object) }
    withExtendedLifetime(token) {}
}

private func postThroughMailbox(_ posts: Int) {
    final class Target: MailboxTarget {
        let label = "probe"
        func wake(_ mailbox: DeliveryMailbox) {}
    }
    let mailbox = DeliveryMailbox(target: Target())
    let token = center.observe(Plain.self, on: .mailbox(mailbox)) { sum &+= $0.number }
    for number in 0..<posts {
        center.post(Plain(number: number))
        if number % 100 == 99 { mailbox.drain() }
    }
    withExtendedLifetime(token) {}
}

private func register(_ times: Int) {
    for _ in 0..<times { center.observe(Plain.self) { sum &+= $0.number }.cancel() }
}

/// Traces one in `interval` posts, with the places in the program that they are made from, or
/// without.
private func traced(_ interval: UInt32, withSites notesSites: Bool = true, _ post: () -> Void) {
    let tracing = CenterDirectory.beginTracing()
    TraceSampling.interval = interval
    TraceSampling.notesSites = notesSites
    post()
    CenterDirectory.endTracing(tracing)
}

/// Makes posts that nobody traces any more.
private func afterTracing(_ post: () -> Void) {
    traced(1) { postTyped(1, 100) }
    post()
}

private func run(_ row: String, _ posts: Int) {
    switch row {
    case "typed-0": postTyped(0, posts)
    case "typed-1": postTyped(1, posts)
    case "typed-10": postTyped(10, posts)
    case "typed-subject-1": postAbout(posts)
    case "typed-method-1": postToMethod(posts)
    case "name-1": postNamed(nil, posts)
    case "name-object-1": postNamed(item, posts)
    case "mailbox-1": postThroughMailbox(posts)
    case "traced-1": traced(1) { postTyped(1, posts) }
    case "traced-unsited-1": traced(1, withSites: false) { postTyped(1, posts) }
    case "traced-10": traced(1) { postTyped(10, posts) }
    case "traced-mailbox-1": traced(1) { postThroughMailbox(posts) }
    case "sampled-1": traced(64) { postTyped(1, posts) }
    case "detached-1": afterTracing { postTyped(1, posts) }
    case "register": register(posts)
    default: preconditionFailure("no such row: \(row)")
    }
}

private let arguments = CommandLine.arguments
guard arguments.count == 3, let posts = Int(arguments[2]) else {
    print("usage: post-probe ROW POSTS")
    exit(2)
}
run(arguments[1], posts)

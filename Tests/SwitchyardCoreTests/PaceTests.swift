// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Testing

@_spi(Engine) @testable import SwitchyardCore

/// Runs a pace over a script of posts and lists what is delivered when.
private struct Score {
    var pace: PaceState<Int>
    var timer: Duration?
    var delivered: [String] = []

    init(_ rule: DeliveryPace.Rule, _ interval: Int) {
        pace = PaceState(rule, .seconds(interval))
    }

    /// Posts each number at the second it stands for, and lets the timer fire when it is due.
    mutating func play(_ posts: [Int], until end: Int = 100) -> [String] {
        for second in 0...end {
            let now = Duration.seconds(second)
            while let due = timer, due <= now { fire(at: now, second) }
            if posts.contains(second) { offer(second, now) }
        }
        return delivered
    }

    private mutating func fire(at now: Duration, _ second: Int) {
        timer = nil
        switch pace.timerFired(at: now) {
        case .sleep(let until): timer = until
        case .deliver(let item):
            delivered.append("\(item)@\(second)")
            if case .sleep(let until) = pace.delivered() { timer = until }
        case .end: break
        }
    }

    private mutating func offer(_ item: Int, _ now: Duration) {
        switch pace.offer(item, at: now) {
        case .deliver(let item): delivered.append("\(item)@\(item)")
        case .wait(_, let due): if let due { timer = due }
        }
    }
}

@Suite("Pace") struct PaceTests {
    @Test func `Debounce delivers the latest after the quiet time, once`() {
        var score = Score(.debounce, 3)
        #expect(score.play([0, 1, 2, 10, 12, 30]) == ["2@5", "12@15", "30@33"])
    }

    @Test func `Throttle delivers the first at once, then the latest of each interval`() {
        var score = Score(.throttle(latest: true), 4)
        #expect(score.play([0, 1, 2, 3, 5, 6, 20, 30]) == ["0@0", "3@4", "6@8", "20@20", "30@30"])
    }

    @Test func `Throttle can keep the first of each interval`() {
        var score = Score(.throttle(latest: false), 4)
        #expect(score.play([0, 1, 2, 3, 5, 6]) == ["0@0", "1@4", "5@8"])
    }

    @Test func `A post made while the timer delivers does not overtake it`() {
        var pace = PaceState<Int>(.throttle(latest: true), .seconds(1))
        _ = pace.offer(1, at: .zero)
        _ = pace.offer(2, at: .milliseconds(500))
        guard case .deliver(2) = pace.timerFired(at: .seconds(1)) else {
            Issue.record("the timer delivers")
            return
        }
        // The pace allows the next delivery long before, but 2 is still on its way.
        guard case .wait(nil, nil) = pace.offer(3, at: .seconds(9)) else {
            Issue.record("it overtakes")
            return
        }
        guard case .sleep(.seconds(2)) = pace.delivered() else {
            Issue.record("the timer goes on")
            return
        }
    }

    @Test func `A delivery that is taken out before its time is not made`() {
        var pace = PaceState<Int>(.debounce, .seconds(1))
        _ = pace.offer(1, at: .zero)
        #expect(pace.takeWaiting() == 1)
        #expect(pace.takeWaiting() == nil)
    }

    @Test func `A timer whose starter comes late does not take the place of the next one`() {
        let (ended, live) = (Task<Void, Never> {}, Task<Void, Never> {})
        var timer = LatestTimer()
        timer.keep(live, 2)
        timer.keep(ended, 1)
        #expect(timer.take() == live)
        #expect(timer.take() == nil)
    }
}

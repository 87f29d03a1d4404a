// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Testing

@testable import SwitchyardCoreFoundation

/// The steps of a token's life, each with or without a delivery.
@Suite("The deliveries of a token")
struct TokenDeliveriesTests {
    private enum Step {
        case post, suspend, resume, begin, end
    }

    private func deliveries(_ steps: [Step], takingTime: Bool) -> [Bool] {
        var deliveries = TokenDeliveries(takesTime: takingTime)
        return steps.map { step in
            switch step {
            case .post: return deliveries.post()
            case .resume: return deliveries.resume()
            case .begin: return deliveries.begin()
            case .end: return deliveries.end()
            case .suspend:
                deliveries.suspend()
                return false
            }
        }
    }

    @Test func `A post is delivered at once, and each further one`() {
        #expect(deliveries([.post, .post, .resume], takingTime: false) == [true, true, false])
    }

    @Test func `A handler is not called again before it has returned, and then once`() {
        let steps: [Step] = [.post, .begin, .post, .post, .end, .begin, .end]
        #expect(
            deliveries(steps, takingTime: true) == [true, true, false, false, true, true, false])
    }

    @Test func `Suspended posts become one delivery, at the last resumption`() {
        let steps: [Step] = [.suspend, .suspend, .post, .post, .resume, .resume, .resume, .post]
        #expect(
            deliveries(steps, takingTime: false)
                == [false, false, false, false, false, true, false, true])
    }

    @Test func `A handler that is scheduled is not called while suspended, but afterwards`() {
        let steps: [Step] = [.post, .suspend, .begin, .resume, .begin, .end]
        #expect(deliveries(steps, takingTime: true) == [true, false, false, true, true, false])
    }
}

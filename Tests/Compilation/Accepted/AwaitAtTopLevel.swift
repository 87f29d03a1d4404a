// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// swift: 5 6
// warning: no 'async' operations occur within 'await' expression
// At the top level the compiler takes the form that blocks.
import Switchyard

struct Ping: NotificationMessage {}
let center = Switchyard.NotificationCenter()
try await center.postAndWait(Ping(), timeout: .seconds(1))

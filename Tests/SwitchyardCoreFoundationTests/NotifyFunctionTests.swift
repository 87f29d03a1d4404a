// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardCoreFoundation
import TestSupport
import Testing

/// The functions of notify.h as Swift calls them, with names of this process alone.
@Suite("notify.h", .timeLimit(.minutes(5)))
struct NotifyFunctionTests {
    private let name = "self.\(UUID())"

    @Test func `A handler hears on its queue`() async {
        let heard = Log<Int32>()
        let queue = DispatchQueue(label: "handlers")
        var token = NOTIFY_TOKEN_INVALID
        let status = notify_register_dispatch(name, &token, queue) { token in
            dispatchPrecondition(condition: .onQueue(queue))
            heard.add(token)
        }
        #expect(status == NOTIFY_STATUS_OK)
        #expect(notify_post(name) == NOTIFY_STATUS_OK)
        #expect(await heard.arrival(of: 1) == [token])
        #expect(notify_is_valid_token(token))
        #expect(notify_cancel(token) == NOTIFY_STATUS_OK)
        #expect(!notify_is_valid_token(token))
    }

    @Test func `A state and a check can be asked for`() {
        var (token, check, state) = (NOTIFY_TOKEN_INVALID, Int32(-1), UInt64(1))
        #expect(notify_register_check(name, &token) == NOTIFY_STATUS_OK)
        #expect(notify_check(token, &check) == NOTIFY_STATUS_OK && check == 1)
        #expect(notify_check(token, &check) == NOTIFY_STATUS_OK && check == 0)
        #expect(notify_get_state(token, &state) == NOTIFY_STATUS_OK && state == 0)
        #expect(notify_set_state(token, 5) == NOTIFY_STATUS_OK)
        #expect(notify_get_state(token, &state) == NOTIFY_STATUS_OK && state == 5)
        #expect(notify_cancel(token) == NOTIFY_STATUS_OK)
    }

    @Test func `A descriptor gets the token`() {
        var (token, descriptor) = (NOTIFY_TOKEN_INVALID, Int32(-1))
        let status = notify_register_file_descriptor(name, &descriptor, 0, &token)
        #expect(status == NOTIFY_STATUS_OK)
        notify_post(name)
        var written: Int32 = 0
        #expect(read(descriptor, &written, 4) == 4)
        #expect(Int32(bigEndian: written) == token)
        notify_cancel(token)
        // The descriptor was closed with its last registration. No other test of this process may
        // have got the number.
        let again = notify_register_file_descriptor(name, &descriptor, NOTIFY_REUSE, &token)
        #expect(again == NOTIFY_STATUS_INVALID_FILE)
    }

    @Test func `Wrong arguments have numbers`() {
        var (token, descriptor) = (NOTIFY_TOKEN_INVALID, Int32(-1))
        #expect(notify_post(nil) == NOTIFY_STATUS_NULL_INPUT)
        #expect(notify_post("") == NOTIFY_STATUS_INVALID_NAME)
        #expect(notify_register_check(name, nil) == NOTIFY_STATUS_NULL_INPUT)
        #expect(notify_register_check(nil, &token) == NOTIFY_STATUS_NULL_INPUT)
        #expect(notify_register_signal(name, 0, &token) == NOTIFY_STATUS_INVALID_SIGNAL)
        #expect(notify_register_signal(name, 1_000, &token) == NOTIFY_STATUS_INVALID_SIGNAL)
        #expect(
            notify_register_file_descriptor(name, &descriptor, 8, &token)
                == NOTIFY_STATUS_INVALID_REQUEST)
        #expect(
            notify_register_file_descriptor(name, nil, 0, &token) == NOTIFY_STATUS_NULL_INPUT)
        #expect(token == NOTIFY_TOKEN_INVALID)
        #expect(notify_check(-1, &token) == NOTIFY_STATUS_INVALID_TOKEN)
        #expect(notify_check(1, nil) == NOTIFY_STATUS_NULL_INPUT)
        #expect(notify_get_state(1, nil) == NOTIFY_STATUS_NULL_INPUT)
        #expect(notify_cancel(-1) == NOTIFY_STATUS_INVALID_TOKEN)
        #expect(notify_suspend(-1) == NOTIFY_STATUS_INVALID_TOKEN)
        #expect(notify_resume(-1) == NOTIFY_STATUS_INVALID_TOKEN)
        #expect(!notify_is_valid_token(-1))
    }
}

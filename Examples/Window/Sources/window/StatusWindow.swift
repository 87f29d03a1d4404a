// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CGTK
import SwitchyardCore
import SwitchyardGLib

/// A window with a label that shows the worker's last step.
@MainActor final class StatusWindow {
    private let label: UnsafeMutablePointer<GtkWidget>
    /// Whether the window closes when it has shown the last step.
    private let closesAtEnd: Bool
    private var token: ObservationToken?

    init(_ application: UnsafeMutablePointer<GtkApplication>, closesAtEnd: Bool) {
        guard let label = example_show_window(application, "Switchyard") else {
            fatalError("GTK made no window")
        }
        self.label = label
        self.closesAtEnd = closesAtEnd
    }

    /// Shows each step that is posted on `center`, on whatever thread that is.
    func observe(_ center: MessageCenter) {
        token = center.observe(StepDone.self, on: .glibMain) { [weak self] step in
            // GTK's loop runs on the main thread, so the main actor's state may be used here.
            MainActor.assumeIsolated { self?.show(step) }
        }
    }

    private func show(_ step: StepDone) {
        example_label_set_text(label, "Step \(step.number) of \(step.count)")
        if step.isLast, closesAtEnd { closeWhenPainted() }
    }

    private func closeWhenPainted() {
        // The program keeps this object until the loop has ended.
        let window = Unmanaged.passUnretained(self).toOpaque()
        example_when_painted(
            label,
            { _, window in
                guard let window else { return }
                let address = UInt(bitPattern: window)
                MainActor.assumeIsolated { StatusWindow.at(address).close() }
            }, window)
    }

    private static func at(_ address: UInt) -> StatusWindow {
        guard let pointer = UnsafeRawPointer(bitPattern: address) else { fatalError("no window") }
        return Unmanaged<StatusWindow>.fromOpaque(pointer).takeUnretainedValue()
    }

    private func close() {
        guard let token else { return }
        token.cancel()
        self.token = nil
        print("the window shows: \(String(cString: example_label_text(label)))")
        example_close_window(label)
    }
}

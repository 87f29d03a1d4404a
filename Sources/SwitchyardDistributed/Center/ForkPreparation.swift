// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// Makes the locks that are held across forks before a center can be used. A thread that made one
/// while another forks would leave it half made in the child, which would wait for it for ever.
enum ForkPreparation {
    static let isDone: Void = {
        TypeName.prepareForForks()
        DistributedTypeName.prepareForForks()
        ReceivedMessage.prepareForForks()
        AddressWatch.prepareForForks()
    }()
}

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The declarations of this module's C functions: code that imports the module calls them.
#if !canImport(Darwin)
@_exported public import CSwitchyardCoreFoundation
#endif

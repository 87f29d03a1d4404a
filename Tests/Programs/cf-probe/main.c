// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.
#include <CSwitchyardCoreFoundation.h>
int main(void) { return CFNotificationCenterGetTypeID() == 0; }

// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The functions that the product SwitchyardCoreFoundation defines, for C and for Swift.
#ifndef CSWITCHYARD_CORE_FOUNDATION_H
#define CSWITCHYARD_CORE_FOUNDATION_H

#include "notify.h"
#include "switchyard_cf_notification_center.h"
#include "switchyard_notify_system.h"
#include "switchyard_notify_record.h"

#endif

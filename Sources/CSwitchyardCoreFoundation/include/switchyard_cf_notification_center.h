// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Notification centers for C. CoreFoundation's own header declares all functions but one on Linux, where
// no other library defines them. Without that header in the include path, this one declares them all,
// with the few types that they need.
#ifndef SWITCHYARD_CF_NOTIFICATION_CENTER_H
#define SWITCHYARD_CF_NOTIFICATION_CENTER_H

#if __has_include(<CoreFoundation/CoreFoundation.h>)
#include <CoreFoundation/CoreFoundation.h>
#else
typedef unsigned char Boolean;
typedef signed long CFIndex;
typedef unsigned long CFTypeID;
typedef unsigned long CFOptionFlags;
typedef const struct __CFString *CFStringRef;
typedef const struct __CFDictionary *CFDictionaryRef;
typedef CFStringRef CFNotificationName;
typedef struct __CFNotificationCenter *CFNotificationCenterRef;

typedef void (*CFNotificationCallback)(
    CFNotificationCenterRef center, void *observer, CFNotificationName name, const void *object,
    CFDictionaryRef userInfo);

typedef CFIndex CFNotificationSuspensionBehavior;
enum {
    CFNotificationSuspensionBehaviorDrop = 1,
    CFNotificationSuspensionBehaviorCoalesce = 2,
    CFNotificationSuspensionBehaviorHold = 3,
    CFNotificationSuspensionBehaviorDeliverImmediately = 4
};

enum {
    kCFNotificationDeliverImmediately = 1UL << 0,
    kCFNotificationPostToAllSessions = 1UL << 1
};
#endif

#if defined(__cplusplus)
extern "C" {
#endif

#if !__has_include(<CoreFoundation/CoreFoundation.h>)
CFTypeID CFNotificationCenterGetTypeID(void);
CFNotificationCenterRef CFNotificationCenterGetLocalCenter(void);
CFNotificationCenterRef CFNotificationCenterGetDarwinNotifyCenter(void);
void CFNotificationCenterAddObserver(
    CFNotificationCenterRef center, const void *observer, CFNotificationCallback callBack,
    CFStringRef name, const void *object, CFNotificationSuspensionBehavior suspensionBehavior);
void CFNotificationCenterRemoveObserver(
    CFNotificationCenterRef center, const void *observer, CFNotificationName name,
    const void *object);
void CFNotificationCenterRemoveEveryObserver(
    CFNotificationCenterRef center, const void *observer);
void CFNotificationCenterPostNotification(
    CFNotificationCenterRef center, CFNotificationName name, const void *object,
    CFDictionaryRef userInfo, Boolean deliverImmediately);
void CFNotificationCenterPostNotificationWithOptions(
    CFNotificationCenterRef center, CFNotificationName name, const void *object,
    CFDictionaryRef userInfo, CFOptionFlags options);
#endif

#if !defined(__APPLE__)
// Swift sees a center, not a reference that the caller counts.
#if defined(CF_IMPLICIT_BRIDGING_ENABLED)
CF_IMPLICIT_BRIDGING_ENABLED
#endif
/// Returns the center that reaches all processes of the user, the same one each time. The caller does not
/// release it. CoreFoundation's header declares this function for macOS and Windows alone.
CFNotificationCenterRef CFNotificationCenterGetDistributedCenter(void);
#if defined(CF_IMPLICIT_BRIDGING_DISABLED)
CF_IMPLICIT_BRIDGING_DISABLED
#endif
#endif

#if defined(__cplusplus)
}
#endif

#endif

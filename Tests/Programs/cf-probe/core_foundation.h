// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// CoreFoundation for the probe: its headers, or the declarations that the probe uses where the compiler finds
// no headers.
#ifndef CORE_FOUNDATION_H
#define CORE_FOUNDATION_H

#if __has_include(<CoreFoundation/CoreFoundation.h>)
#include <CoreFoundation/CoreFoundation.h>
#else
#include <CSwitchyardCoreFoundation.h>

typedef const void *CFTypeRef;
typedef const struct __CFAllocator *CFAllocatorRef;
typedef uint32_t CFStringEncoding;
// Their members don't matter here.
typedef struct CFDictionaryKeyCallBacks CFDictionaryKeyCallBacks;
typedef struct CFDictionaryValueCallBacks CFDictionaryValueCallBacks;
extern const CFDictionaryKeyCallBacks kCFTypeDictionaryKeyCallBacks;
extern const CFDictionaryValueCallBacks kCFTypeDictionaryValueCallBacks;
enum { kCFStringEncodingUTF8 = 0x08000100 };

CFTypeRef CFRetain(CFTypeRef object);
void CFRelease(CFTypeRef object);
CFTypeID CFGetTypeID(CFTypeRef object);
void CFRunLoopRun(void);
CFStringRef CFStringCreateWithCString(
    CFAllocatorRef allocator, const char *text, CFStringEncoding encoding);
Boolean CFStringGetCString(
    CFStringRef string, char *buffer, CFIndex size, CFStringEncoding encoding);
CFDictionaryRef CFDictionaryCreate(
    CFAllocatorRef allocator, const void **keys, const void **values, CFIndex count,
    const CFDictionaryKeyCallBacks *keyCallBacks, const CFDictionaryValueCallBacks *valueCallBacks);
const void *CFDictionaryGetValue(CFDictionaryRef dictionary, const void *key);
#endif

#endif

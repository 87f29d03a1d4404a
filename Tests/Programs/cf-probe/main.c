// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// A program in C that uses the notification centers and notify.h. It reads commands, one in each line,
// and writes what they give and what its observers hear. The main thread runs the main run loop.

#include "core_foundation.h"
#include <CSwitchyardCoreFoundation.h>

#include <arpa/inet.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { longest = 1024 };

static pthread_t main_thread;

static void say(const char *line) {
    // One call writes the line: handlers write on other threads.
    printf("%s\n", line);
    fflush(stdout);
}

static CFStringRef make_string(const char *text) {
    return text ? CFStringCreateWithCString(NULL, text, kCFStringEncodingUTF8) : NULL;
}

static const char *text_of(CFStringRef string, char *buffer) {
    if (!string) return "-";
    return CFStringGetCString(string, buffer, longest, kCFStringEncodingUTF8) ? buffer : "?";
}

static void release(CFTypeRef object) {
    if (object) CFRelease(object);
}

// MARK: - Centers

static CFNotificationCenterRef center_named(const char *name) {
    if (strcmp(name, "local") == 0) return CFNotificationCenterGetLocalCenter();
    if (strcmp(name, "distributed") == 0) return CFNotificationCenterGetDistributedCenter();
    return CFNotificationCenterGetDarwinNotifyCenter();
}

/// Says which center, name, object and value an observer hears, and on which thread. The object of the
/// local center is a pointer to an int here, nothing that CoreFoundation knows.
static void hear(
    CFNotificationCenterRef center, void *observer, CFNotificationName name, const void *object,
    CFDictionaryRef info) {
    char name_text[longest], object_text[longest], value_text[longest], line[4 * longest];
    CFStringRef key = make_string("value");
    const void *value = info ? CFDictionaryGetValue(info, key) : NULL;
    bool is_local = center == CFNotificationCenterGetLocalCenter();
    if (is_local && object) snprintf(object_text, longest, "%d", *(const int *)object);
    snprintf(
        line, sizeof line, "%s heard %s %s %s %s", (const char *)observer,
        text_of(name, name_text),
        is_local && object ? object_text : text_of(object, object_text),
        text_of(value, value_text),
        pthread_equal(pthread_self(), main_thread) ? "main" : "elsewhere");
    CFRelease(key);
    say(line);
}

static void post(const char *center, const char *name, const void *object, const char *value) {
    CFStringRef key = make_string("value"), name_string = make_string(name);
    CFStringRef value_string = make_string(value);
    CFDictionaryRef info = value
        ? CFDictionaryCreate(
              NULL, (const void **)&key, (const void **)&value_string, 1,
              &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks)
        : NULL;
    CFNotificationCenterPostNotification(center_named(center), name_string, object, info, false);
    release(info);
    release(value_string);
    CFRelease(name_string);
    CFRelease(key);
}

/// Tries the local center, which needs no other process.
static void try_local(void) {
    static char observer[] = "local";
    int one = 1, two = 2;
    CFNotificationCenterRef center = CFNotificationCenterGetLocalCenter();
    CFStringRef name = make_string("added");
    CFNotificationCenterAddObserver(
        center, observer, hear, name, &one, CFNotificationSuspensionBehaviorDrop);
    CFNotificationCenterAddObserver(
        center, observer, hear, NULL, NULL, CFNotificationSuspensionBehaviorDrop);
    post("local", "added", &two, "first");
    post("local", "added", &one, "second");
    CFNotificationCenterRemoveObserver(center, observer, name, &one);
    CFNotificationCenterPostNotificationWithOptions(
        center, name, NULL, NULL, kCFNotificationDeliverImmediately);
    CFNotificationCenterRemoveEveryObserver(center, observer);
    post("local", "added", &one, "nobody");
    CFRelease(name);
    CFRelease(CFRetain(center));
    say(CFGetTypeID(center) == CFNotificationCenterGetTypeID() ? "local ends" : "no center");
}

static void add_observer(const char *center, const char *name, const char *object) {
    // The object is never released: the observer gets it with the notification.
    char *observer = strdup(center);
    CFStringRef name_string = make_string(name), object_string = make_string(object);
    CFNotificationCenterAddObserver(
        center_named(center), observer, hear, name_string, object_string,
        CFNotificationSuspensionBehaviorDeliverImmediately);
    release(object_string);
    release(name_string);
}

static void observe(const char *center, const char *name, const char *object) {
    add_observer(center, name, object);
    say("observing");
}

// MARK: - notify.h

static atomic_int signals;
static int descriptor = -1;

static void note_signal(int number) { signals += number == SIGUSR1; }

static void *read_tokens(void *unused) {
    uint32_t token;
    while (read(descriptor, &token, sizeof token) == sizeof token) {
        char line[longest];
        snprintf(line, sizeof line, "descriptor heard %d", (int)ntohl(token));
        say(line);
    }
    return unused;
}

#if !__has_include(<dispatch/dispatch.h>)
dispatch_queue_t dispatch_get_global_queue(intptr_t priority, uintptr_t flags);
#endif

static void registration(const char *kind, const char *name) {
    int token = NOTIFY_TOKEN_INVALID;
    uint32_t status;
    if (strcmp(kind, "signal") == 0) {
        signal(SIGUSR1, note_signal);
        status = notify_register_signal(name, SIGUSR1, &token);
    } else if (strcmp(kind, "descriptor") == 0) {
        bool is_first = descriptor < 0;
        status = notify_register_file_descriptor(
            name, &descriptor, is_first ? 0 : NOTIFY_REUSE, &token);
        pthread_t reader;
        if (is_first && status == NOTIFY_STATUS_OK) {
            pthread_create(&reader, NULL, read_tokens, NULL);
            pthread_detach(reader);
        }
    } else if (strcmp(kind, "dispatch") == 0) {
        status = notify_register_dispatch(
            name, &token, dispatch_get_global_queue(0, 0), ^(int heard) {
                char line[longest];
                snprintf(line, sizeof line, "handler heard %d", heard);
                say(line);
            });
    } else {
        status = notify_register_check(name, &token);
    }
    char line[longest];
    snprintf(line, sizeof line, "registered %" PRIu32 " %d", status, token);
    say(line);
}

static void ask(const char *what, int token, const char *value) {
    uint64_t state = value ? strtoull(value, NULL, 0) : 0;
    int check = -1;
    uint32_t status = NOTIFY_STATUS_FAILED;
    if (strcmp(what, "check") == 0) status = notify_check(token, &check);
    if (strcmp(what, "state") == 0) status = notify_get_state(token, &state);
    if (strcmp(what, "set") == 0) status = notify_set_state(token, state);
    if (strcmp(what, "suspend") == 0) status = notify_suspend(token);
    if (strcmp(what, "resume") == 0) status = notify_resume(token);
    if (strcmp(what, "cancel") == 0) status = notify_cancel(token);
    char line[longest];
    snprintf(line, sizeof line, "%s %" PRIu32 " %d %" PRIu64, what, status, check, state);
    say(line);
}

/// Tries registrations in a forked child: the parent's can be asked, and new ones deliver.
static void try_fork(int token, const char *name) {
    pid_t child = fork();
    if (child == 0) {
        int check = 0, end = -1, own = NOTIFY_TOKEN_INVALID;
        uint32_t heard = 0;
        uint64_t state = 0;
        notify_check(token, &check);
        notify_get_state(token, &state);
        uint32_t status = notify_register_file_descriptor(name, &end, 0, &own);
        notify_post(name);
        bool is_heard =
            read(end, &heard, sizeof heard) == sizeof heard && (int)ntohl(heard) == own;
        char line[longest];
        snprintf(
            line, sizeof line, "child %" PRIu32 " %d %" PRIu64 " %s", status, check, state,
            is_heard ? "heard" : "heard nothing");
        say(line);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    say("forked");
}

/// Leaves a child that goes on with its parent's registration as long as the parent runs.
static void hold_in_child(int token) {
    int ends[2];
    if (pipe(ends) != 0) return say("no pipe");
    if (fork() == 0) {
        uint64_t state = 0;
        char unused, line[longest];
        close(ends[1]);
        uint32_t status = notify_get_state(token, &state);
        snprintf(line, sizeof line, "holding %" PRIu32 " %" PRIu64, status, state);
        say(line);
        // The read returns when the parent has ended: no other process can write.
        while (read(ends[0], &unused, 1) > 0) {}
        _exit(0);
    }
    close(ends[0]);
}

// MARK: - Commands

static void run(char *words[4]) {
    if (strcmp(words[0], "local") == 0) return try_local();
    if (strcmp(words[0], "observe") == 0) return observe(words[1], words[2], words[3]);
    if (strcmp(words[0], "post") == 0) {
        CFStringRef object = make_string("object");
        post(words[1], words[2], object, words[3]);
        CFRelease(object);
        return say("posted");
    }
    if (strcmp(words[0], "notify") == 0) {
        return say(notify_post(words[1]) == NOTIFY_STATUS_OK ? "notified" : "refused");
    }
    if (strcmp(words[0], "register") == 0) return registration(words[1], words[2]);
    if (strcmp(words[0], "fork") == 0) return try_fork(atoi(words[1]), words[2]);
    if (strcmp(words[0], "hold") == 0) return hold_in_child(atoi(words[1]));
    if (strcmp(words[0], "signals") == 0) return say(signals ? "signals yes" : "signals no");
    ask(words[0], words[1] ? atoi(words[1]) : 0, words[2]);
}

static void *read_commands(void *unused) {
    char line[4 * longest];
    while (fgets(line, sizeof line, stdin)) {
        char *words[4] = {0}, *rest = NULL;
        char *word = strtok_r(line, " \n", &rest);
        for (int i = 0; word && i < 4; i++, word = strtok_r(NULL, " \n", &rest)) words[i] = word;
        if (words[0]) run(words);
    }
    exit(0);
    return unused;
}

int main(void) {
    main_thread = pthread_self();
    // The thread that started this program may have blocked signals.
    sigset_t signals_to_take;
    sigemptyset(&signals_to_take);
    sigaddset(&signals_to_take, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &signals_to_take, NULL);
    // The main run loop has nothing to run for without an observer. This one prints nothing: a test would
    // take a line for the answer to its own command.
    add_observer("darwin", "self.runs", NULL);
    pthread_t reader;
    pthread_create(&reader, NULL, read_commands, NULL);
    CFRunLoopRun();
    say("the run loop has ended");
    return 1;
}

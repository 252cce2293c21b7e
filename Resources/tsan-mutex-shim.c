/*
 * Lets the thread sanitizer see how a contended Mutex of Swift is handed over on Linux: the kernel does that, from inside
 * libswiftSynchronization, which is not instrumented. Without this every lock that two threads wanted at once is
 * reported as a race on what it guards. Preloaded by sanitize.sh; both functions do what they stand for and tell it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *lock

/* Synchronization._MutexHandle._lockSlow(UInt32) and ._unlockSlow() */
#define WAIT "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define WAKE "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

/* Only there in programs that were built with the sanitizer; others inherit the preloading. */
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

SWIFT void wait_for(uint32_t thread, SELF) __asm__(WAIT);
SWIFT void wake_next(SELF) __asm__(WAKE);

SWIFT void wait_for(uint32_t thread, SELF) {
    ((SWIFT void (*)(uint32_t, SELF))dlsym(RTLD_NEXT, WAIT))(thread, lock);
    if (__tsan_acquire) __tsan_acquire(lock);
}

SWIFT void wake_next(SELF) {
    if (__tsan_release) __tsan_release(lock);
    ((SWIFT void (*)(SELF))dlsym(RTLD_NEXT, WAKE))(lock);
}

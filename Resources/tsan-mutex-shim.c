/*
 * Reports to the thread sanitizer how a contended Swift Mutex passes from one thread to the next on Linux. The kernel
 * does this from inside libswiftSynchronization, which is not instrumented, so that without this shim every contended
 * lock is reported as a race on the data it protects. Preloaded by sanitize.sh; both functions call the original.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *lock

/* Synchronization._MutexHandle._lockSlow(UInt32) and ._unlockSlow() */
#define WAIT "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define WAKE "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

/* Defined only in programs built with the sanitizer; child processes without it inherit the preload. */
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

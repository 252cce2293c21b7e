#define _GNU_SOURCE
#include "CTerminal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
enum { crash_count = sizeof crashes / sizeof crashes[0] };
static struct sigaction before[crash_count];

static volatile sig_atomic_t is_armed = 0;
static int terminal = -1;
static struct termios mode;
static unsigned char text[512];
static size_t text_length = 0;
// A separate signal stack, because the crash may be a stack overflow.
static unsigned char stack[64 * 1024];

void ct_restore(void) {
    if (!is_armed) return;
    is_armed = 0;
    int error = errno;
    size_t done = 0;
    while (done < text_length) {
        ssize_t count = write(terminal, text + done, text_length - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        done += (size_t)count;
    }
    tcsetattr(terminal, TCSANOW, &mode);
    errno = error;
}

static void crashed(int number, siginfo_t *info, void *context) {
    (void)context;
    ct_restore();
    for (int i = 0; i < crash_count; i++)
        if (crashes[i] == number) sigaction(number, &before[i], NULL);
    // Returning executes the faulting instruction again, now under the previous handler. A signal that a process sent,
    // or SIGTRAP, must be raised again.
    if (info->si_code <= 0 || number == SIGTRAP) raise(number);
}

int ct_guard(int fd) {
    if (tcgetattr(fd, &mode) != 0) return -1;
    terminal = fd;
    text_length = 0;
    stack_t alternate;
    if (sigaltstack(NULL, &alternate) == 0 && (alternate.ss_flags & SS_DISABLE)) {
        alternate.ss_sp = stack;
        alternate.ss_size = sizeof stack;
        alternate.ss_flags = 0;
        sigaltstack(&alternate, NULL);
    }
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = crashed;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < crash_count; i++) sigaction(crashes[i], &action, &before[i]);
    static int is_registered = 0;
    if (!is_registered) is_registered = atexit(ct_restore) == 0;
    is_armed = 1;
    return 0;
}

void ct_guard_text(const unsigned char *bytes, size_t length) {
    text_length = length < sizeof text ? length : sizeof text;
    memcpy(text, bytes, text_length);
}

void ct_unguard(void) {
    if (terminal < 0) return;
    is_armed = 0;
    terminal = -1;
    for (int i = 0; i < crash_count; i++) sigaction(crashes[i], &before[i], NULL);
}

/* Makes the disk fail, for tests: load it into a program with LD_PRELOAD.
 *
 * It counts the operations that change files below one folder, in all threads and processes that share a control file,
 * and fails the one whose number the control file names. It can also keep a second copy of the files: what the disk
 * would hold after a power failure, that is, only what was synced. As on Linux, a failed sync leaves the new bytes in
 * the cache and marks them as written, so that later syncs of them succeed without writing anything.
 *
 *   DISK_FAULTS          the control file, see struct control; it must exist
 *   DISK_FAULTS_FOLDER   the folder, as an absolute path
 *   DISK_FAULTS_ONLY     a name and the end of a path, such as "fdatasync -wal": only these operations count (optional)
 *   DISK_FAULTS_LOG      gets a line for each failed operation (optional)
 *   DISK_FAULTS_TRACE    set: the log gets a line for every operation
 *   DISK_FAULTS_DISK     a folder for the second copy (optional): `files`, and in `pages` one byte for each page
 *
 * Programs call these functions by name or by a pointer that the linker found by name, as SQLite does; writes inside
 * libc (stdio) are not seen. A page that was written in such a way is copied by the next sync.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* All members are 64-bit integers in the machine's byte order. */
struct control {
    _Atomic uint64_t at;      /* the number of the operation to fail, from 1; 0: none */
    _Atomic uint64_t action;  /* see enum action */
    _Atomic uint64_t error;   /* the errno of the failure */
    _Atomic uint64_t count;   /* the operations so far */
    _Atomic uint64_t failed;  /* the failures so far */
    _Atomic uint64_t is_down; /* whether operations fail until the test sets it to 0 */
};

enum action {
    FAIL_ONCE = 0,
    /* The operation and all later ones fail; if the error is ENOSPC, only those that need space. */
    FAIL_ON = 1,
    /* A write stores half of its bytes. */
    SHORT_ONCE = 2,
    /* A write stores half of its bytes, and all later ones fail. */
    SHORT_THEN_FAIL = 3,
};

enum operation { WRITE, SYNC, RESIZE, CREATE, RENAME };

static struct control *control;
static char folder[PATH_MAX];
static size_t folder_length;
static const char *disk;
static char only_name[32], only_end[64];
static int log_file = -1;
static int disk_lock = -1;
static int traces;
static pthread_mutex_t disk_mutex = PTHREAD_MUTEX_INITIALIZER;

enum { PAGE = 4096 };
/* The states of a page; the initial one means that its bytes were not seen being written. */
enum { UNSEEN = 0, DIRTY = 1, CLEAN = 2, LOST = 3 };

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("DISK_FAULTS"), *place = getenv("DISK_FAULTS_FOLDER");
    if (!path || !place || strlen(place) >= sizeof folder) return;
    int file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void *shared = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    syscall(SYS_close, file);
    if (shared == MAP_FAILED) return;
    strcpy(folder, place);
    folder_length = strlen(folder);
    const char *log = getenv("DISK_FAULTS_LOG");
    if (log) log_file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    traces = getenv("DISK_FAULTS_TRACE") != NULL;
    const char *only = getenv("DISK_FAULTS_ONLY");
    if (only) sscanf(only, "%31s %63s", only_name, only_end);
    disk = getenv("DISK_FAULTS_DISK");
    if (disk) {
        char lock[PATH_MAX];
        snprintf(lock, sizeof lock, "%s/lock", disk);
        disk_lock = syscall(SYS_openat, AT_FDCWD, lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    }
    control = shared;
}

/* A path by the descriptor of a folder (/proc/PID/fd/N/NAME) as an ordinary one; all others as they are. The result is
 * overwritten by the fourth call after this one in the same thread. */
static const char *plain(const char *path) {
    static _Thread_local char buffers[4][PATH_MAX];
    static _Thread_local unsigned next;
    char link[64];
    int used = 0;
    if (!path || sscanf(path, "/proc/%*d/fd/%*d%n", &used) < 0 || used <= 0 || used >= (int)sizeof link) return path;
    memcpy(link, path, (size_t)used);
    link[used] = 0;
    char *buffer = buffers[next++ % 4];
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, buffer, PATH_MAX - 1);
    if (length < 0 || (size_t)length + strlen(path + used) >= PATH_MAX) return path;
    strcpy(buffer + length, path + used);
    return buffer;
}

/* The path below the folder, which may be empty; NULL: elsewhere. */
static const char *inside(const char *path) {
    if (!control || !path) return NULL;
    path = plain(path);
    if (strncmp(path, folder, folder_length) != 0) return NULL;
    if (path[folder_length] == 0) return path + folder_length;
    return path[folder_length] == '/' ? path + folder_length + 1 : NULL;
}

/* The same of an open file, whose path goes to the buffer; NULL also if it was deleted. */
static const char *inside_file(int file, char buffer[PATH_MAX]) {
    if (!control) return NULL;
    struct stat status;
    if (fstat(file, &status) != 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) || status.st_nlink == 0)
        return NULL;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, buffer, PATH_MAX - 1);
    if (length < 0) return NULL;
    buffer[length] = 0;
    return inside(buffer);
}

static void note(uint64_t number, const char *name, const char *path, const char *what) {
    if (log_file < 0) return;
    char line[PATH_MAX + 128];
    int length = snprintf(line, sizeof line, "%lu %s %s %s\n", (unsigned long)number, name, path, what);
    if (length > 0) (void)!syscall(SYS_write, log_file, line, (size_t)length);
}

enum verdict { GO, HALF, FAIL };

static int counts(const char *name, const char *path) {
    size_t length = strlen(path), end = strlen(only_end);
    if (*only_name && strcmp(name, only_name) != 0) return 0;
    return length >= end && strcmp(path + length - end, only_end) == 0;
}

/* Counts an operation and decides on it; on FAIL, errno is set. */
static enum verdict decide(enum operation operation, const char *name, const char *path) {
    if (!counts(name, path)) return GO;
    uint64_t number = atomic_fetch_add(&control->count, 1) + 1;
    uint64_t action = atomic_load(&control->action), error = atomic_load(&control->error);
    int is_meant = number == atomic_load(&control->at);
    if (is_meant && (action == SHORT_ONCE || action == SHORT_THEN_FAIL) && operation == WRITE) {
        atomic_fetch_add(&control->failed, 1);
        if (action == SHORT_THEN_FAIL) atomic_store(&control->is_down, 1);
        note(number, name, path, "short");
        return HALF;
    }
    int needs_space = operation == WRITE || operation == RESIZE || operation == CREATE;
    int is_down = atomic_load(&control->is_down) && (error != ENOSPC || needs_space);
    if ((is_meant && action != SHORT_ONCE) || is_down) {
        if (is_meant && action != FAIL_ONCE) atomic_store(&control->is_down, 1);
        atomic_fetch_add(&control->failed, 1);
        note(number, name, path, strerrorname_np((int)error));
        errno = (int)error;
        return FAIL;
    }
    if (traces) note(number, name, path, "done");
    return GO;
}

/* ---- The second copy ---- */

static void lock_disk(void) {
    pthread_mutex_lock(&disk_mutex);
    flock(disk_lock, LOCK_EX);
}

static void unlock_disk(void) {
    flock(disk_lock, LOCK_UN);
    pthread_mutex_unlock(&disk_mutex);
}

static void place(char buffer[PATH_MAX], const char *kind, const char *path) {
    snprintf(buffer, PATH_MAX, "%s/%s/%s", disk, kind, path);
}

/* Opens a file of the second copy, creating it and its folders. */
static int open_copy(const char *kind, const char *path) {
    char name[PATH_MAX];
    place(name, kind, path);
    for (char *slash = name + strlen(disk) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        syscall(SYS_mkdirat, AT_FDCWD, name, 0700);
        *slash = '/';
    }
    return syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

/* Most operations are on the file of the last one, whose page states stay open until names change. */
static char last_path[PATH_MAX];
static int last_pages = -1;

static int open_pages(const char *path) {
    if (last_pages >= 0 && strcmp(path, last_path) == 0) return last_pages;
    if (last_pages >= 0) syscall(SYS_close, last_pages);
    strcpy(last_path, path);
    return last_pages = open_copy("pages", path);
}

static void forget_pages(void) {
    if (last_pages >= 0) syscall(SYS_close, last_pages);
    last_pages = -1;
}

static void mark(int pages, uint64_t first, uint64_t end, char state) {
    for (uint64_t page = first; page < end; page++) (void)!syscall(SYS_pwrite64, pages, &state, 1, page);
}

static void wrote(const char *path, off_t offset, ssize_t count) {
    if (!disk || count <= 0 || offset < 0) return;
    int kept = errno;
    lock_disk();
    int pages = open_pages(path);
    if (pages >= 0) mark(pages, offset / PAGE, (offset + count + PAGE - 1) / PAGE, DIRTY);
    unlock_disk();
    errno = kept;
}

static char state_of(int pages, uint64_t page) {
    char state = UNSEEN;
    return syscall(SYS_pread64, pages, &state, 1, page) == 1 ? state : UNSEEN;
}

static void synced(int file, const char *path, int is_done) {
    struct stat status;
    if (!disk || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return;
    int kept = errno;
    lock_disk();
    int pages = open_pages(path), copy = is_done ? open_copy("files", path) : -1;
    char link[64], bytes[PAGE];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    /* Closing another descriptor would end the locks that SQLite has on the file, so only if this one cannot read. */
    int is_readable = (fcntl(file, F_GETFL) & O_ACCMODE) != O_WRONLY;
    int source = is_readable ? file : (int)syscall(SYS_openat, AT_FDCWD, link, O_RDONLY | O_CLOEXEC);
    uint64_t count = (status.st_size + PAGE - 1) / PAGE;
    for (uint64_t page = 0; pages >= 0 && page < count; page++) {
        char state = state_of(pages, page);
        if (state == CLEAN || state == LOST) continue;
        if (is_done && source >= 0) {
            ssize_t length = syscall(SYS_pread64, source, bytes, PAGE, page * PAGE);
            if (length > 0) (void)!syscall(SYS_pwrite64, copy, bytes, length, page * PAGE);
        }
        mark(pages, page, page + 1, is_done ? CLEAN : LOST);
    }
    /* Pages that a truncation removed. */
    if (pages >= 0) syscall(SYS_ftruncate, pages, count);
    if (copy >= 0) {
        syscall(SYS_ftruncate, copy, status.st_size);
        syscall(SYS_close, copy);
    }
    if (source >= 0 && source != file) syscall(SYS_close, source);
    unlock_disk();
    errno = kept;
}

static void resized(const char *path, off_t size) {
    if (!disk) return;
    int kept = errno;
    lock_disk();
    int pages = open_pages(path);
    if (pages >= 0) {
        struct stat status;
        uint64_t count = (size + PAGE - 1) / PAGE;
        if (fstat(pages, &status) == 0 && (uint64_t)status.st_size > count) syscall(SYS_ftruncate, pages, count);
        if (size % PAGE) mark(pages, count - 1, count, DIRTY);
    }
    unlock_disk();
    errno = kept;
}

/* Names change on the disk at once, as far as it has the files. */
static void renamed(const char *old, const char *new, unsigned flags) {
    if (!disk) return;
    int kept = errno;
    lock_disk();
    forget_pages();
    for (int kind = 0; kind < 2; kind++) {
        const char *kinds[] = {"files", "pages"};
        char from[2 * PATH_MAX], to[PATH_MAX];
        /* A file that was never synced is empty after a power failure. */
        struct stat status;
        snprintf(from, sizeof from, "%s/%s", folder, new);
        if (syscall(SYS_newfstatat, AT_FDCWD, from, &status, 0) == 0 && S_ISREG(status.st_mode)) {
            syscall(SYS_close, open_copy(kinds[kind], old));
            syscall(SYS_close, open_copy(kinds[kind], new));
        }
        place(from, kinds[kind], old);
        place(to, kinds[kind], new);
        syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
    }
    unlock_disk();
    errno = kept;
}

static void removed(const char *path, int flags) {
    if (!disk) return;
    int kept = errno;
    lock_disk();
    forget_pages();
    char name[PATH_MAX];
    place(name, "files", path);
    syscall(SYS_unlinkat, AT_FDCWD, name, flags);
    place(name, "pages", path);
    syscall(SYS_unlinkat, AT_FDCWD, name, flags);
    unlock_disk();
    errno = kept;
}

/* ---- Writing ---- */

static ssize_t write_at(const char *name, int file, const void *bytes, size_t count, off_t offset, int has_offset) {
    char buffer[PATH_MAX];
    const char *path = inside_file(file, buffer);
    if (path) {
        switch (decide(WRITE, name, path)) {
        case FAIL: return -1;
        case HALF: count = count > 1 ? count / 2 : count; break;
        case GO: break;
        }
    }
    ssize_t done = has_offset ? syscall(SYS_pwrite64, file, bytes, count, offset) : syscall(SYS_write, file, bytes, count);
    if (path && done > 0) wrote(path, has_offset ? offset : syscall(SYS_lseek, file, 0, SEEK_CUR) - done, done);
    return done;
}

ssize_t write(int file, const void *bytes, size_t count) { return write_at("write", file, bytes, count, 0, 0); }

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    return write_at("pwrite", file, bytes, count, offset, 1);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    return write_at("pwrite", file, bytes, count, offset, 1);
}

static ssize_t write_pieces(const char *name, int file, const struct iovec *pieces, int number, off_t offset, int has_offset) {
    char buffer[PATH_MAX];
    const char *path = inside_file(file, buffer);
    struct iovec half;
    if (path) {
        switch (decide(WRITE, name, path)) {
        case FAIL: return -1;
        case HALF:
            if (number > 0 && pieces[0].iov_len > 1) {
                half = (struct iovec){pieces[0].iov_base, pieces[0].iov_len / 2};
                pieces = &half;
                number = 1;
            }
            break;
        case GO: break;
        }
    }
    ssize_t done = has_offset ? syscall(SYS_pwritev, file, pieces, number, (unsigned long)offset, 0ul)
                              : syscall(SYS_writev, file, pieces, number);
    if (path && done > 0) wrote(path, has_offset ? offset : syscall(SYS_lseek, file, 0, SEEK_CUR) - done, done);
    return done;
}

ssize_t writev(int file, const struct iovec *pieces, int number) {
    return write_pieces("writev", file, pieces, number, 0, 0);
}

ssize_t pwritev(int file, const struct iovec *pieces, int number, off_t offset) {
    return write_pieces("pwritev", file, pieces, number, offset, 1);
}

ssize_t pwritev64(int file, const struct iovec *pieces, int number, off64_t offset) {
    return write_pieces("pwritev", file, pieces, number, offset, 1);
}

ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t count, unsigned flags) {
    char buffer[PATH_MAX];
    const char *path = inside_file(out, buffer);
    if (path && decide(WRITE, "copy_file_range", path) == FAIL) return -1;
    return syscall(SYS_copy_file_range, in, from, out, to, count, flags);
}

/* ---- Syncing ---- */

static int sync_file(const char *name, int file, long call) {
    char buffer[PATH_MAX];
    const char *path = inside_file(file, buffer);
    if (path && decide(SYNC, name, path) == FAIL) {
        synced(file, path, 0);
        return -1;
    }
    int result = syscall(call, file);
    if (path && result == 0) synced(file, path, 1);
    return result;
}

int fsync(int file) { return sync_file("fsync", file, SYS_fsync); }
int fdatasync(int file) { return sync_file("fdatasync", file, SYS_fdatasync); }

/* ---- Sizes ---- */

static int resize(const char *name, int file, off_t size) {
    char buffer[PATH_MAX];
    const char *path = inside_file(file, buffer);
    if (path && decide(RESIZE, name, path) == FAIL) return -1;
    int result = syscall(SYS_ftruncate, file, size);
    if (path && result == 0) resized(path, size);
    return result;
}

int ftruncate(int file, off_t size) { return resize("ftruncate", file, size); }
int ftruncate64(int file, off64_t size) { return resize("ftruncate", file, size); }

static int allocate(const char *name, int file, int mode, off_t offset, off_t count) {
    char buffer[PATH_MAX];
    const char *path = inside_file(file, buffer);
    if (path && decide(RESIZE, name, path) == FAIL) return -1;
    return syscall(SYS_fallocate, file, mode, offset, count);
}

int fallocate(int file, int mode, off_t offset, off_t count) { return allocate("fallocate", file, mode, offset, count); }
int fallocate64(int file, int mode, off64_t offset, off64_t count) {
    return allocate("fallocate", file, mode, offset, count);
}
int posix_fallocate(int file, off_t offset, off_t count) {
    return allocate("posix_fallocate", file, 0, offset, count) == 0 ? 0 : errno;
}
int posix_fallocate64(int file, off64_t offset, off64_t count) {
    return allocate("posix_fallocate", file, 0, offset, count) == 0 ? 0 : errno;
}

/* ---- Names ---- */

static int open_file(int at, const char *name, int flags, mode_t mode) {
    const char *path = flags & O_CREAT ? inside(name) : NULL;
    struct stat status;
    if (path && syscall(SYS_newfstatat, AT_FDCWD, name, &status, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT
        && decide(CREATE, "create", path) == FAIL)
        return -1;
    int file = syscall(SYS_openat, at, name, flags, mode);
    if (file >= 0 && flags & O_TRUNC && (path = inside(name))) resized(path, 0);
    return file;
}

#define MODE(flags, last) \
    mode_t mode = 0; \
    if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) { \
        va_list rest; \
        va_start(rest, last); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    }

int open(const char *name, int flags, ...) {
    MODE(flags, flags)
    return open_file(AT_FDCWD, name, flags, mode);
}
int open64(const char *name, int flags, ...) {
    MODE(flags, flags)
    return open_file(AT_FDCWD, name, flags, mode);
}
int openat(int at, const char *name, int flags, ...) {
    MODE(flags, flags)
    return open_file(at, name, flags, mode);
}
int openat64(int at, const char *name, int flags, ...) {
    MODE(flags, flags)
    return open_file(at, name, flags, mode);
}
int creat(const char *name, mode_t mode) { return open_file(AT_FDCWD, name, O_WRONLY | O_CREAT | O_TRUNC, mode); }
int creat64(const char *name, mode_t mode) { return open_file(AT_FDCWD, name, O_WRONLY | O_CREAT | O_TRUNC, mode); }

int mkdir(const char *name, mode_t mode) {
    const char *path = inside(name);
    struct stat status;
    if (path && syscall(SYS_newfstatat, AT_FDCWD, name, &status, 0) != 0 && decide(CREATE, "mkdir", path) == FAIL)
        return -1;
    return syscall(SYS_mkdirat, AT_FDCWD, name, mode);
}

static int rename_file(int from, const char *old, int to, const char *new, unsigned flags) {
    const char *path = inside(new), *before = inside(old);
    if (path && decide(RENAME, "rename", path) == FAIL) return -1;
    int result = syscall(SYS_renameat2, from, old, to, new, flags);
    if (result == 0 && path && before) renamed(before, path, flags);
    return result;
}

int rename(const char *old, const char *new) { return rename_file(AT_FDCWD, old, AT_FDCWD, new, 0); }
int renameat(int from, const char *old, int to, const char *new) { return rename_file(from, old, to, new, 0); }
int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
    return rename_file(from, old, to, new, flags);
}

static int remove_file(int at, const char *name, int flags) {
    const char *path = inside(name);
    int result = syscall(SYS_unlinkat, at, name, flags);
    if (result == 0 && path) removed(path, flags);
    return result;
}

int unlink(const char *name) { return remove_file(AT_FDCWD, name, 0); }
int rmdir(const char *name) { return remove_file(AT_FDCWD, name, AT_REMOVEDIR); }
int unlinkat(int at, const char *name, int flags) { return remove_file(at, name, flags); }

/* Lets something befall a process at its n-th change of files below a folder; loaded with LD_PRELOAD.

   Only a process that calls fault_arm() is touched, so that whoever starts it is safe. Each interposed call that would
   change something below the folder counts as one operation; at the n-th the chosen thing happens. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum action { NOTHING, SEND, TORN, FULL, FAIL_ONCE, READ_ONLY, GONE };

static char folder[PATH_MAX];
static long nth, counted;
static int what, with, broken;
static pid_t armed_in;

/* Arms this process: at the n-th operation below the folder (0: never, only count) the action happens.
   `argument` is a signal for SEND and TORN, an errno for FAIL_ONCE. */
void fault_arm(const char *path, long n, int action, int argument) {
    snprintf(folder, sizeof folder, "%s", path);
    nth = n, what = action, with = argument, counted = 0, broken = 0, armed_in = getpid();
}

long fault_count(void) { return counted; }

static int below(const char *path) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int path_below(const char *path) {
    char place[PATH_MAX * 2];
    if (path[0] == '/') return below(path);
    if (!getcwd(place, PATH_MAX)) return 0;
    strcat(place, "/");
    strncat(place, path, PATH_MAX - 1);
    return below(place);
}

static int descriptor_below(int descriptor) {
    char link[64], place[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, place, sizeof place - 1);
    if (length < 0) return 0;
    place[length] = 0;
    return below(place);
}

/* What befalls an operation: 0 to go on, else the errno to fail with; -1 to write half of it, then die. */
static int befalls(int takes_room) {
    if (armed_in != getpid()) return 0;
    if (broken == FULL && takes_room) return ENOSPC;
    if (broken == READ_ONLY) return EROFS;
    if (++counted != nth) return 0;
    switch (what) {
    case SEND: raise(with); return 0;
    case TORN: return -1;
    case FULL: broken = FULL; return takes_room ? ENOSPC : 0;
    case READ_ONLY: broken = READ_ONLY; return EROFS;
    case FAIL_ONCE: return with;
    case GONE: {
        char elsewhere[PATH_MAX + 8];
        snprintf(elsewhere, sizeof elsewhere, "%s.gone", folder);
        int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
        real(folder, elsewhere);
        return 0;
    }
    default: return 0;
    }
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define BEFALLEN(hit, room)                                  \
    int befallen = (hit) ? befalls(room) : 0;                \
    if (befallen == -1) raise(with);                         \
    if (befallen > 0) { errno = befallen; return -1; }
#define ARMED (armed_in == getpid())

#define WRITES(name, offset_type)                                                        \
    ssize_t name(int descriptor, const void *from, size_t size, offset_type offset) {    \
        REAL(name);                                                                      \
        int befallen = ARMED && descriptor_below(descriptor) ? befalls(1) : 0;           \
        if (befallen == -1) { real(descriptor, from, size / 2, offset); raise(with); }   \
        if (befallen > 0) { errno = befallen; return -1; }                               \
        return real(descriptor, from, size, offset);                                     \
    }
WRITES(pwrite, off_t)
WRITES(pwrite64, off64_t)

ssize_t write(int descriptor, const void *from, size_t size) {
    REAL(write);
    int befallen = ARMED && descriptor_below(descriptor) ? befalls(1) : 0;
    if (befallen == -1) { real(descriptor, from, size / 2); raise(with); }
    if (befallen > 0) { errno = befallen; return -1; }
    return real(descriptor, from, size);
}

ssize_t writev(int descriptor, const struct iovec *from, int count) {
    REAL(writev);
    BEFALLEN(ARMED && descriptor_below(descriptor), 1)
    return real(descriptor, from, count);
}

int fsync(int descriptor) {
    REAL(fsync);
    BEFALLEN(ARMED && descriptor_below(descriptor), 0)
    return real(descriptor);
}

int fdatasync(int descriptor) {
    REAL(fdatasync);
    BEFALLEN(ARMED && descriptor_below(descriptor), 0)
    return real(descriptor);
}

int ftruncate(int descriptor, off_t size) {
    REAL(ftruncate);
    BEFALLEN(ARMED && descriptor_below(descriptor), 0)
    return real(descriptor, size);
}

int ftruncate64(int descriptor, off64_t size) {
    REAL(ftruncate64);
    BEFALLEN(ARMED && descriptor_below(descriptor), 0)
    return real(descriptor, size);
}

#define OF_PATH(name, ...)                              \
    REAL(name);                                         \
    BEFALLEN(ARMED && path_below(path), ROOM)           \
    return real(__VA_ARGS__);

#define ROOM 0
int unlink(const char *path) { OF_PATH(unlink, path) }
int rmdir(const char *path) { OF_PATH(rmdir, path) }
int unlinkat(int at, const char *path, int flags) { OF_PATH(unlinkat, at, path, flags) }
int rename(const char *from, const char *path) { OF_PATH(rename, from, path) }
int renameat(int at, const char *from, int to, const char *path) { OF_PATH(renameat, at, from, to, path) }
int chmod(const char *path, mode_t mode) { OF_PATH(chmod, path, mode) }
#undef ROOM
#define ROOM 1
int mkdir(const char *path, mode_t mode) { OF_PATH(mkdir, path, mode) }

#define OPENS(flags) (((flags) & (O_CREAT | O_TRUNC)) != 0)
#define MODE(flags)                                      \
    mode_t mode = 0;                                     \
    if ((flags) & O_CREAT) {                             \
        va_list rest;                                    \
        va_start(rest, flags);                           \
        mode = va_arg(rest, mode_t);                     \
        va_end(rest);                                    \
    }
#define OF_OPEN(name, ...)                                           \
    MODE(flags)                                                      \
    REAL(name);                                                      \
    BEFALLEN(ARMED && OPENS(flags) && path_below(path), 1)           \
    return real(__VA_ARGS__, flags, mode);

int open(const char *path, int flags, ...) { OF_OPEN(open, path) }
int open64(const char *path, int flags, ...) { OF_OPEN(open64, path) }
int openat(int at, const char *path, int flags, ...) { OF_OPEN(openat, at, path) }
int openat64(int at, const char *path, int flags, ...) { OF_OPEN(openat64, at, path) }

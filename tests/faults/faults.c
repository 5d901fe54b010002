/* Loaded before libc (LD_PRELOAD): makes the n-th write, rename or fsync below a folder fail, or the process die; notes
   these operations, and what is opened to be read. */
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
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char folder[PATH_MAX];
static long at, count;
static int error, lasting;

/* Count from now on; the n-th fails with an error, and so do all writes after it if it lasts; error 0 is kill -9. */
void fault_start(const char *below, long n, int number, int lasts) {
    snprintf(folder, sizeof folder, "%s", below);
    count = 0, at = n, error = number, lasting = lasts;
}

static int is_below(const char *path) {
    char whole[PATH_MAX];
    if (!folder[0]) return 0;
    if (path[0] != '/') {
        if (!getcwd(whole, sizeof whole)) return 0;
        return !strncmp(whole, folder, strlen(folder));
    }
    return !strncmp(path, folder, strlen(folder));
}

static FILE *operations;

/* Note from now on in a file which operations below the folder are counted. */
void operations_start(const char *path) { operations = fopen(path, "w"); }

static int fails(const char *path, int is_write) {
    if (!path || !is_below(path)) return 0;
    long number = __sync_add_and_fetch(&count, 1);
    if (operations) {
        fprintf(operations, "%ld %s %s\n", number, is_write ? "write" : "other", path);
        fflush(operations);
    }
    if (!at || number < at || (number > at && !(lasting && is_write))) return 0;
    if (!error) kill(getpid(), SIGKILL);
    errno = error;
    return 1;
}

static const char *of_file(int file) {
    static __thread char path[PATH_MAX];
    char link[64];
    int kept = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = readlink(link, path, sizeof path - 1);
    errno = kept;
    if (size < 0) return NULL;
    path[size] = 0;
    return path;
}

#define REAL(name, result, ...) \
    static result (*real)(__VA_ARGS__); \
    if (!real) real = dlsym(RTLD_NEXT, name)

ssize_t write(int file, const void *data, size_t size) {
    REAL("write", ssize_t, int, const void *, size_t);
    return fails(of_file(file), 1) ? -1 : real(file, data, size);
}
ssize_t pwrite(int file, const void *data, size_t size, off_t place) {
    REAL("pwrite", ssize_t, int, const void *, size_t, off_t);
    return fails(of_file(file), 1) ? -1 : real(file, data, size, place);
}
ssize_t pwrite64(int file, const void *data, size_t size, off64_t place) {
    REAL("pwrite64", ssize_t, int, const void *, size_t, off64_t);
    return fails(of_file(file), 1) ? -1 : real(file, data, size, place);
}
ssize_t writev(int file, const struct iovec *data, int pieces) {
    REAL("writev", ssize_t, int, const struct iovec *, int);
    return fails(of_file(file), 1) ? -1 : real(file, data, pieces);
}
int fsync(int file) {
    REAL("fsync", int, int);
    return fails(of_file(file), 0) ? -1 : real(file);
}
int fdatasync(int file) {
    REAL("fdatasync", int, int);
    return fails(of_file(file), 0) ? -1 : real(file);
}
int rename(const char *from, const char *to) {
    REAL("rename", int, const char *, const char *);
    return fails(to, 0) ? -1 : real(from, to);
}
int renameat(int at_from, const char *from, int at_to, const char *to) {
    REAL("renameat", int, int, const char *, int, const char *);
    return fails(to, 0) ? -1 : real(at_from, from, at_to, to);
}

static FILE *notes;

/* Note from now on in a file which files are opened to be read. */
void note_start(const char *path) { notes = fopen(path, "w"); }

static void note(const char *path, int flags) {
    if (notes && (flags & O_ACCMODE) == O_RDONLY && !(flags & O_DIRECTORY)) {
        fprintf(notes, "%s\n", path);
        fflush(notes);
    }
}

#define OPEN(name)                                       \
    int name(const char *path, int flags, ...) {         \
        va_list rest;                                    \
        va_start(rest, flags);                           \
        mode_t mode = va_arg(rest, mode_t);              \
        va_end(rest);                                    \
        REAL(#name, int, const char *, int, ...);        \
        note(path, flags);                               \
        return real(path, flags, mode);                  \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                     \
    int name(int at_folder, const char *path, int flags, ...) { \
        va_list rest;                                    \
        va_start(rest, flags);                           \
        mode_t mode = va_arg(rest, mode_t);              \
        va_end(rest);                                    \
        REAL(#name, int, int, const char *, int, ...);   \
        note(path, flags);                               \
        return real(at_folder, path, flags, mode);       \
    }
OPENAT(openat)
OPENAT(openat64)

/* Preloaded into a program, makes one call of the C library fail:
 *
 *   FAULT_MEMORY=N    the N-th allocation since the start of main
 *   FAULT_OUTPUT=N    the N-th write, close of a file written, or rename
 *   FAULT_LINKS=1     no file can be given a name, as on some file systems
 *
 * At the end of the program FAULT_COUNT=FILE holds how many of both there were. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static long memory_fault = -1, output_fault = -1; /* -1: before main */
static long allocations, outputs;

static long number_of(const char *name)
{
    const char *text = getenv(name);

    return text ? atol(text) : 0;
}

__attribute__((constructor)) static void begin(void)
{
    memory_fault = number_of("FAULT_MEMORY");
    output_fault = number_of("FAULT_OUTPUT");
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAULT_COUNT");
    FILE *file;

    memory_fault = output_fault = -1;
    file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld %ld\n", allocations, outputs);
        fclose(file);
    }
}

/* The few allocations that the terminal libraries do not check are not ours to mend; those of the
 * line editor that it does check go through the program. */
static int is_foreign(const void *caller)
{
    Dl_info where;

    return dladdr(caller, &where) && (strstr(where.dli_fname, "libtinfo") ||
                                      strstr(where.dli_fname, "libreadline"));
}

static int memory_fails(const void *caller)
{
    if (memory_fault < 0 || is_foreign(caller) || ++allocations != memory_fault)
        return 0;
    errno = ENOMEM;
    return 1;
}

static int output_fails(void)
{
    if (output_fault < 0 || ++outputs != output_fault)
        return 0;
    errno = ENOSPC;
    return 1;
}

void *malloc(size_t size)
{
    return memory_fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return memory_fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return memory_fails(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}

/* In the C library it would stand between us and the caller. */
char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = memory_fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);

    return copy ? memcpy(copy, text, size) : NULL;
}

ssize_t write(int fd, const void *data, size_t size)
{
    ssize_t (*next)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");

    return output_fails() ? -1 : next(fd, data, size);
}

int close(int fd)
{
    int (*next)(int) = dlsym(RTLD_NEXT, "close");
    int writable = (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY;
    int result = next(fd);

    return writable && output_fails() ? -1 : result;
}

int rename(const char *from, const char *to)
{
    int (*next)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");

    return output_fails() ? -1 : next(from, to);
}

int linkat(int from, const char *old, int to, const char *new, int flags)
{
    int (*next)(int, const char *, int, const char *, int) = dlsym(RTLD_NEXT, "linkat");

    if (!number_of("FAULT_LINKS"))
        return next(from, old, to, new, flags);
    errno = ENOENT;
    return -1;
}

#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_CHUNK = 1 << 16, NAME_TRIES = 100 };

/* More than any sane input; what is no regular file may never end. */
static const size_t regular_limit = (size_t)64 << 30, stream_limit = (size_t)1 << 30;

static enum pto_status refuse(int error, const char **why)
{
    const char *text = strerrordesc_np(error);

    *why = text ? text : "unknown error";
    return PTO_ESYSTEM;
}

static enum pto_status read_all(int fd, struct pto_buf *out, const char **why)
{
    uint8_t chunk[READ_CHUNK];
    struct stat status;
    bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);

    for (;;) {
        ssize_t got = read(fd, chunk, sizeof chunk);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return refuse(errno, why);
        if (got == 0)
            return PTO_OK;
        pto_buf_append(out, chunk, (size_t)got);
        if (out->size > (regular ? regular_limit : stream_limit)) {
            *why = regular ? "it is larger than 64 GiB" : "it gives more than 1 GiB and no end";
            return PTO_ESYSTEM;
        }
    }
}

enum pto_status pto_file_read(const char *path, struct pto_buf *out, const char **why)
{
    enum pto_status status;
    int fd;

    if (!strcmp(path, "-"))
        return read_all(STDIN_FILENO, out, why);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return refuse(errno, why);
    status = read_all(fd, out, why);
    close(fd);
    return status;
}

enum pto_status pto_file_read_source(const char *path, struct pto_buf *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    enum pto_status status = PTO_ESYSTEM;
    struct stat info;
    const char *why;

    if (fd < 0)
        return PTO_ESYSTEM;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= PTO_SOURCE_BYTES)
        status = read_all(fd, out, &why);
    close(fd);
    return status;
}

static enum pto_status write_all(int fd, const uint8_t *data, size_t size, const char **why)
{
    while (size) {
        ssize_t done = write(fd, data, size);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return refuse(errno, why);
        data += done;
        size -= (size_t)done;
    }
    return PTO_OK;
}

/* Write and close; a delayed error of the file system shows in close. */
static enum pto_status write_and_close(int fd, const void *data, size_t size, const char **why)
{
    enum pto_status status = write_all(fd, data, size, why);

    if (close(fd) != 0 && status == PTO_OK)
        status = refuse(errno, why);
    return status;
}

/* A new file in the folder of `target`; its name is left in `name`. */
static int create_beside(const char *target, mode_t mode, char name[PATH_MAX])
{
    for (int i = 0; i < NAME_TRIES; i++) {
        int length = snprintf(name, PATH_MAX, "%s.%ld-%d.tmp", target, (long)getpid(), i);
        int fd;

        if (length >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static enum pto_status replace(const char *target, mode_t mode, const void *data, size_t size,
                               const char **why)
{
    char name[PATH_MAX];
    int fd = create_beside(target, mode, name);
    enum pto_status status;

    if (fd < 0)
        return refuse(errno, why);
    status = write_and_close(fd, data, size, why);
    if (status == PTO_OK && rename(name, target) != 0)
        status = refuse(errno, why);
    if (status != PTO_OK)
        unlink(name);
    return status;
}

enum pto_status pto_file_write(const char *path, const void *data, size_t size, const char **why)
{
    char resolved[PATH_MAX];
    struct stat info;

    if (!strcmp(path, "-"))
        return write_all(STDOUT_FILENO, data, size, why);
    if (stat(path, &info) != 0)
        return replace(path, 0666, data, size, why);
    if (S_ISDIR(info.st_mode))
        return refuse(EISDIR, why);
    if (!S_ISREG(info.st_mode)) { /* a device or pipe cannot be replaced, only written */
        int fd = open(path, O_WRONLY | O_CLOEXEC);

        return fd < 0 ? refuse(errno, why) : write_and_close(fd, data, size, why);
    }
    /* A link stays a link: what it points at is replaced. */
    if (!realpath(path, resolved))
        return refuse(errno, why);
    return replace(resolved, info.st_mode & 0777, data, size, why);
}

#include "data/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/gzip.h"
#include "file.h"

static enum pto_status refuse(int error, const char **why)
{
    *why = strerror(error);
    return PTO_ESYSTEM;
}

/* The folder of what is to become the file, if it is to be one, with a slash at its end; "": this
 * one.  Returns what is wrong; 0: nothing. */
static int folder_of(const char *path, char folder[PATH_MAX])
{
    char target[PATH_MAX], *slash;
    struct stat info;

    if (!strcmp(path, "-") || (stat(path, &info) == 0 && !S_ISREG(info.st_mode)))
        return snprintf(folder, PATH_MAX, "%s/", P_tmpdir) < PATH_MAX ? 0 : ENAMETOOLONG;
    if (!pto_file_target(path, target))
        return ELOOP;
    slash = strrchr(target, '/');
    snprintf(folder, PATH_MAX, "%.*s", slash ? (int)(slash + 1 - target) : 0, target);
    return 0;
}

/* A new file that loses its name at once; signals wait until it has none. */
static int open_and_unlink(const char *folder)
{
    char name[PATH_MAX];
    sigset_t all, before;
    int fd;

    if (snprintf(name, PATH_MAX, "%sptovm-XXXXXX", folder) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return fd;
}

/* A file without a name; where the file system has such a thing, one that can be given one. */
static int open_nameless(const char *folder)
{
    int fd = open(*folder ? folder : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0777);

    return fd >= 0 ? fd : open_and_unlink(folder);
}

static bool ends_in_gz(const char *path)
{
    size_t length = strlen(path);

    return length > 3 && !strcmp(path + length - 3, ".gz");
}

enum pto_status spool_begin(struct spool *spool, const char *path, bool may_compress,
                            const char **why)
{
    char folder[PATH_MAX];
    struct stat info;
    int wrong;

    *spool = (struct spool){.fd = -1};
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return refuse(EISDIR, why);
    wrong = folder_of(path, folder);
    if (wrong)
        return refuse(wrong, why);
    if (may_compress && ends_in_gz(path)) {
        spool->gzip = gzip_begin(why);
        if (!spool->gzip)
            return PTO_ECONFIG;
    }
    spool->fd = open_nameless(folder);
    return spool->fd < 0 ? refuse(errno, why) : PTO_OK;
}

static void keep(void *context, const uint8_t *data, size_t size)
{
    struct spool *spool = context;

    while (size && !spool->why) {
        ssize_t done = write(spool->fd, data, size);

        if (done < 0 && errno != EINTR)
            refuse(errno, &spool->why);
        if (done > 0) {
            data += done;
            size -= (size_t)done;
        }
    }
}

void spool_put(struct spool *spool, const uint8_t *data, size_t size)
{
    if (spool->gzip)
        gzip_put(spool->gzip, data, size, keep, spool);
    else
        keep(spool, data, size);
}

enum pto_status spool_sync(struct spool *spool, const char **why)
{
    if (spool->why) {
        *why = spool->why;
        return PTO_ESYSTEM;
    }
    /* a device that has nothing to keep says EINVAL */
    return fsync(spool->fd) == 0 || errno == EINVAL ? PTO_OK : refuse(errno, why);
}

enum pto_status spool_end(struct spool *spool, const char *path, const char **why)
{
    if (spool->gzip)
        gzip_end(spool->gzip, keep, spool);
    if (spool->why) {
        *why = spool->why;
        return PTO_ESYSTEM;
    }
    return pto_file_write_open(path, spool->fd, why);
}

void spool_free(struct spool *spool)
{
    if (spool->fd >= 0)
        close(spool->fd);
    gzip_free(spool->gzip);
}

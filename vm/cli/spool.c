#include "cli/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/gzip.h"
#include "file.h"

static enum pto_status refuse(int error, const char **why)
{
    *why = strerror(error);
    return PTO_ESYSTEM;
}

/* Where there is room for what is to become the file: its own folder, if it is to be one.  Returns
 * what is wrong; 0: nothing. */
static int name_beside(const char *path, char name[PATH_MAX])
{
    char target[PATH_MAX], *slash;
    struct stat info;

    if (!strcmp(path, "-") || (stat(path, &info) == 0 && !S_ISREG(info.st_mode)))
        return snprintf(name, PATH_MAX, "%s/ptovm-XXXXXX", P_tmpdir) < PATH_MAX ? 0 : ENAMETOOLONG;
    if (!pto_file_target(path, target))
        return ELOOP;
    slash = strrchr(target, '/');
    return snprintf(name, PATH_MAX, "%.*sptovm-XXXXXX", slash ? (int)(slash + 1 - target) : 0,
                    target) < PATH_MAX ? 0 : ENAMETOOLONG;
}

/* A new file that loses its name at once; signals wait until it has none. */
static int open_nameless(char name[PATH_MAX])
{
    sigset_t all, before;
    int fd;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return fd;
}

static bool ends_in_gz(const char *path)
{
    size_t length = strlen(path);

    return length > 3 && !strcmp(path + length - 3, ".gz");
}

enum pto_status spool_begin(struct spool *spool, const char *path, const char **why)
{
    char name[PATH_MAX];
    struct stat info;
    int wrong;

    *spool = (struct spool){.fd = -1};
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return refuse(EISDIR, why);
    wrong = name_beside(path, name);
    if (wrong)
        return refuse(wrong, why);
    if (ends_in_gz(path)) {
        spool->gzip = gzip_begin(why);
        if (!spool->gzip)
            return PTO_ECONFIG;
    }
    spool->fd = open_nameless(name);
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

enum pto_status spool_end(struct spool *spool, const char *path, const char **why)
{
    enum pto_status status;
    struct stat info;
    void *bytes = NULL;

    if (spool->gzip)
        gzip_end(spool->gzip, keep, spool);
    if (spool->why) {
        *why = spool->why;
        return PTO_ESYSTEM;
    }
    if (fstat(spool->fd, &info) != 0)
        return refuse(errno, why);
    if (info.st_size > 0)
        bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, spool->fd, 0);
    if (bytes == MAP_FAILED)
        return refuse(errno, why);
    status = pto_file_write(path, bytes, (size_t)info.st_size, why);
    if (bytes)
        munmap(bytes, (size_t)info.st_size);
    return status;
}

void spool_free(struct spool *spool)
{
    if (spool->fd >= 0)
        close(spool->fd);
    gzip_free(spool->gzip);
}

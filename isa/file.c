#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { READ_CHUNK = 1 << 16, WRITE_CHUNK = 1 << 20, COPY_CHUNK = 1 << 16, /* on the stack */
       NAME_TRIES = 100, MOST_LINKS = 40 };

/* Linux's PIPEFS_MAGIC; linux/magic.h is no part of every C library. */
enum { PIPE_FILES = 0x50495045 };

static const size_t MIB = (size_t)1 << 20, GIB = (size_t)1 << 30;

/* How much is read of a file of each kind, and of something that may never end. */
static const struct limit {
    size_t most;
    const char *why;
} limits[PTO_FILE_KINDS] = {
    [PTO_FILE_SETTINGS] = {MIB, "it is larger than 1 MiB"},
    [PTO_FILE_TEXT] = {PTO_SOURCE_BYTES, "it is larger than 16 MiB"},
    [PTO_FILE_KERNEL] = {PTO_KERNEL_BYTES, "it is larger than 64 MiB"},
    [PTO_FILE_REPORT] = {64 * MIB, "it is larger than 64 MiB"},
    [PTO_FILE_DATA] = {64 * GIB, "it is larger than 64 GiB"},
};
static const struct limit of_pipe = {GIB, "it gives more than 1 GiB and no end"};
static const struct limit of_device = {MIB, "it is a device that gives more than 1 MiB"};

static enum pto_status refuse(int error, const char **why)
{
#ifdef __GLIBC__
    const char *text = strerrordesc_np(error); /* strerror would want memory */
#else
    const char *text = strerror(error);
#endif

    *why = text ? text : "unknown error";
    return PTO_ESYSTEM;
}

static enum pto_status refuse_because(const char *reason, const char **why)
{
    *why = reason;
    return PTO_ESYSTEM;
}

static enum pto_status read_all(int fd, const struct limit *limit, struct pto_buf *out,
                                const char **why)
{
    size_t before = out->size;

    for (;;) {
        ssize_t got = read(fd, pto_buf_room(out, READ_CHUNK), READ_CHUNK);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return refuse(errno, why);
        if (got == 0)
            return PTO_OK;
        out->size += (size_t)got;
        if (out->size - before > limit->most)
            return refuse_because(limit->why, why);
    }
}

/* Room for a file of this size.  An array is used where it was read to: what lies at a line of the
 * host's caches in the file does so in memory, and large files begin with a large page.  All of it
 * will be written: such pages, a wish, take one interruption for each 2 MiB. */
static void make_room(struct pto_buf *out, size_t size)
{
    const size_t line = 64, page = 2 * MIB, apart = size < page ? line : page;

    if (!out->data) {
        out->data = aligned_alloc(apart, (size + apart - 1) / apart * apart);
        out->capacity = out->data ? size : 0;
    }
#ifdef MADV_HUGEPAGE
    if (out->data && !out->size && size >= page)
        madvise(out->data, size / page * page, MADV_HUGEPAGE);
#endif
    pto_buf_room(out, size); /* the heap's answer where there was none */
}

/* What the shell makes of <(command) has no name in any folder, and somebody at its other end. */
static bool is_named_fifo(int fd)
{
    struct statfs where;

    return fstatfs(fd, &where) != 0 || where.f_type != PIPE_FILES;
}

/* Read an open file by what it is: its size is looked at before its contents. */
static enum pto_status read_open(int fd, const struct limit *limit, struct pto_buf *out,
                                 const char **why)
{
    struct stat info;

    if (fstat(fd, &info) != 0)
        return refuse(errno, why);
    switch (info.st_mode & S_IFMT) {
    case S_IFREG:
        if ((uintmax_t)info.st_size > limit->most)
            return refuse_because(limit->why, why);
        make_room(out, (size_t)info.st_size + READ_CHUNK);
        return read_all(fd, limit, out, why);
    case S_IFDIR:
        return refuse(EISDIR, why);
    case S_IFBLK:
        return refuse_because("it is a device", why);
    case S_IFCHR:
        return read_all(fd, &of_device, out, why);
    default:
        return read_all(fd, limit->most < of_pipe.most ? limit : &of_pipe, out, why);
    }
}

/* Standard input gives its bytes once; who reads it again gets the same. */
static struct {
    struct pto_buf bytes;
    bool read, lost;
} standard_input;

static enum pto_status read_standard_input(const struct limit *limit, struct pto_buf *out,
                                           const char **why)
{
    const size_t before = out->size, most = 64 * MIB;

    if (standard_input.lost)
        return refuse_because("it has been read, and more than 64 MiB are not kept", why);
    if (standard_input.bytes.size > limit->most)
        return refuse_because(limit->why, why);
    if (standard_input.read) {
        pto_buf_append(out, standard_input.bytes.data, standard_input.bytes.size);
        return PTO_OK;
    }
    standard_input.lost = true; /* unless all goes well */
    PTO_TRY(read_open(STDIN_FILENO, limit, out, why));
    if (out->size - before > most)
        return PTO_OK;
    pto_buf_append(&standard_input.bytes, out->size > before ? out->data + before : NULL,
                   out->size - before);
    standard_input.lost = false;
    standard_input.read = true;
    return PTO_OK;
}

/* Open without waiting for anybody, then let reads wait. */
static int open_input(const char *path, const char **why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat info;

    if (fd < 0 || fstat(fd, &info) != 0) {
        refuse(errno, why);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    if (S_ISFIFO(info.st_mode) && is_named_fifo(fd)) {
        close(fd);
        *why = "it is a FIFO; standard input (-) reads from one";
        return -1;
    }
    if (!S_ISREG(info.st_mode)) /* some files of the system are regular, and wait */
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

enum pto_status pto_file_read(const char *path, enum pto_file_kind kind, struct pto_buf *out,
                              const char **why)
{
    enum pto_status status;
    int fd;

    if (!strcmp(path, "-"))
        return read_standard_input(&limits[kind], out, why);
    fd = open_input(path, why);
    if (fd < 0)
        return PTO_ESYSTEM;
    status = read_open(fd, &limits[kind], out, why);
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
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
        status = read_open(fd, &limits[PTO_FILE_TEXT], out, &why);
    close(fd);
    return status;
}

static const int ENDS[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* The signals that end a program wait while an unfinished file stands beside its place. */
static void hold_back(sigset_t *before)
{
    sigset_t ends;

    sigemptyset(&ends);
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++)
        sigaddset(&ends, ENDS[i]);
    sigprocmask(SIG_BLOCK, &ends, before);
}

/* Does a signal wait that will end the program?  One that is caught or ignored waits, too, and for
 * the whole file: the program goes on afterwards, and nobody writes the file again. */
static bool is_to_end(void)
{
    struct sigaction now;
    sigset_t waiting;

    if (sigpending(&waiting) != 0)
        return false;
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++)
        if (sigismember(&waiting, ENDS[i]) && sigaction(ENDS[i], NULL, &now) == 0 &&
            now.sa_handler == SIG_DFL)
            return true;
    return false;
}

/* What a file is to hold: parts, or what is in an open file. */
struct content {
    const struct pto_file_part *part;
    unsigned parts;
    int fd; /* -1: none */
};

static enum pto_status write_all(int fd, const uint8_t *data, size_t size, const char **why)
{
    while (size) {
        ssize_t done = write(fd, data, size < WRITE_CHUNK ? size : WRITE_CHUNK);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return refuse(errno, why);
        data += done;
        size -= (size_t)done;
        if (is_to_end())
            return refuse_because("interrupted", why);
    }
    return PTO_OK;
}

/* The whole of an open file, in pieces: it may be larger than the host's memory. */
static enum pto_status copy_file(int fd, int from, const char **why)
{
    uint8_t piece[COPY_CHUNK];

    for (off_t at = 0;;) {
        ssize_t got = pread(from, piece, sizeof piece, at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return refuse(errno, why);
        if (got == 0)
            return PTO_OK;
        PTO_TRY(write_all(fd, piece, (size_t)got, why));
        at += got;
    }
}

static enum pto_status write_content(int fd, const struct content *content, const char **why)
{
    if (content->fd >= 0)
        return copy_file(fd, content->fd, why);
    for (unsigned i = 0; i < content->parts; i++)
        PTO_TRY(write_all(fd, content->part[i].data, content->part[i].size, why));
    return PTO_OK;
}

/* Write and close; a delayed error of the file system shows in close. */
static enum pto_status write_and_close(int fd, const struct content *content, const char **why)
{
    enum pto_status status = write_content(fd, content, why);

    if (close(fd) != 0 && status == PTO_OK)
        status = refuse(errno, why);
    return status;
}

/* A device or pipe cannot be replaced, only written; nobody waits for somebody to read it. */
static enum pto_status write_special(const char *path, const struct content *content,
                                     const char **why)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat info;

    if (fd < 0 && errno == ENXIO && stat(path, &info) == 0 && S_ISFIFO(info.st_mode))
        return refuse_because("it is a FIFO that nobody reads", why);
    if (fd < 0)
        return refuse(errno, why);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return write_and_close(fd, content, why);
}

/* A new file at `name`, empty; or, if there is one without a name, that file. */
static int create(const char *name, mode_t mode, int nameless)
{
    char link[32];

    if (nameless < 0)
        return open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    snprintf(link, sizeof link, "/proc/self/fd/%d", nameless);
    return linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? nameless : -1;
}

/* The same in the folder of `target`; its name is left in `name`. */
static int create_beside(const char *target, mode_t mode, int nameless, char name[PATH_MAX])
{
    for (int i = 0; i < NAME_TRIES; i++) {
        int length = snprintf(name, PATH_MAX, "%s.%ld-%d.tmp", target, (long)getpid(), i);
        int fd;

        if (length >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        fd = create(name, mode, nameless);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* Give the open file a name, which takes neither time nor room.  It was made with every permission
 * that its maker's mask leaves.  False: this file, or this file system, cannot have it. */
static bool name_file(const char *target, mode_t mode, int fd, char name[PATH_MAX])
{
    struct stat info;

    return fd >= 0 && fstat(fd, &info) == 0 && info.st_nlink == 0 &&
           fchmod(fd, info.st_mode & mode) == 0 && create_beside(target, mode, fd, name) >= 0;
}

static enum pto_status replace(const char *target, mode_t mode, const struct content *content,
                               const char **why)
{
    enum pto_status status = PTO_OK;
    char name[PATH_MAX];
    sigset_t before;
    bool named;
    int fd = -1;

    hold_back(&before);
    named = name_file(target, mode, content->fd, name);
    if (!named)
        fd = create_beside(target, mode, -1, name);
    if (!named && fd < 0) {
        status = refuse(errno, why);
    } else {
        if (!named)
            status = write_and_close(fd, content, why);
        if (status == PTO_OK && rename(name, target) != 0)
            status = refuse(errno, why);
        if (status != PTO_OK)
            unlink(name);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

bool pto_file_target(const char *path, char target[PATH_MAX])
{
    char link[PATH_MAX];
    struct stat info;

    if (snprintf(target, PATH_MAX, "%s", path) >= PATH_MAX)
        return false;
    for (int i = 0; i < MOST_LINKS; i++) {
        const char *slash;
        ssize_t length;
        size_t folder;

        if (lstat(target, &info) != 0 || !S_ISLNK(info.st_mode))
            return true;
        length = readlink(target, link, sizeof link - 1);
        if (length < 0)
            return false;
        link[length] = 0;
        slash = *link == '/' ? NULL : strrchr(target, '/');
        folder = slash ? (size_t)(slash - target) + 1 : 0;
        if (folder + (size_t)length >= PATH_MAX)
            return false;
        memcpy(target + folder, link, (size_t)length + 1);
    }
    return false;
}

/* A file is made beside `target`, and renamed. */
static enum pto_status folder_writable(char *target, const char **why)
{
    char *slash = strrchr(target, '/');
    const char *folder = slash ? target : ".";

    if (slash)
        slash[slash == target] = 0; /* the root is called "/" */
    return access(folder, W_OK | X_OK) == 0 ? PTO_OK : refuse(errno, why);
}

/* To replace it asks only the folder: who took the permission away wants the file as it is. */
static bool is_read_only(const char *path, const struct stat *info)
{
    return (info->st_mode & 0222) == 0 || access(path, W_OK) != 0;
}

enum pto_status pto_file_writable(const char *path, const char **why)
{
    char target[PATH_MAX];
    struct stat info;

    if (!strcmp(path, "-"))
        return PTO_OK;
    if (stat(path, &info) != 0 && errno == ENOENT)
        return pto_file_target(path, target) ? folder_writable(target, why) : refuse(ELOOP, why);
    if (stat(path, &info) != 0)
        return refuse(errno, why);
    if (S_ISDIR(info.st_mode))
        return refuse(EISDIR, why);
    if (!S_ISREG(info.st_mode))
        return access(path, W_OK) == 0 ? PTO_OK : refuse(errno, why);
    if (is_read_only(path, &info))
        return refuse_because("it is read-only", why);
    return realpath(path, target) ? folder_writable(target, why) : refuse(errno, why);
}

static enum pto_status write_whole(const char *path, const struct content *content,
                                   const char **why)
{
    char resolved[PATH_MAX];
    struct stat info;

    if (!strcmp(path, "-"))
        return write_content(STDOUT_FILENO, content, why);
    if (stat(path, &info) != 0 && errno == ENOENT)
        return pto_file_target(path, resolved) ? replace(resolved, 0666, content, why)
                                               : refuse(ELOOP, why);
    if (stat(path, &info) != 0)
        return refuse(errno, why);
    if (S_ISDIR(info.st_mode))
        return refuse(EISDIR, why);
    if (!S_ISREG(info.st_mode))
        return write_special(path, content, why);
    if (is_read_only(path, &info))
        return refuse_because("it is read-only", why);
    /* A link stays a link: what it points at is replaced. */
    if (!realpath(path, resolved))
        return refuse(errno, why);
    return replace(resolved, info.st_mode & 0777, content, why);
}

enum pto_status pto_file_write_parts(const char *path, const struct pto_file_part *part,
                                     unsigned parts, const char **why)
{
    return write_whole(path, &(struct content){part, parts, -1}, why);
}

enum pto_status pto_file_write_open(const char *path, int fd, const char **why)
{
    return write_whole(path, &(struct content){.fd = fd}, why);
}

enum pto_status pto_file_write(const char *path, const void *data, size_t size, const char **why)
{
    return pto_file_write_parts(path, &(struct pto_file_part){data, size}, 1, why);
}

char *pto_file_folder(void)
{
    char *folder = getcwd(NULL, 0);

    if (!folder && errno == ENOMEM)
        pto_out_of_memory(PATH_MAX);
    return folder;
}

#include "dbg/past.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

/* Lines of a file that are taken; with twice as many it is cut to them. */
enum { MOST = 1000, LONGEST = 1024 };

/* The first line of such a file: no other one is ever written to. */
static const char HEAD[] = "# lines of ptodbg";

static bool is_line(const char *text)
{
    size_t length = strlen(text);

    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' && text[i] != '\t')
            return false; /* nobody has typed that */
    return length > 0 && length < LONGEST;
}

static bool is_last(const struct dbg *dbg, const char *line)
{
    return dbg->pasts > 0 && !strcmp(dbg->past[dbg->pasts - 1], line);
}

static void remember(struct dbg *dbg, const char *line)
{
    if (!is_line(line) || is_last(dbg, line))
        return;
    PTO_GROW(dbg->past, dbg->pasts, dbg->past_capacity);
    dbg->past[dbg->pasts++] = pto_xstrdup(line);
}

/* An empty line: see to it that the file is there.  One write, so that two sessions do not mix
 * their lines. */
static bool append(const char *path, const char *line)
{
    struct pto_buf text = {0};
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
    struct stat what;
    bool good = file >= 0;

    if (good && (fstat(file, &what) != 0 || !S_ISREG(what.st_mode))) {
        errno = EINVAL;
        good = false;
    }
    pto_buf_printf(&text, "%s\n", *line ? line : HEAD);
    if (good && (*line || what.st_size == 0))
        good = write(file, text.data, text.size) == (ssize_t)text.size;
    if (file >= 0)
        close(file);
    pto_buf_free(&text);
    return good;
}

static void cut(const struct dbg *dbg, const char *path)
{
    struct pto_buf text = {0};
    const char *why;

    pto_buf_printf(&text, "%s\n", HEAD);
    for (unsigned i = dbg->pasts - MOST; i < dbg->pasts; i++)
        pto_buf_printf(&text, "%s\n", dbg->past[i]);
    pto_file_write(path, text.data, text.size, &why);
    pto_buf_free(&text);
}

static void take_all(struct dbg *dbg, char *text)
{
    unsigned before = dbg->pasts;

    for (char *line = text, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        if (*line != '#')
            remember(dbg, line);
    }
    for (unsigned i = dbg->pasts - before > MOST ? dbg->pasts - MOST : before;
         dbg->terminal->recall && i < dbg->pasts; i++)
        dbg->terminal->recall(dbg->terminal->context, dbg->past[i]);
}

bool past_keep(struct dbg *dbg, const char *path)
{
    struct pto_buf text = {0};
    const char *why = "";
    unsigned before = dbg->pasts;

    free(dbg->past_path);
    dbg->past_path = NULL;
    if (!path)
        return true;
    if (!append(path, ""))
        return dbg_error(dbg, "name a file in a folder that is there, or turn it off: set "
                         "history-file off", "cannot keep lines in '%s': %s", path,
                         errno == EINVAL ? "it is no file" : strerror(errno));
    if (pto_file_read(path, PTO_FILE_SETTINGS, &text, &why) != PTO_OK) {
        pto_buf_free(&text);
        return dbg_error(dbg, "delete it, or name another one", "cannot read '%s': %s", path, why);
    }
    if (strncmp(pto_buf_text(&text), HEAD, sizeof HEAD - 1) != 0) {
        pto_buf_free(&text);
        return dbg_error(dbg, "name a file that is not there yet",
                         "'%s' holds something else than lines of ptodbg", path);
    }
    take_all(dbg, (char *)text.data);
    pto_buf_free(&text);
    if (dbg->pasts - before > 2 * MOST)
        cut(dbg, path);
    dbg->past_path = pto_xstrdup(path);
    return true;
}

void past_add(struct dbg *dbg, const char *line)
{
    if (is_last(dbg, line) || !is_line(line))
        return;
    remember(dbg, line);
    if (dbg->past_path && !append(dbg->past_path, line)) {
        dbg_error(dbg, "lines are kept in no file any longer", "cannot write '%s': %s",
                  dbg->past_path, strerror(errno));
        past_keep(dbg, NULL);
    }
}

void past_free(struct dbg *dbg)
{
    for (unsigned i = 0; i < dbg->pasts; i++)
        free(dbg->past[i]);
    free(dbg->past);
    free(dbg->past_path);
}

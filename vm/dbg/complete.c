/* Completion of the last word of a line: what may stand there is in the command's row. */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "dbg/checkpoint.h"
#include "dbg/event.h"
#include "dbg/macro.h"
#include "dbg/place.h"
#include "dbg/state.h"

struct completion {
    struct dbg *dbg;
    const char *word;
    size_t length;
    char **item;
    unsigned count, capacity;
};

static void offer(struct completion *c, const char *text)
{
    if (strncasecmp(text, c->word, c->length) != 0)
        return;
    for (unsigned i = 0; i < c->count; i++)
        if (!strcmp(c->item[i], text))
            return;
    PTO_GROW(c->item, c->count, c->capacity);
    c->item[c->count++] = pto_xstrdup(text);
}

static void offer_words(struct completion *c, const char *const *words)
{
    for (; *words; words++)
        offer(c, *words);
}

/* ---- kinds of argument ---- */

static void offer_commands(struct completion *c)
{
    for (unsigned i = 0; i < dbg_row_count; i++)
        offer(c, dbg_rows[i].name);
    for (unsigned i = 0; i < c->dbg->defines; i++)
        offer(c, c->dbg->define[i].name);
}

static void offer_labels(void *context, const struct dbg_place *start)
{
    struct completion *c = context;

    offer(c, start->kernel->name);
    for (uint32_t i = 0; i < start->code->labels; i++)
        offer(c, start->code->label[i].name);
}

static void offer_macro(void *context, const struct macro_use *use)
{
    char *name = pto_xstrndup(use->name, use->length);

    offer(context, name);
    free(name);
}

static void offer_macros(void *context, const struct dbg_place *start)
{
    struct completion *c = context;

    macro_each_use(c->dbg, start, offer_macro, c);
}

static void offer_mnemonics(struct completion *c)
{
    for (unsigned op = 0; op < PTO_OP_COUNT; op++)
        offer(c, pto_op_info(op)->mnemonic);
}

static void offer_pipes(struct completion *c)
{
    for (unsigned pipe = 0; pipe < PTO_QUEUE_COUNT; pipe++)
        offer(c, pto_queue_name(pipe));
}

static void offer_cores(struct completion *c)
{
    struct pto_core_info info;

    for (unsigned i = 0; i < pto_vm_cores(c->dbg->launch.vm); i++) {
        pto_vm_core(c->dbg->launch.vm, 0, i, &info);
        offer(c, info.name);
    }
}

static void offer_registers(void *context, const struct dbg_place *start)
{
    struct completion *c = context;
    char name[128] = "%";

    for (uint32_t i = 0; i < start->code->code.regs; i++) {
        if (start->code->code.reg[i].name[0] == '_')
            continue;
        strncpy(name + 1, start->code->code.reg[i].name, sizeof name - 2);
        offer(c, name);
    }
}

static void offer_tiles(void *context, const struct dbg_place *start)
{
    struct completion *c = context;

    for (uint32_t i = 0; i < start->code->tiles; i++)
        offer(c, start->code->tile[i].name);
}

static void offer_objects(struct completion *c)
{
    struct pto_object_info info;

    for (unsigned i = 0; pto_vm_object(c->dbg->launch.vm, 0, i, &info); i++)
        offer(c, info.name);
}

static void offer_numbered(struct completion *c)
{
    for (unsigned i = 0; i < c->dbg->breaks_count; i++) {
        struct pto_buf text = {0};

        pto_buf_printf(&text, "%u", c->dbg->breaks[i].number);
        offer(c, pto_buf_text(&text));
        pto_buf_free(&text);
    }
}

static void offer_checkpoints(struct completion *c)
{
    for (unsigned i = 0; checkpoint_name(c->dbg, i); i++)
        offer(c, checkpoint_name(c->dbg, i));
}

/* Files of the folder that the word begins with; hidden ones if it asks for them.  A name with a
 * blank would be two words. */
static void offer_files(struct completion *c)
{
    char *word = pto_xstrndup(c->word, c->length);
    const char *slash = strrchr(word, '/'), *begin = slash ? slash + 1 : word;
    char *folder = pto_xstrndup(word, (size_t)(begin - word));
    DIR *dir = opendir(*folder ? folder : ".");
    const struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        struct pto_buf path = {0};
        struct stat status;

        if (strncmp(entry->d_name, begin, strlen(begin)) != 0 || strpbrk(entry->d_name, " \t") ||
            (entry->d_name[0] == '.' && *begin != '.'))
            continue;
        pto_buf_printf(&path, "%s%s", folder, entry->d_name);
        if (stat(pto_buf_text(&path), &status) == 0 && S_ISDIR(status.st_mode))
            pto_buf_printf(&path, "/");
        offer(c, pto_buf_text(&path));
        pto_buf_free(&path);
    }
    if (dir)
        closedir(dir);
    free(folder);
    free(word);
}

static void offer_kind(struct completion *c, char kind)
{
    static const char *const traces[] = {"on", "focus", "off", NULL};
    static const char *const settings[] = {"pagination", "width", "rows", "history-memory",
                                           "history-events", "history-file", NULL};

    switch (kind) {
    case 'c': offer_commands(c); break;
    case 'l':
        place_each_program(c->dbg, offer_labels, c);
        place_each_program(c->dbg, offer_macros, c);
        offer_mnemonics(c);
        break;
    case 'm': offer_mnemonics(c); break;
    case 't':
        for (int i = 0; event_name(i); i++)
            offer(c, event_name(i));
        break;
    case 'f': offer_cores(c); break;
    case 'p': offer_pipes(c); break;
    case 'r': place_each_program(c->dbg, offer_registers, c); break;
    case 'e':
        place_each_program(c->dbg, offer_registers, c);
        place_each_program(c->dbg, offer_tiles, c);
        offer_objects(c);
        break;
    case 's':
        for (int space = 0; space < PTO_SPACE_COUNT; space++)
            offer(c, pto_space_name((enum pto_space)space));
        offer_objects(c);
        break;
    case 'y':
        for (int dtype = 0; dtype < PTO_DTYPE_COUNT; dtype++)
            offer(c, pto_dtype_name((enum pto_dtype)dtype));
        break;
    case 'i':
        for (unsigned i = 0; dbg_topic(i); i++)
            offer(c, dbg_topic(i));
        break;
    case 'o': offer_words(c, traces); break;
    case 'v': offer_words(c, settings); break;
    case 'b': offer_numbered(c); break;
    case 'd': offer(c, "checkpoint"); offer_numbered(c); break;
    case 'a': offer_numbered(c); offer_checkpoints(c); break;
    case 'k': offer_checkpoints(c); break;
    case 'F': offer_files(c); break;
    default: break;
    }
}

static const struct dbg_row *row_of(const char *word, size_t length)
{
    const struct dbg_row *found = dbg_named_row(word, length);

    for (unsigned i = 0; i < dbg_row_count && !found; i++)
        if (!strncmp(dbg_rows[i].name, word, length))
            found = &dbg_rows[i];
    return found;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **dbg_complete(struct dbg *dbg, const char *line, size_t *start)
{
    struct completion c = {.dbg = dbg};
    const char *at = line, *command = line;
    size_t size = dbg_word(&command), length;
    unsigned argument = 0;

    for (length = dbg_word(&at); length > 0 && at[length] != '\0'; length = dbg_word(&at)) {
        argument++;
        at += length;
    }
    c.word = at;
    c.length = length;
    *start = (size_t)(at - line);
    if (argument == 0) {
        offer_commands(&c);
    } else {
        const struct dbg_row *row = row_of(command, size);
        size_t kinds = row ? strlen(row->completes) : 0;

        if (kinds > 0)
            offer_kind(&c, row->completes[argument - 1 < kinds ? argument - 1 : kinds - 1]);
    }
    if (c.count > 0)
        qsort(c.item, c.count, sizeof *c.item, by_text);
    PTO_GROW(c.item, c.count, c.capacity);
    c.item[c.count] = NULL;
    return c.item;
}

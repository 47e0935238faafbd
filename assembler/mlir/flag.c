/* Flags and barriers, in all the ways in which they are written: strings, <X>, #pto.x<X>, names. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mlir/lower.h"

/* Kinds of operation that record_event and wait_event name, and their pipes. */
static const struct {
    const char *kind, *pipe;
} EVENT_PIPE[] = {
    {"TLOAD", "MTE2"},    {"TSTORE_VEC", "MTE3"}, {"TSTORE_ACC", "FIX"}, {"TMOV_M2L", "MTE1"},
    {"TMOV_M2B", "MTE1"}, {"TMOV_M2S", "FIX"},    {"TMOV_V2M", "FIX"},   {"TMOV_M2V", "V"},
    {"TMATMUL", "M"},     {"TVEC", "V"},          {"TVECWAIT_EVENT", "V"},
};

struct words {
    const struct mlir_node *node[4];
    const char *text[4]; /* NULL: a value */
    unsigned count;
};

/* The operands of a flag operation, inside of [..] or directly behind its name. */
static bool read_words(struct mlir_lower *l, struct mlir_node *op, struct words *words)
{
    const struct mlir_node *node = op->first;

    words->count = 0;
    if (node && node->kind == MLIR_SQUARE)
        node = node->first;
    for (; node; node = node->next) {
        if (mlir_is(node, MLIR_SIGN, ":") || node->kind == MLIR_BRACE)
            break;
        if (words->count && !mlir_is(node, MLIR_SIGN, ",")) {
            mlir_refuse(l, op, node, "a ',' was expected before this");
            return false;
        }
        if (words->count && node->next)
            node = node->next;
        if (words->count == 4 || node->kind == MLIR_SIGN || node->kind == MLIR_REGION) {
            mlir_refuse(l, op, node, "'%s' was not expected here", node->text);
            return false;
        }
        words->node[words->count] = node;
        words->text[words->count++] = node->kind == MLIR_SSA ? NULL : mlir_enum_word(node);
        if (node->kind == MLIR_ATTR && node->next && node->next->kind == MLIR_ANGLE)
            node = node->next;
    }
    return true;
}

/* PIPE_MTE2, or the kind of operation that runs there. */
static const char *pipe_of(struct mlir_lower *l, struct mlir_node *op, const struct words *words,
                           unsigned at)
{
    const char *text = at < words->count ? words->text[at] : NULL;

    if (text && !strncmp(text, "PIPE_", 5) && pto_enum_find(PTO_ENUM_PIPE, text + 5) >= 0)
        return text + 5;
    for (unsigned i = 0; text && i < sizeof EVENT_PIPE / sizeof *EVENT_PIPE; i++)
        if (!strcmp(text, EVENT_PIPE[i].kind))
            return EVENT_PIPE[i].pipe;
    mlir_refuse(l, op, at < words->count ? words->node[at] : op,
                "a pipe (PIPE_MTE2, ...) was expected");
    return NULL;
}

static const char *event_of(struct mlir_lower *l, struct mlir_node *op, const struct words *words,
                            unsigned at)
{
    const char *text = at < words->count ? words->text[at] : NULL;
    struct mlir_scalar number;

    if (at >= words->count) {
        mlir_refuse(l, op, op, "'%s' lacks its event", op->text);
        return NULL;
    }
    if (text && !strncmp(text, "EVENT_ID", 8) && strspn(text + 8, "0123456789") &&
        strlen(text) <= 10)
        return text + 8;
    if (words->node[at]->kind == MLIR_INT || words->node[at]->kind == MLIR_SSA)
        return mlir_number(l, op, words->node[at], &number) ? number.text : NULL;
    mlir_refuse(l, op, words->node[at], "an event (EVENT_ID0, ...) was expected");
    return NULL;
}

static void flag(struct mlir_lower *l, struct mlir_node *op, const struct words *words,
                 const char *instruction)
{
    const char *from = pipe_of(l, op, words, 0), *to = from ? pipe_of(l, op, words, 1) : NULL;
    const char *event = to ? event_of(l, op, words, 2) : NULL;

    if (event && l->options->sync == MLIR_SYNC_KEEP)
        mlir_line(&l->code, op, "%s %s, %s, %s", instruction, from, to, event);
}

static void barrier(struct mlir_lower *l, struct mlir_node *op, const struct words *words)
{
    const char *pipe = pipe_of(l, op, words, 0);

    if (pipe && l->options->sync == MLIR_SYNC_KEEP)
        mlir_line(&l->code, op, "pipe_barrier %s", pipe);
}

/* Who gets a flag: `{ffts_mode = 1 : i32}`.  Without it those on the other side of a block. */
static bool mode_of(struct mlir_lower *l, struct mlir_node *op, const char **mode)
{
    const struct mlir_node *value = mlir_attribute(op, "ffts_mode");

    *mode = value ? value->text : "2";
    if (!value || (value->kind == MLIR_INT && strlen(*mode) == 1 && strchr("012", **mode)))
        return true;
    mlir_refuse(l, op, value, "'ffts_mode' is 0 (all sub-cores of the kind), 1 (the vector "
                "sub-cores of a block) or 2 (those on the other side of a block)");
    return false;
}

/* Flags between sub-cores: `pto.sync.set <PIPE_FIX>, 1`. */
static void cross_flag(struct mlir_lower *l, struct mlir_node *op, const struct words *words,
                       bool is_set)
{
    const char *pipe = pipe_of(l, op, words, 0), *id = pipe ? event_of(l, op, words, 1) : NULL;
    const char *mode;

    if (!id || !mode_of(l, op, &mode))
        return;
    if (l->options->profile->a5 && *mode != '2')
        mlir_refuse(l, op, mlir_attribute(op, "ffts_mode"),
                    "'%s' goes to one sub-core of the block on a5: 'ffts_mode' is 2", op->text);
    else if ((is_set || l->options->profile->a5) && *mode == '2' && !l->mixed)
        mlir_refuse(l, op, op, "'%s' wants a cube and a vector part in the kernel", op->text);
    else if (l->options->profile->a5)
        mlir_line(&l->code, op, "%s_intra_block %s, %s", is_set ? "set" : "wait", pipe, id);
    else if (is_set)
        mlir_line(&l->code, op, "set_flag_dev %s, %s, %s", pipe, mode, id);
    else
        mlir_line(&l->code, op, "wait_flag_dev %s", id);
}

bool mlir_flag_op(struct mlir_lower *l, struct mlir_node *op)
{
    static const struct {
        const char *name;
        char what; /* s w b: set, wait, barrier; S W: between sub-cores */
    } known[] = {
        {"pto.set_flag", 's'},     {"pto.wait_flag", 'w'},     {"pto.set_flag_dyn", 's'},
        {"pto.wait_flag_dyn", 'w'}, {"pto.record_event", 's'}, {"pto.wait_event", 'w'},
        {"pto.barrier", 'b'},      {"pto.sync.set", 'S'},      {"pto.sync.wait", 'W'},
    };
    struct words words;
    unsigned most;

    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(op->text, known[i].name) != 0)
            continue;
        if (!read_words(l, op, &words))
            return true;
        most = known[i].what == 'b' ? 1 : strchr("SW", known[i].what) ? 2 : 3;
        if (words.count > most) {
            mlir_refuse(l, op, words.node[most], "'%s' takes %u, not more", op->text, most);
            return true;
        }
        if (known[i].what == 'b')
            barrier(l, op, &words);
        else if (known[i].what == 's' || known[i].what == 'w')
            flag(l, op, &words, known[i].what == 's' ? "set_flag" : "wait_flag");
        else
            cross_flag(l, op, &words, known[i].what == 'S');
        return true;
    }
    return false;
}

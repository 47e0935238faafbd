#include "cli/waits.h"

#include <stdlib.h>
#include <string.h>

#include "cli/details.h"
#include "look/parties.h"
#include "place.h"

enum { PARTIES_SHOWN = 6, PARTIES_LISTED = 4096, MOST_COLUMNS = 140, FEWEST_SHOWN = 3 };

static void place_text(const char *before, const struct pto_party_place *place, struct pto_buf *out)
{
    const struct pto_pos *pos = pto_place(place->module, place->pos);

    if (pos)
        pto_buf_printf(out, "%s%s:%u", before, place->module->file[pos->file], pos->line);
}

/* What there is to say about a party, without naming it. */
static const char *story(const struct pto_party *wait, struct pto_arena *arena)
{
    struct pto_buf text = {0};
    const char *copy;

    if (!wait->core) {
        pto_buf_printf(&text, !strcmp(wait->state, "died") ? "dead" : "all sub-cores have ended");
    } else {
        pto_buf_printf(&text, "pipe %s", wait->pipe);
        if (!strcmp(wait->state, "ended"))
            pto_buf_printf(&text, " has ended");
        place_text(" at ", &wait->at, &text);
        if (wait->last.mnemonic) {
            pto_buf_printf(&text, ", last done: %s", wait->last.mnemonic);
            place_text(" at ", &wait->last, &text);
        }
    }
    for (unsigned i = 0; i < wait->nears; i++) {
        pto_buf_printf(&text, "%s%s", i == 0 ? "; nearest: " : ", ", wait->near[i].text);
        place_text(" at ", &wait->near[i].place, &text);
    }
    copy = pto_arena_strdup(arena, pto_buf_text(&text));
    pto_buf_free(&text);
    return copy;
}

struct line {
    const char *text;
    const struct pto_party *wait;
    unsigned order;
};

static int compare_lines(const void *one, const void *two)
{
    const struct line *a = one, *b = two;
    int texts = strcmp(a->text, b->text);

    if (texts != 0)
        return texts;
    return a->order < b->order ? -1 : 1;
}

/* Lines with the same text, from `line` on; returns how many. */
static unsigned print_alike(const struct line *line, unsigned lines, struct pto_buf *out)
{
    unsigned alike = 0, shown = 0;
    size_t start = out->size;

    pto_buf_printf(out, "%s:", line->text);
    for (; alike < lines && !strcmp(line[alike].text, line->text); alike++) {
        if (shown == PARTIES_SHOWN ||
            (shown >= FEWEST_SHOWN && out->size - start > MOST_COLUMNS))
            continue;
        pto_buf_printf(out, "%s rank %d%s%s", alike > 0 ? "," : "", line[alike].wait->rank,
                       line[alike].wait->core ? " " : "",
                       line[alike].wait->core ? line[alike].wait->core : "");
        shown++;
    }
    if (alike > shown)
        pto_buf_printf(out, " and %u more", alike - shown);
    pto_buf_printf(out, "\n");
    return alike;
}

void cli_waits_text(const struct pto_vm *vm, struct pto_buf *out)
{
    struct pto_arena arena = {0};
    struct pto_party *wait;
    unsigned waits = pto_vm_parties(vm, &arena, &wait), lines = 0;
    struct line *line = pto_arena_array(&arena, waits + 1, sizeof *line);
    struct pto_buf text = {0};

    for (unsigned i = 0; i < waits; i++)
        if (wait[i].nears > 0 || wait[i].last.mnemonic || !wait[i].core ||
            !strcmp(wait[i].state, "ended"))
            line[lines++] = (struct line){story(&wait[i], &arena), &wait[i], i};
    qsort(line, lines, sizeof *line, compare_lines);
    for (unsigned i = 0; i < lines;)
        i += print_alike(&line[i], lines - i, &text);
    cli_details_text(pto_buf_text(&text), out);
    pto_buf_free(&text);
    pto_arena_free(&arena);
}

static void place_json(const char *key, const struct pto_party_place *place, struct cli_json *json)
{
    const struct pto_pos *pos = pto_place(place->module, place->pos);

    if (!pos)
        return;
    cli_json_open(json, key, '{');
    cli_json_text(json, "instruction", place->mnemonic);
    cli_json_text(json, "file", place->module->file[pos->file]);
    cli_json_uint(json, "line", pos->line);
    cli_json_close(json, '}');
}

static void party_json(const struct pto_party *wait, struct cli_json *json)
{
    cli_json_open(json, NULL, '{');
    cli_json_int(json, "rank", wait->rank);
    cli_json_text(json, "core", wait->core);
    cli_json_text(json, "pipe", wait->pipe);
    cli_json_text(json, "state", wait->state);
    cli_json_text(json, "wants", wait->wants);
    place_json("at", &wait->at, json);
    place_json("last", &wait->last, json);
    if (pto_place(wait->last.module, wait->last.pos))
        cli_json_uint(json, "last_ps", wait->last_ps);
    cli_json_open(json, "nearest", '[');
    for (unsigned i = 0; i < wait->nears; i++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "text", wait->near[i].text);
        place_json("at", &wait->near[i].place, json);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

void cli_waits_json(const struct pto_vm *vm, struct cli_json *json)
{
    struct pto_arena arena = {0};
    struct pto_party *wait;
    unsigned waits = pto_vm_parties(vm, &arena, &wait);

    cli_json_open(json, "waits", '[');
    for (unsigned i = 0; i < waits && i < PARTIES_LISTED; i++)
        party_json(&wait[i], json);
    cli_json_close(json, ']');
    pto_arena_free(&arena);
}

/* Lanes: a pipe's last while as a strip of characters, and the entries of its queue. */
#include <ctype.h>
#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/issue.h"
#include "dbg/signals.h"
#include "dbg/source.h"
#include "tui/screen.h"

enum { NAME_COLS = 5, ENTRY_BYTES = 512 };

static const char IDLE = '.', WAITS = 'w', BUSY = '=', DOWN = 'v', UP = '^';

/* ---- which ---- */

static bool belongs_to(enum pto_core_kind kind, unsigned queue)
{
    switch (queue) {
    case PTO_PIPE_S:
    case PTO_PIPE_MTE2:
        return true;
    case PTO_PIPE_V:
    case PTO_PIPE_MTE3:
        return kind == PTO_AIV;
    case PTO_PIPE_MTE1:
    case PTO_PIPE_M:
    case PTO_PIPE_FIX:
        return kind == PTO_AIC;
    default:
        return false;
    }
}

void tui_find_lanes(struct tui *tui)
{
    const struct dbg *dbg = tui->dbg;
    struct pto_core_info info;
    struct pto_queue_entry entry;

    dbg_focused(dbg, &info);
    tui->lane_count = 0;
    for (unsigned queue = 0; queue < PTO_QUEUE_COUNT; queue++)
        if (belongs_to(info.kind, queue) ||
            (queue != PTO_PIPE_S && info.module &&
             pto_vm_queue(dbg->launch.vm, dbg->rank, dbg->core, queue, 0, &entry)))
            tui->lane[tui->lane_count++] = queue;
}

bool tui_head(const struct tui *tui, unsigned lane, uint32_t *pos)
{
    const struct dbg *dbg = tui->dbg;
    struct pto_queue_entry entry;

    if (tui->lane[lane] == PTO_PIPE_S ||
        !pto_vm_queue(dbg->launch.vm, dbg->rank, dbg->core, tui->lane[lane], 0, &entry))
        return false;
    *pos = entry.insn->pos;
    return true;
}

void tui_draw_signals(struct tui *tui)
{
    struct dbg *dbg = tui->dbg;
    size_t from = dbg->out.size;

    if (tui->signals.rows == 0)
        return;
    dbg_say(dbg, "- signals: ");
    signals_say(dbg, dbg->rank, ", ");
    tui_put(tui->signals.top, 0, tui->cols, A_NORMAL, tui_said(dbg, from));
}

/* ---- strips ---- */

/* What the last while was like, a row of characters for each queue. */
struct strips {
    const struct tui *tui;
    int cols;
    uint64_t now, ps; /* of a column */
    char *cell;       /* [queue * cols] */
    uint64_t waits[PTO_QUEUE_COUNT]; /* since when, and they still do; 0: they do not */
};

/* The column of a moment, from the left: below 0 before the strips begin.  They end at now, whose
 * column is the last, even where that lets them begin before the run did. */
static int64_t column_of(const struct strips *s, uint64_t time)
{
    return time > s->now ? s->cols : s->cols - 1 - (int64_t)((s->now - time) / s->ps);
}

static void fill(struct strips *s, unsigned queue, uint64_t from, uint64_t to, char what)
{
    int64_t first = column_of(s, from), last = column_of(s, to);

    if (to < from || queue >= PTO_QUEUE_COUNT)
        return;
    for (int64_t c = first > 0 ? first : 0; c <= last && c < s->cols; c++) {
        char *cell = &s->cell[(int)queue * s->cols + (int)c];

        /* Tiles tell more than flags, and these more than that there was a wait. */
        if ((what != WAITS || *cell == IDLE) && (what != BUSY || !isdigit((unsigned char)*cell)))
            *cell = what;
    }
}

/* The slot of the first tile with several that an instruction names, as a digit: that is where
 * buffers alternate. */
static char slot_of(const struct pto_core_code *code, const char *text)
{
    for (const char *c = text; *c; c++) {
        size_t length = dbg_name_length(c);

        if (length == 0)
            continue;
        for (uint32_t i = 0; i < code->tiles; i++)
            if (code->tile[i].slots > 1 && dbg_is_name(code->tile[i].name, c, length) &&
                c[length] == '[' && isdigit((unsigned char)c[length + 1]))
                return c[length + 1];
        c += length - 1;
    }
    return BUSY;
}

static char look_of(struct dbg *dbg, const struct pto_insn *insn, const struct dbg_issue *issue)
{
    struct dbg_place place;
    size_t from = dbg->out.size;

    if (!source_place_of_insn(dbg, insn, &place))
        return BUSY;
    source_say_issued(dbg, &place, issue);
    return slot_of(place.code, tui_said(dbg, from));
}

static void take_event(struct strips *s, const struct dbg_record *record)
{
    const struct pto_event *e = &record->event;

    switch (e->kind) {
    case PTO_EV_SCALAR:
        fill(s, PTO_PIPE_S, e->time_ps, e->time_ps, BUSY);
        break;
    case PTO_EV_RESUME:
        fill(s, PTO_PIPE_S, e->start_ps, e->time_ps, WAITS);
        break;
    case PTO_EV_COMPLETE:
        fill(s, e->pipe, e->start_ps, e->time_ps, look_of(s->tui->dbg, e->insn, record->issue));
        break;
    case PTO_EV_WAIT_BEGIN:
        s->waits[e->flag_dst] = e->time_ps;
        break;
    case PTO_EV_WAIT_END:
        fill(s, e->flag_dst, e->start_ps, e->time_ps, WAITS);
        s->waits[e->flag_dst] = 0;
        break;
    default:
        break;
    }
}

/* The first kept event of the sub-core, or now. */
static uint64_t first_time(const struct dbg *dbg, uint64_t first, uint64_t now)
{
    for (uint64_t n = first; n <= dbg->events; n++) {
        const struct pto_event *event = &dbg->history[n % DBG_HISTORY].event;

        if (event->module && event->rank == dbg->rank && event->core == dbg->core)
            return event->time_ps;
    }
    return now;
}

/* The lane of a queue; as many as there are: none. */
static unsigned lane_of(const struct tui *tui, unsigned queue)
{
    unsigned lane = 0;

    while (lane < tui->lane_count && tui->lane[lane] != queue)
        lane++;
    return lane;
}

/* Arrows from the lane that set a token to the one that took it then: where its wait ended, a v or
 * a ^ towards it, which leaves the slots of tiles as they are. */
static void draw_arrow(struct strips *s, const struct pto_event *e)
{
    const struct tui *tui = s->tui;
    unsigned from = lane_of(tui, e->flag_src), to = lane_of(tui, e->flag_dst);
    int64_t column = column_of(s, e->time_ps);
    char *row = &s->cell[(int)e->flag_dst * s->cols];

    if (from == tui->lane_count || to == tui->lane_count || column < 0)
        return;
    if (column >= s->cols) /* S runs ahead of what is shown */
        return;
    if (column > 0 && isdigit((unsigned char)row[column]) && row[column - 1] == WAITS)
        column--; /* the last of the wait */
    if (!isdigit((unsigned char)row[column]))
        row[column] = from < to ? DOWN : UP;
}

/* What runs now, or waits. */
static void take_present(struct strips *s, unsigned queue)
{
    struct dbg *dbg = s->tui->dbg;
    struct pto_queue_entry entry;

    for (unsigned i = 0; pto_vm_queue(dbg->launch.vm, dbg->rank, dbg->core, queue, i, &entry); i++)
        if (entry.start_ps > 0 && entry.start_ps <= s->now)
            fill(s, queue, entry.start_ps, s->now,
                 look_of(dbg, entry.insn,
                         issue_of_entry(dbg, dbg->rank, dbg->core, queue, entry.number)));
    if (s->waits[queue] > 0)
        fill(s, queue, s->waits[queue], s->now, WAITS);
}

static void make_strips(struct strips *s)
{
    struct dbg *dbg = s->tui->dbg;
    uint64_t kept = dbg->events < DBG_HISTORY ? dbg->events : DBG_HISTORY;
    uint64_t first = dbg->events - kept + 1, begin;

    s->now = pto_vm_time(dbg->launch.vm);
    begin = first_time(dbg, first, s->now);
    s->ps = (s->now - begin) / (uint64_t)s->cols + 1;
    s->ps = s->tui->zoom >= 0 ? s->ps >> s->tui->zoom : s->ps << -s->tui->zoom;
    s->ps = s->ps > 0 ? s->ps : 1;
    memset(s->cell, IDLE, (size_t)(PTO_QUEUE_COUNT * s->cols));
    for (uint64_t n = first; n <= dbg->events && kept > 0; n++) {
        const struct dbg_record *record = &dbg->history[n % DBG_HISTORY];

        if (record->event.module && record->event.rank == dbg->rank &&
            record->event.core == dbg->core)
            take_event(s, record);
    }
    for (unsigned queue = PTO_PIPE_S + 1; queue < PTO_QUEUE_COUNT; queue++)
        take_present(s, queue);
    for (unsigned i = 0; i < kept; i++) {
        const struct pto_event *event = &dbg->history[(first + i) % DBG_HISTORY].event;

        if (event->kind == PTO_EV_WAIT_END && event->module && event->rank == dbg->rank &&
            event->core == dbg->core)
            draw_arrow(s, event);
    }
}

/* ---- queues ---- */

static void add_entry(struct dbg *dbg, const struct pto_core_info *info, unsigned queue,
                      const struct pto_queue_entry *entry, struct pto_buf *text)
{
    const struct dbg_place place = {info->module, info->kernel, info->code,
                                    (uint32_t)(entry->insn - info->code->code.insn), 0, false};
    size_t from = dbg->out.size;

    source_say_issued(dbg, &place,
                      issue_of_entry(dbg, dbg->rank, dbg->core, queue, entry->number));
    pto_buf_printf(text, "%s%s", text->size > 0 ? " | " : "", tui_said(dbg, from));
    if (entry->complete_ps > pto_vm_time(dbg->launch.vm))
        pto_buf_printf(text, " ..%s", dbg_time(entry->complete_ps).text);
    else if (!strncmp(entry->state, "waiting", 7))
        pto_buf_printf(text, " [%s]", entry->state);
}

/* Tokens that the pipe could take now: who has set them, and their ids. */
static void add_tokens(const struct dbg *dbg, unsigned dst, struct pto_buf *text)
{
    for (unsigned src = 0; src < PTO_PIPE_COUNT && dst < PTO_PIPE_COUNT; src++)
        for (unsigned id = 0; id < dbg->launch.profile.events; id++)
            for (unsigned n = pto_vm_flag(dbg->launch.vm, dbg->rank, dbg->core, src, dst, id);
                 n > 0; n--)
                pto_buf_printf(text, "<%s.%u ", pto_enum_keyword(PTO_ENUM_PIPE, (int)src), id);
}

static void say_lane(struct tui *tui, const struct pto_core_info *info, unsigned queue,
                     struct pto_buf *text)
{
    struct dbg *dbg = tui->dbg;
    struct pto_queue_entry entry;
    struct dbg_place place;
    size_t from = dbg->out.size;

    if (queue != PTO_PIPE_S) {
        for (unsigned i = 0;
             pto_vm_queue(dbg->launch.vm, dbg->rank, dbg->core, queue, i, &entry); i++)
            add_entry(dbg, info, queue, &entry, text);
    } else if (info->ended) {
        pto_buf_printf(text, "ended");
    } else if (dbg_place_of(info, &place)) {
        source_say_insn(dbg, &place);
        pto_buf_printf(text, "%s%s%s", tui_said(dbg, from), info->stall ? "  stalled: " : "",
                       info->stall ? info->stall : "");
    }
}

static void draw_lane(struct tui *tui, const struct strips *s, const struct pto_core_info *info,
                      unsigned index)
{
    unsigned queue = tui->lane[index];
    int row = tui->lanes.top + 1 + (int)index, col = NAME_COLS + 1;
    struct pto_buf entries = {0}, tokens = {0};
    const char *cell = &s->cell[(int)queue * s->cols];
    bool focused = tui->dbg->pipe == (int)queue;

    tui_put(row, 0, NAME_COLS, focused ? A_REVERSE : A_BOLD, pto_queue_name(queue));
    for (int c = 0; c < s->cols; c++) {
        char one[2] = {cell[c], '\0'};

        tui_put(row, col + c, 1, cell[c] == IDLE || cell[c] == WAITS ? A_DIM : A_REVERSE, one);
    }
    col += s->cols + 1;
    if (info->module) {
        add_tokens(tui->dbg, queue, &tokens);
        say_lane(tui, info, queue, &entries);
    }
    tui_put(row, col, (int)tokens.size, A_BOLD, pto_buf_text(&tokens));
    col += (int)tokens.size;
    tui_put(row, col, tui->cols - col, A_NORMAL, pto_buf_text(&entries));
    pto_buf_free(&entries);
    pto_buf_free(&tokens);
}

void tui_draw_lanes(struct tui *tui)
{
    struct strips s = {.tui = tui, .cols = tui->cols / 3 > 8 ? tui->cols / 3 : 8};
    struct pto_core_info info;
    char title[ENTRY_BYTES];

    dbg_focused(tui->dbg, &info);
    s.cell = pto_xmalloc((size_t)(PTO_QUEUE_COUNT * s.cols));
    make_strips(&s);
    snprintf(title, sizeof title,
             "- pipes: a column %s; 0 1 = slot at work, %c waits, %c %c token -- "
             "<SET.id tokens, then the queue ",
             dbg_time(s.ps).text, WAITS, DOWN, UP);
    tui_put(tui->lanes.top, 0, tui->cols, A_DIM, title);
    for (unsigned i = 0; i < tui->lane_count && (int)i + 1 < tui->lanes.rows; i++)
        draw_lane(tui, &s, &info, i);
    free(s.cell);
}

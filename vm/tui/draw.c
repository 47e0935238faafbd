/* The parts of the screen, and what stands in them. */
#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/run.h"
#include "dbg/source.h"
#include "tui/screen.h"

enum { LEAST_ROWS = 12, LEAST_COLS = 40 };

const char *tui_said(struct dbg *dbg, size_t from)
{
    pto_buf_text(&dbg->out);
    dbg->out.size = from;
    return (const char *)dbg->out.data + from;
}

/* ---- which rows are whose ---- */

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

static bool has_signals(const struct dbg *dbg)
{
    struct pto_object_info object;

    for (unsigned i = 0; pto_vm_object(dbg->launch.vm, dbg->rank, i, &object); i++)
        if (object.kind == PTO_OBJ_SIGNAL)
            return true;
    return false;
}

static void lay_out(struct tui *tui)
{
    int left;

    getmaxyx(stdscr, tui->rows, tui->cols);
    tui_find_lanes(tui);
    tui->lanes.rows = (int)tui->lane_count + 1;
    tui->signals.rows = has_signals(tui->dbg);
    left = tui->rows - 2 - tui->lanes.rows - tui->signals.rows; /* title and command line */
    tui->tile.rows = clamp(left / 5, 2, 17);
    tui->source.rows = clamp((left - tui->tile.rows) * 3 / 5, 1, left);
    tui->source.top = 1;
    tui->lanes.top = tui->source.top + tui->source.rows;
    tui->signals.top = tui->lanes.top + tui->lanes.rows;
    tui->tile.top = tui->signals.top + tui->signals.rows;
    tui->answers.top = tui->tile.top + tui->tile.rows;
    tui->answers.rows = tui->rows - 1 - tui->answers.top;
}

/* ---- title ---- */

static const char *state_of(const struct dbg *dbg)
{
    if (!dbg->started)
        return "not started";
    if (pto_vm_fault(dbg->launch.vm))
        return "dead";
    return run_is_over(dbg) ? "ended" : "stopped";
}

static void draw_title(const struct tui *tui)
{
    struct dbg *dbg = tui->dbg;
    struct pto_core_info info;
    char text[400];

    dbg_focused(dbg, &info);
    snprintf(text, sizeof text, " %s  rank %d of %d, %s  %s, event %llu  %s%s    ? help",
             cli_kernel_of(&dbg->launch.kernel[0])->name, dbg->rank, pto_vm_ranks(dbg->launch.vm),
             info.name, dbg_time(pto_vm_time(dbg->launch.vm)).text,
             (unsigned long long)dbg->events, state_of(dbg),
             dbg->changes > 0 ? ", altered" : "");
    tui_put(0, 0, tui->cols, A_REVERSE, text);
}

/* ---- source ---- */

/* Where the next instruction comes from; false: nobody knows. */
static bool find_line(const struct tui *tui, const struct pto_module **module, uint32_t *file,
                      uint32_t *line)
{
    const struct dbg *dbg = tui->dbg;
    struct pto_core_info info;
    const struct pto_kernel *kernel = cli_kernel_of(&dbg->launch.kernel[0]);
    const struct pto_pos *pos;

    dbg_focused(dbg, &info);
    *module = info.module ? info.module : &dbg->launch.kernel[0].file->program.module;
    if (info.module && info.pc < info.code->code.insns)
        pos = source_level(info.module, info.code->code.insn[info.pc].pos, dbg->depth);
    else
        pos = source_level(*module, kernel->pos, 0);
    if (!pos || pos->file >= (*module)->files)
        return false;
    *file = pos->file;
    *line = pos->line;
    return true;
}

/* Is there a breakpoint at the line? */
static bool is_marked(const struct dbg *dbg, const struct pto_module *module, uint32_t file,
                      uint32_t line)
{
    for (unsigned i = 0; i < dbg->breaks_count; i++)
        for (unsigned k = 0; k < dbg->breaks[i].places.count; k++) {
            const struct dbg_place *place = &dbg->breaks[i].places.item[k];
            const struct pto_pos *pos = source_level(
                place->module, place->code->code.insn[place->pc].pos, place->depth);

            if (place->module == module && pos && pos->file == file && pos->line == line)
                return true;
        }
    return false;
}

/* Does the position come from the line, itself or as a use of a macro? */
static bool is_from(const struct pto_module *module, uint32_t pos, uint32_t file, uint32_t line)
{
    for (unsigned level = source_levels(module, pos); level-- > 0;) {
        const struct pto_pos *at = source_level(module, pos, level);

        if (at->file == file)
            return at->line == line;
    }
    return false;
}

/* The pipes whose next or present work comes from a line, at the right end of its row. */
static void draw_heads(const struct tui *tui, int row, const struct pto_module *module,
                       uint32_t file, uint32_t line)
{
    char names[128] = "";
    uint32_t pos;

    for (unsigned i = 0; i < tui->lane_count; i++)
        if (tui_head(tui, i, &pos) && is_from(module, pos, file, line))
            snprintf(names + strlen(names), sizeof names - strlen(names), " %s",
                     pto_queue_name(tui->lane[i]));
    if (names[0])
        tui_put(tui->source.top + row, tui->cols - (int)strlen(names), (int)strlen(names), A_BOLD,
                names);
}

static void draw_source(struct tui *tui)
{
    struct dbg *dbg = tui->dbg;
    const struct pto_module *module;
    uint32_t file, line;
    int64_t first;

    if (!find_line(tui, &module, &file, &line)) {
        tui_put(tui->source.top, 0, tui->cols, A_DIM, "(no source)");
        return;
    }
    first = (int64_t)line - tui->source.rows / 2 + tui->source_moved;
    first = first > 1 ? first : 1;
    for (int r = 0; r < tui->source.rows; r++) {
        uint32_t number = (uint32_t)(first + r);
        size_t length = 0;
        const char *text = source_text(dbg, module->file[file], number, &length);
        char *row;

        if (!text)
            continue;
        row = pto_xmalloc(length + 40);
        snprintf(row, length + 40, "%c%c%5u  %.*s", number == line ? '>' : ' ',
                 is_marked(dbg, module, file, number) ? '*' : ' ', number, (int)length, text);
        tui_put(tui->source.top + r, 0, tui->cols, number == line ? A_REVERSE : A_NORMAL, row);
        draw_heads(tui, r, module, file, number);
        free(row);
    }
}

/* ---- answers and the command line ---- */

/* The beginning of the last row of `text`, whose lines are wrapped at `cols`. */
static size_t last_row(const char *text, size_t end, int cols)
{
    size_t begin = end, fits;

    while (begin > 0 && text[begin - 1] != '\n')
        begin--;
    while ((fits = tui_fit(text + begin, end - begin, cols)) < end - begin)
        begin += fits;
    return begin;
}

static void draw_answers(struct tui *tui)
{
    const char *text = pto_buf_text(&tui->text);
    size_t end = tui->text.size;
    int row = tui->answers.top + tui->answers.rows - 1 + (int)tui->scrolled;

    end -= end > 0 && text[end - 1] == '\n';
    for (; row >= tui->answers.top && end > 0; row--) {
        size_t begin = last_row(text, end, tui->cols);
        char *line = pto_xstrndup(text + begin, end - begin);

        if (row < tui->answers.top + tui->answers.rows)
            tui_put(row, 0, tui->cols, A_NORMAL, line);
        free(line);
        end = begin - (begin > 0 && text[begin - 1] == '\n');
        if (begin == 0)
            break;
    }
}

static void draw_command(const struct tui *tui)
{
    static const char prompt[] = "(ptodbg) ";
    int width = (int)(sizeof prompt - 1), room = tui->cols - width - 1;
    const char *line = tui->line;

    if (!tui->typing) {
        tui_put(tui->rows - 1, 0, tui->cols, A_DIM,
                "s step  n next  p pipe  b back  c continue  t tile  : command  q leave  ? keys");
        return;
    }
    tui_put(tui->rows - 1, 0, width, A_BOLD, prompt);
    while (tui_columns(line) > room || tui_is_inner(*line)) /* the end is what one looks at */
        line++;
    tui_put(tui->rows - 1, width, room, A_NORMAL, line);
    move(tui->rows - 1, width + tui_columns(line));
}

void tui_draw(struct tui *tui)
{
    erase();
    lay_out(tui);
    if (tui->rows < LEAST_ROWS || tui->cols < LEAST_COLS) {
        tui_put(0, 0, tui->cols, A_NORMAL, "too small: 40 x 12 at least");
        refresh();
        return;
    }
    draw_title(tui);
    draw_source(tui);
    tui_draw_lanes(tui);
    tui_draw_signals(tui);
    tui_draw_tile(tui);
    draw_answers(tui);
    curs_set(tui->typing);
    draw_command(tui);
    refresh();
}

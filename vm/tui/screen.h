/* What the full screen shows, private to vm/tui. */
#ifndef PTO_TUI_SCREEN_H
#define PTO_TUI_SCREEN_H

#include "dbg/state.h"

enum { TUI_LINE = 1024, TUI_LANES = PTO_QUEUE_COUNT };

/* Rows of a part of the screen. */
struct tui_part {
    int top, rows;
};

struct tui {
    struct dbg *dbg;
    struct dbg_terminal terminal; /* takes what the debugger answers */
    int rows, cols;
    struct tui_part source, lanes, signals, tile, answers; /* of the screen as it is now */
    unsigned lane[TUI_LANES], lane_count;         /* queues that have a lane */

    struct pto_buf text; /* answers, the latest last */
    unsigned scrolled;   /* rows back from their end */
    int source_moved;    /* lines up or down from the next instruction's */
    unsigned tile_index; /* the slot that is shown, counted over all tiles */
    int zoom;            /* powers of two of time that a column stands for */

    bool typing;
    char line[TUI_LINE]; /* that is being typed */
    unsigned past_at;    /* line of the past that is shown in its place */
    bool over;
};

/* ---- text.c ---- */
/* Characters beyond ASCII are those of the terminal's locale until the end; the result is the
 * argument of the end. */
char *tui_begin_text(void);
void tui_end_text(char *before);
/* Is the byte one of a UTF-8 character, but not its first? */
bool tui_is_inner(char byte);
/* How many bytes of `text` fit into so many columns; at least one where there are eight. */
size_t tui_fit(const char *text, size_t length, int columns);
int tui_columns(const char *text);
/* Text at a place, cut to `width` and filled up with blanks.  `look`: attributes of curses. */
void tui_put(int row, int col, int width, unsigned look, const char *text);

/* ---- the parts ---- */
/* What the debugger has said since its answer had `from` bytes; it is taken back.  Valid until it
 * says more. */
const char *tui_said(struct dbg *dbg, size_t from);
/* Draw all of it (draw.c). */
void tui_draw(struct tui *tui);
/* The pipes, one row each: the last while as a strip, then what is in the queue (lanes.c). */
void tui_draw_lanes(struct tui *tui);
/* Which queues have a lane. */
void tui_find_lanes(struct tui *tui);
/* What a pipe has at its head: false if its queue is empty. */
bool tui_head(const struct tui *tui, unsigned lane, uint32_t *pos);
/* The signals of the rank in focus, one row. */
void tui_draw_signals(struct tui *tui);
/* The tile in focus (tile.c). */
void tui_draw_tile(struct tui *tui);

#endif

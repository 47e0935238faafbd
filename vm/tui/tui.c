#include "tui/tui.h"

#include <curses.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dbg/past.h"
#include "tui/screen.h"

enum { TEXT_KEPT = 64 << 10 /* bytes of answers */, ESCAPE_DELAY_MS = 25, ESCAPE = 27,
       DELETE = 127, CTRL_U = 21, CTRL_L = 12 };

static const char HELP[] =
    "Keys: s step, n next line, p pipe event, c continue, f finish, r run, w why\n"
    "b back a step, N back a line, C back to a breakpoint, g next finding, + - zoom\n"
    "Tab next sub-core, } { ranks, t T tiles, arrows move the source, PgUp PgDn this\n"
    ": or Enter a command (Tab completes, arrows recall, Esc drops it), q leave\n"
    "mouse: a lane is the pipe to look at, the map goes on to the next tile\n";

/* Keys that stand for commands. */
static const struct {
    int key;
    const char *command;
} COMMAND_KEYS[] = {
    {'s', "step"},         {'n', "next"},         {'p', "pipe"},
    {'c', "continue"},     {'f', "finish"},       {'b', "reverse-step"},
    {'N', "reverse-next"}, {'C', "reverse-continue"}, {'r', "run"},
    {'w', "why"},
};

/* ---- the debugger's terminal ---- */

static void take_text(void *context, const char *text, size_t length)
{
    struct tui *tui = context;

    pto_buf_append(&tui->text, text, length);
    if (tui->text.size > 2 * TEXT_KEPT) {
        size_t drop = tui->text.size - TEXT_KEPT;

        memmove(tui->text.data, tui->text.data + drop, TEXT_KEPT);
        tui->text.size = TEXT_KEPT;
    }
}

static char *read_nothing(void *context, const char *prompt)
{
    (void)context, (void)prompt;
    return NULL;
}

static void carry_out(struct tui *tui, const char *command)
{
    struct pto_buf echo = {0};

    pto_buf_printf(&echo, "(ptodbg) %s\n", command);
    take_text(tui, (const char *)echo.data, echo.size);
    pto_buf_free(&echo);
    tui->scrolled = 0;
    tui->source_moved = 0;
    tui->dbg->at_prompt = true;
    dbg_command(tui->dbg, command);
    tui->dbg->at_prompt = false;
    tui->over = tui->over || tui->dbg->quit;
}

/* ---- typing ---- */

static void recall(struct tui *tui, int step)
{
    int64_t at = (int64_t)tui->past_at + step;

    if (at < 0 || at > tui->dbg->pasts)
        return;
    tui->past_at = (unsigned)at;
    tui->line[0] = '\0';
    if (tui->past_at < tui->dbg->pasts)
        strncat(tui->line, tui->dbg->past[tui->past_at], TUI_LINE - 1);
}

/* Add what all ways to go on have in common; if that is nothing, list them. */
static void complete(struct tui *tui)
{
    size_t start = 0, common, have;
    char **match = dbg_complete(tui->dbg, tui->line, &start);

    if (!match || !match[0]) {
        free(match);
        return;
    }
    common = strlen(match[0]);
    for (unsigned i = 1; match[i]; i++)
        for (size_t k = 0; k < common; k++)
            if (match[i][k] != match[0][k])
                common = k;
    have = strlen(tui->line + start);
    if (common > have && start + common + 2 < TUI_LINE) {
        memcpy(tui->line + start, match[0], common);
        strcpy(tui->line + start + common,
               match[1] || match[0][common - 1] == '/' ? "" : " ");
    } else if (match[1]) {
        for (unsigned i = 0; match[i]; i++) {
            take_text(tui, match[i], strlen(match[i]));
            take_text(tui, match[i + 1] ? "  " : "\n", match[i + 1] ? 2 : 1);
        }
    }
    for (unsigned i = 0; match[i]; i++)
        free(match[i]);
    free(match);
}

static void enter(struct tui *tui)
{
    tui->typing = false;
    if (tui->line[0] == '\0')
        return;
    past_add(tui->dbg, tui->line);
    carry_out(tui, tui->line);
    tui->typing = tui->dbg->block.name != NULL; /* its next line is no key */
    tui->line[0] = '\0';
    tui->past_at = tui->dbg->pasts;
}

/* Keys beyond ASCII come as the bytes of a UTF-8 character, one at a time. */
static void insert(struct tui *tui, size_t length, int byte)
{
    enum { SEQUENCE = 4 };
    size_t room = byte < DELETE || tui_is_inner((char)byte) ? 1 : SEQUENCE;

    if (length + room < TUI_LINE)
        memcpy(tui->line + length, (char[2]){(char)byte, '\0'}, 2);
}

static void take_back(struct tui *tui, size_t length)
{
    while (length > 1 && tui_is_inner(tui->line[length - 1]))
        length--;
    tui->line[length > 0 ? length - 1 : 0] = '\0';
}

static void type(struct tui *tui, int key)
{
    size_t length = strlen(tui->line);

    if (key == '\n' || key == '\r' || key == KEY_ENTER)
        enter(tui);
    else if (key == ESCAPE)
        tui->typing = false;
    else if (key == KEY_BACKSPACE || key == DELETE || key == '\b')
        take_back(tui, length);
    else if (key == CTRL_U)
        tui->line[0] = '\0';
    else if (key == '\t')
        complete(tui);
    else if (key == KEY_UP || key == KEY_DOWN)
        recall(tui, key == KEY_UP ? -1 : 1);
    else if (key >= ' ' && key != DELETE && key <= UCHAR_MAX)
        insert(tui, length, key);
}

/* ---- single keys ---- */

/* The next sub-core of the rank that has a program. */
static void next_core(struct tui *tui)
{
    struct dbg *dbg = tui->dbg;
    unsigned cores = pto_vm_cores(dbg->launch.vm);
    struct pto_core_info info;

    for (unsigned i = 1; i <= cores; i++) {
        unsigned core = (dbg->core + i) % cores;

        pto_vm_core(dbg->launch.vm, dbg->rank, core, &info);
        if (info.module) {
            dbg_focus_on(dbg, dbg->rank, core);
            return;
        }
    }
}

static void next_rank(struct tui *tui, int step)
{
    int ranks = pto_vm_ranks(tui->dbg->launch.vm);

    dbg_focus_on(tui->dbg, (tui->dbg->rank + step + ranks) % ranks, tui->dbg->core);
}

static void click(struct tui *tui)
{
    MEVENT event;
    int lane;

    if (getmouse(&event) != OK)
        return;
    lane = event.y - tui->lanes.top - 1;
    if (lane >= 0 && lane < (int)tui->lane_count)
        tui->dbg->pipe = tui->dbg->pipe == (int)tui->lane[lane] ? DBG_ANY_PIPE
                                                                : (int)tui->lane[lane];
    else if (event.y >= tui->tile.top && event.y < tui->tile.top + tui->tile.rows)
        tui->tile_index++;
}

static bool look(struct tui *tui, int key)
{
    switch (key) {
    case '\t':
        next_core(tui);
        return true;
    case '}':
    case '{':
        next_rank(tui, key == '}' ? 1 : -1);
        return true;
    case 't':
        tui->tile_index++;
        return true;
    case 'T': /* they go round, at a number that is larger than any machine's */
        tui->tile_index = tui->tile_index > 0 ? tui->tile_index - 1 : 0;
        return true;
    case '+':
    case '-':
        tui->zoom += key == '+' ? tui->zoom < 16 : -(tui->zoom > -16);
        return true;
    case KEY_UP:
    case KEY_DOWN:
        tui->source_moved += key == KEY_DOWN ? 1 : -1;
        return true;
    case KEY_PPAGE:
        tui->scrolled += (unsigned)tui->answers.rows;
        return true;
    case KEY_NPAGE:
        tui->scrolled -= tui->scrolled < (unsigned)tui->answers.rows
                             ? tui->scrolled : (unsigned)tui->answers.rows;
        return true;
    case KEY_MOUSE:
        click(tui);
        return true;
    default:
        return false;
    }
}

/* The first finding behind this event. */
static void next_finding(struct tui *tui)
{
    struct pto_buf command = {0};

    for (unsigned i = 0; i < tui->dbg->founds && command.size == 0; i++)
        if (tui->dbg->found[i].event > tui->dbg->events)
            pto_buf_printf(&command, "goto finding %u", i + 1);
    carry_out(tui, command.size > 0 ? pto_buf_text(&command) : "continue");
    pto_buf_free(&command);
}

static void press(struct tui *tui, int key)
{
    for (unsigned i = 0; i < sizeof COMMAND_KEYS / sizeof *COMMAND_KEYS; i++)
        if (COMMAND_KEYS[i].key == key) {
            carry_out(tui, COMMAND_KEYS[i].command);
            return;
        }
    if (look(tui, key))
        return;
    if (key == 'q')
        tui->over = true;
    else if (key == 'g')
        next_finding(tui);
    else if (key == '?')
        take_text(tui, HELP, sizeof HELP - 1);
    else if (key == CTRL_L)
        clearok(stdscr, true);
    else if (key == ':' || key == '\n' || key == '\r' || key == KEY_ENTER) {
        tui->typing = true;
        tui->line[0] = '\0';
        tui->past_at = tui->dbg->pasts;
    }
}

/* ---- the screen ---- */

static void serve(struct tui *tui)
{
    int failed = 0;

    while (!tui->over) {
        int key;

        tui_draw(tui);
        key = getch();
        /* After a signal there is no key; a terminal that went away never has one again. */
        failed = key == ERR ? failed + 1 : 0;
        if (failed > 3)
            tui->over = tui->dbg->quit = true;
        else if (key == ERR)
            tui->typing = false;
        else if (tui->typing && key != KEY_RESIZE)
            type(tui, key);
        else if (key != KEY_RESIZE)
            press(tui, key);
    }
}

/* On a terminal that only prints lines there is no screen: it is given back. */
static bool moves_cursor(SCREEN *screen, const char **why)
{
    if (tigetstr("cup"))
        return true;
    *why = "this terminal cannot move its cursor (TERM)";
    endwin();
    delscreen(screen);
    return false;
}

bool tui_show(void *context, struct dbg *dbg, const char **why)
{
    const struct dbg_terminal *before = dbg->terminal;
    struct tui tui = {.dbg = dbg};
    char *locale;
    SCREEN *screen;

    (void)context;
    *why = "the full screen needs a terminal";
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return false;
    locale = tui_begin_text();
    screen = newterm(NULL, stdout, stdin);
    *why = "curses does not know this terminal (TERM)";
    if (!screen || !moves_cursor(screen, why)) {
        tui_end_text(locale);
        return false;
    }
    set_escdelay(ESCAPE_DELAY_MS);
    cbreak();
    noecho();
    keypad(stdscr, true);
    mouseinterval(0);
    mousemask(BUTTON1_CLICKED | BUTTON1_PRESSED, NULL);
    tui.terminal = (struct dbg_terminal){
        .context = &tui, .read = read_nothing, .write = take_text, .interactive = true};
    dbg->terminal = &tui.terminal;
    serve(&tui);
    dbg->terminal = before;
    endwin();
    delscreen(screen);
    tui_end_text(locale);
    pto_buf_free(&tui.text);
    return true;
}

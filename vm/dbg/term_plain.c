#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "arena.h"
#include "dbg/term.h"

static char *read_line(void *context, const char *prompt)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;

    (void)context;
    if (isatty(STDIN_FILENO))
        fputs(prompt, stdout);
    fflush(stdout);
    length = getline(&line, &capacity, stdin);
    if (length < 0) {
        if (!feof(stdin) && errno == ENOMEM)
            pto_out_of_memory(0);
        free(line);
        return NULL;
    }
    if (length > 0 && line[length - 1] == '\n')
        line[length - 1] = '\0';
    return line;
}

/* A key, or 'q' for Ctrl-C. `waiting` is the mask while it waits: the signal that came since the
 * question was put is let in only there, where it cuts the waiting short. */
static char read_key(const sigset_t *waiting)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char key;

    if (ppoll(&input, 1, NULL, waiting) != 1 || read(STDIN_FILENO, &key, 1) != 1)
        return 'q';
    return key;
}

/* One key answers. */
static bool ask_for_more(void *context)
{
    static const char PROMPT[] = "--- Enter: more, q: no more --- ";
    enum { ESCAPE = 27, CTRL_D = 4 };
    struct termios before, now;
    sigset_t interrupt, outside;
    char key;

    (void)context;
    if (tcgetattr(STDIN_FILENO, &before) != 0)
        return false;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, &outside);
    now = before;
    now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    now.c_cc[VMIN] = 1;
    now.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &now);
    fputs(PROMPT, stdout);
    fflush(stdout);
    key = read_key(&outside);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    sigprocmask(SIG_SETMASK, &outside, NULL);
    printf("\r%*s\r", (int)sizeof PROMPT - 1, "");
    fflush(stdout);
    return !strchr("qQ", key) && key != ESCAPE && key != CTRL_D;
}

static void write_text(void *context, const char *text, size_t length)
{
    (void)context;
    fwrite(text, 1, length, stdout);
    fflush(stdout);
}

void term_plain(struct dbg_terminal *terminal)
{
    struct winsize size = {0};

    *terminal = (struct dbg_terminal){
        .read = read_line,
        .write = write_text,
        .more = ask_for_more,
        .interactive = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO),
    };
    if (terminal->interactive && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
        terminal->width = size.ws_col;
        terminal->height = size.ws_row;
    }
}

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
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
        .interactive = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO),
    };
    if (terminal->interactive && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
        terminal->width = size.ws_col;
        terminal->height = size.ws_row;
    }
}

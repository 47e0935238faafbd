/* The line on the terminal that tells how far ptovm is. */
#include <stdio.h>
#include <unistd.h>

#include "session.h"
#include "cli/faults.h"

bool session_tells_progress(const struct session *s)
{
    return !s->options.quiet && tool_obeys_escapes(STDERR_FILENO);
}

void session_show_line(struct session *s, const struct pto_buf *text)
{
    unsigned width = tool_columns(STDERR_FILENO); /* in the last column the cursor may go on */

    fprintf(stderr, "\r\033[K%.*s\r", (int)tool_cut(text->data, text->size, width - 1),
            (const char *)text->data);
    fflush(stderr);
    s->line_shown = true;
}

void session_clear_line(struct session *s)
{
    if (s->line_shown)
        fprintf(stderr, "\033[K");
    s->line_shown = false;
}

void session_show_filling(void *context, const char *object, int rank, double seconds,
                          double share)
{
    struct pto_buf line = {0};

    pto_buf_printf(&line, "making inputs for %.0f s: '%s' of rank %d, %.0f %%", seconds, object,
                   rank, 100 * share);
    session_show_line(context, &line);
    pto_buf_free(&line);
}

void session_show_progress(void *context, const struct pto_vm *vm, double seconds)
{
    char time[CLI_TIME_BYTES];
    struct pto_progress far = pto_vm_progress(vm);
    struct pto_buf text = {0};

    pto_buf_printf(&text, "running for %.0f s: %s simulated, ", seconds,
                   cli_time_text(pto_vm_time(vm), time));
    if (far.launches > 1)
        pto_buf_printf(&text, "%u of %u launches and ", far.launches_done, far.launches);
    if (far.launches > 1 || far.ranks > 1)
        pto_buf_printf(&text, "%d of %d ranks done, ", far.ranks_done, far.ranks);
    pto_buf_printf(&text, "%llu tile instructions, %.2g million events a second",
                   (unsigned long long)pto_vm_instructions(vm),
                   (double)pto_vm_events(vm) / seconds * 1e-6);
    session_show_line(context, &text);
    pto_buf_free(&text);
}

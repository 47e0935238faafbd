/* ptovm that writes how many nanoseconds each of its windows took into the file that WINDOW_TIMES
 * names, a number a line: many_ranks.py takes the least of several runs window by window, which
 * leaves out what else the host did meanwhile.  The first window, which includes the start, stays
 * out. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "units/link.h"

enum { MOST_WINDOWS = 1 << 20 };

static uint64_t ended[MOST_WINDOWS];
static unsigned windows;

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void write_times(void)
{
    const char *name = getenv("WINDOW_TIMES");
    FILE *out = name ? fopen(name, "w") : NULL;

    if (!out)
        return;
    for (unsigned i = 1; i < windows; i++)
        fprintf(out, "%llu\n", (unsigned long long)(ended[i] - ended[i - 1]));
    fclose(out);
}

/* The linker puts it in the place of the function that ends a window (--wrap). */
void __real_link_exchange(struct pto_vm *vm);
void __wrap_link_exchange(struct pto_vm *vm);

void __wrap_link_exchange(struct pto_vm *vm)
{
    if (windows == 0)
        atexit(write_times);
    __real_link_exchange(vm);
    if (windows < MOST_WINDOWS)
        ended[windows++] = now_ns();
}

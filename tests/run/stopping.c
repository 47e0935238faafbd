/* ptovm that is asked to end at an event of its own choice: behind as many events of the run as the
 * variable STOP_AT says it sends itself SIGTERM, as somebody else might at any moment.  STOP_RUN
 * says in which of several machines, from 1 on; unless it is given, in the first.
 *
 * Linked with --wrap=pto_vm_run, so that the program is ptovm in every other respect. */
#include <signal.h>
#include <stdlib.h>

#include "vm.h"

enum pto_status __real_pto_vm_run(struct pto_vm *vm);
enum pto_status __wrap_pto_vm_run(struct pto_vm *vm);

static void count(void *context, const struct pto_event *event)
{
    long *left = context;

    (void)event;
    if (--*left == 0)
        raise(SIGTERM);
}

enum pto_status __wrap_pto_vm_run(struct pto_vm *vm)
{
    static const struct pto_vm *last;
    static long left, machines;
    const char *stop = getenv("STOP_AT"), *which = getenv("STOP_RUN");

    machines += vm != last; /* one that paused runs again */
    last = vm;
    if (stop && !left && machines >= (which ? atol(which) : 1)) {
        left = atol(stop);
        pto_vm_observe(vm, count, &left);
    }
    return __real_pto_vm_run(vm);
}

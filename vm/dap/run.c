/* Requests that make the machine go, and the events that tell where it stopped. */
#include <stdlib.h>
#include <string.h>

#include "dap/adapter.h"
#include "dbg/breakpoint.h"
#include "dbg/hit.h"
#include "dbg/run.h"
#include "dbg/script.h"

/* ---- the terminal of the debugger ---- */

static char *read_nothing(void *context, const char *prompt)
{
    (void)context, (void)prompt;
    return NULL;
}

/* Stopped for a message alone, the machine goes on as if nothing had been; nor is it told. */
static bool goes_on(const struct dap *dap)
{
    return dap->running && dap->dbg && dap->dbg->stop.kind == DBG_STOP_INTERRUPT &&
           !dap->dbg->goal.silent && !dap->pausing && !dap->over && !dap->input_over;
}

static void write_text(void *context, const char *text, size_t length)
{
    struct dap *dap = context;
    char *copy;

    if (dap->capturing)
        pto_buf_append(&dap->answer, text, length);
    if (dap->capturing || length == 0 || goes_on(dap))
        return;
    copy = pto_xstrndup(text, length);
    dap_output(dap, "console", copy);
    free(copy);
}

void dap_terminal(struct dap *dap)
{
    dap->terminal = (struct dbg_terminal){.context = dap,
                                          .read = read_nothing,
                                          .write = write_text,
                                          .urgent = dap_is_urgent,
                                          .interactive = true};
}

/* ---- where it stopped ---- */

static bool is_over(const struct dap *dap)
{
    return dap->dbg->started && run_is_over(dap->dbg);
}

void dap_tell_end(struct dap *dap)
{
    if (dap->told_end)
        return;
    dap->told_end = true;
    dap_event(dap, "exited", json_pack("{s:i}", "exitCode", (int)dbg_program_exit(dap->dbg)));
    dap_event(dap, "terminated", NULL);
}

static const char *reason_of_break(const struct dap *dap)
{
    const struct dbg_break *b = breakpoint_find(dap->dbg, dap->dbg->stop.breakpoint);

    if (dap->dbg->stop.event.kind == DBG_EV_FINDING || (b && b->nan))
        return "exception";
    if (b && (b->kind == DBG_AT_TOUCH || b->kind == DBG_AT_VALUE))
        return "data breakpoint";
    for (unsigned i = 0; b && i < dap->owneds; i++)
        if (dap->owned[i].number == b->number && !strcmp(dap->owned[i].owner, "instruction"))
            return "instruction breakpoint";
    return "breakpoint";
}

static const char *reason_of(const struct dap *dap)
{
    if (is_over(dap))
        return pto_vm_fault(dap->dbg->launch.vm) ? "exception" : "end";
    switch (dap->dbg->stop.kind) {
    case DBG_STOP_BREAK:
        return reason_of_break(dap);
    case DBG_STOP_INTERRUPT:
        return "pause";
    default:
        return dap->reason;
    }
}

static void tell_stop(struct dap *dap)
{
    const struct pto_fault *fault = pto_vm_fault(dap->dbg->launch.vm);
    json_t *body = json_pack("{s:s, s:I, s:b}", "reason", reason_of(dap), "threadId",
                             (json_int_t)dap_thread(dap->dbg, dap->dbg->rank, dap->dbg->core),
                             "allThreadsStopped", 1);
    json_t *hit = json_array();

    dap_drop_handles(dap);
    for (unsigned i = 0; i < dap->dbg->hits && !is_over(dap); i++)
        if (hit_is_first(dap->dbg, i))
            json_array_append_new(hit, json_integer(dap->dbg->hit[i].number));
    if (json_array_size(hit) > 0)
        json_object_set(body, "hitBreakpointIds", hit);
    json_decref(hit);
    if (is_over(dap) && fault)
        json_object_set_new(body, "text", dap_string(fault->message));
    if (dap->dbg->stop.kind == DBG_STOP_ENDED)
        json_object_set_new(body, "description", json_string("The sub-core has ended"));
    dap_event(dap, "stopped", body);
}

void dap_tell(struct dap *dap)
{
    bool over = is_over(dap), well = over && !pto_vm_fault(dap->dbg->launch.vm);

    if (dap->terminated)
        return;
    if (!over && !dap->dbg->quit) /* it came back from an end that was told */
        dap->told_end = false;
    if (dap->dbg->quit || (well && !dap->stop_on_end))
        dap_tell_end(dap);
    else
        tell_stop(dap);
}

const char *dap_exception_info(struct dap *dap, const json_t *args, json_t **body)
{
    const struct pto_fault *fault = pto_vm_fault(dap->dbg->launch.vm);
    const char *id = "finding";

    (void)args;
    if (fault)
        id = fault->status == PTO_EDEADLOCK ? "deadlock"
             : fault->status == PTO_ELIMIT  ? "limit"
                                            : "fault";
    else if (strcmp(reason_of(dap), "exception") != 0)
        return "the program did not stop at an exception";
    else if (dap->dbg->stop.event.kind != DBG_EV_FINDING)
        id = "nan";
    *body = json_pack("{s:s, s:s}", "exceptionId", id, "breakMode", "always");
    if (fault)
        json_object_set_new(*body, "description", dap_string(fault->message));
    if (!strcmp(id, "nan") || !dap_capture(dap, "why"))
        return NULL;
    json_object_set_new(*body, "details",
                        json_pack("{s:o}", "message", dap_string(pto_buf_text(&dap->answer))));
    return NULL;
}

/* ---- going ---- */

static void go_on(struct dap *dap)
{
    dap_serve_waiting(dap);
    if (!goes_on(dap))
        return;
    run_machine(dap->dbg, dap->dbg->goal);
    run_settle(dap->dbg);
    script_carry_out_due(dap->dbg);
    dbg_flush(dap->dbg);
}

void dap_go(struct dap *dap)
{
    const char *command = dap->command;

    dap->command = NULL;
    dap->answer.size = 0;
    dap->running = true;
    dap->pausing = false;
    dbg_command(dap->dbg, command);
    while (goes_on(dap))
        go_on(dap);
    dap->running = false;
    dap->over = dap->over || dap->input_over;
    if (!dap->over)
        dap_tell(dap);
}

/* Before a command with the thread that is meant: NULL, or why it cannot be carried out. */
static const char *prepare(struct dap *dap, const json_t *args, const char *command)
{
    const char *why = dap_focus_thread(dap, args);
    struct pto_core_info info;

    if (why)
        return why;
    if (!dap->configured)
        return "the run has not begun: configurationDone comes first";
    if (dap->terminated)
        return "the program was terminated: restart runs it again";
    dbg_focused(dap->dbg, &info);
    if (!info.module && !strstr(command, "continue")) /* the rest is of one sub-core */
        return dap_why(dap, "rank %d %s has no program in this launch, so it makes no steps",
                       dap->dbg->rank, info.name);
    dap->reason = "step";
    return NULL;
}

/* The program is over where the machine stands: there is nothing to do but to say so, once. */
static const char *go_forward(struct dap *dap, const json_t *args, const char *command)
{
    const char *why = prepare(dap, args, command);

    if (why)
        return why;
    if (is_over(dap) && dap->told_end)
        return "the program has ended: go back, or restart it";
    if (is_over(dap))
        dap_tell_end(dap);
    else
        dap->command = command;
    return NULL;
}

static const char *go_back(struct dap *dap, const json_t *args, const char *command)
{
    const char *why = prepare(dap, args, command);

    if (why)
        return why;
    dap->command = command;
    return NULL;
}

static bool by_instruction(const json_t *args)
{
    return !strcmp(dap_text(args, "granularity", ""), "instruction");
}

const char *dap_continue(struct dap *dap, const json_t *args, json_t **body)
{
    const char *why = go_forward(dap, args, "continue");

    if (!why)
        *body = json_pack("{s:b}", "allThreadsContinued", 1);
    return why;
}

const char *dap_next(struct dap *dap, const json_t *args, json_t **body)
{
    (void)body;
    return go_forward(dap, args, by_instruction(args) ? "step" : "next");
}

/* Into macros: by lines of the text that an instruction comes from in the end. */
const char *dap_step_in(struct dap *dap, const json_t *args, json_t **body)
{
    const char *why = go_forward(dap, args, by_instruction(args) ? "step" : "next");

    (void)body;
    if (!why)
        dap->dbg->depth = DBG_DEPTH_INNERMOST;
    return why;
}

const char *dap_step_out(struct dap *dap, const json_t *args, json_t **body)
{
    (void)body;
    return go_forward(dap, args, "finish");
}

const char *dap_step_back(struct dap *dap, const json_t *args, json_t **body)
{
    (void)body;
    return go_back(dap, args, by_instruction(args) ? "reverse-step" : "reverse-next");
}

const char *dap_reverse_continue(struct dap *dap, const json_t *args, json_t **body)
{
    (void)body;
    return go_back(dap, args, "reverse-continue");
}

const char *dap_pause(struct dap *dap, const json_t *args, json_t **body)
{
    (void)args, (void)body;
    dap->pausing = true;
    return NULL;
}

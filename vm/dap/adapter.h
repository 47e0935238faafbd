/* State of the adapter, private to vm/dap. */
#ifndef PTO_DAP_ADAPTER_H
#define PTO_DAP_ADAPTER_H

#include <jansson.h>

#include "dap/dap.h"
#include "dbg/state.h"
#include "dbg/view.h"
#include "frame.h"

enum dap_scope {
    DAP_REGISTERS,
    DAP_ARRAYS,  /* .local */
    DAP_QUEUES,
    DAP_FLAGS,
    DAP_TILES,
    DAP_OBJECTS,
    DAP_SCOPES,
    /* What is in them: */
    DAP_QUEUE = DAP_SCOPES, /* entries of one */
    DAP_ARRAY,   /* elements of one */
    DAP_WINDOW,  /* rows, or elements of the only row, of a tile slot or an object */
    DAP_ROW      /* elements of one */
};

/* What a variablesReference stands for, until the machine goes on; the reference is the index
 * + 1. */
struct dap_handle {
    enum dap_scope kind;
    int rank;
    unsigned core;
    uint64_t index; /* queue, array or row */
    char *name;     /* DAP_WINDOW, DAP_ROW: as `print` takes it; else NULL */
};

/* A breakpoint that the client asked for. */
struct dap_owned {
    char *owner;     /* "source /path/of.pto", "function", "instruction", "exception" or "data" */
    unsigned number; /* struct dbg_break */
};

struct dap {
    struct pto_frames in;
    int out;
    bool gone;          /* nobody reads what is written */
    int64_t seq;        /* of the message that was written last */
    json_t *waiting;    /* messages that came while the machine ran */
    bool input_over;
    const char *bad;    /* why the input cannot be read any more; NULL: it ended well */
    bool over;          /* the session */

    int argc;           /* of the program */
    char **argv;
    struct pto_arena arena;
    struct cli_options options;
    struct dbg_terminal terminal;
    struct dbg *dbg;    /* NULL: nothing is launched */
    bool stop_on_entry, stop_on_end;
    bool configured;    /* the client has said that the run may begin */
    bool running; /* for a request, so that others are served meanwhile */
    bool pausing; /* somebody asked for the next stop */
    bool told_end;      /* the client knows that the program is over */
    bool terminated;    /* because it asked for that */
    bool first_lines, first_columns; /* the client counts from 1 */

    bool capturing;     /* answers of the debugger go to `answer` instead of the client */
    struct pto_buf answer;
    const char *command; /* to run when the response is out; NULL: none */
    const char *reason;  /* of the stop that follows, if nothing else stops it */
    char why[1024];      /* what was wrong with the request under way */

    struct dap_handle *handle;
    unsigned handles, handle_capacity;
    struct dap_owned *owned;
    unsigned owneds, owned_capacity;
};

/* A request gets its arguments (an object, or NULL) and may make a body; NULL: it worked, else the
 * message of the response. */
#define REQUEST(name, function, when)                                                              \
    const char *dap_##function(struct dap *dap, const json_t *args, json_t **body);
#include "dap/dap.def"
#undef REQUEST

/* ---- messages (serve.c) ---- */
/* A string that is valid whatever bytes `text` has. */
json_t *dap_string(const char *text);
void dap_event(struct dap *dap, const char *name, json_t *body);
/* Text for the client's console. */
void dap_output(struct dap *dap, const char *category, const char *text);
/* Handle what came while the machine ran. */
void dap_serve_waiting(struct dap *dap);
/* Is there a message that the running machine has to stop for?  `only_stop`: one that asks for
 * just that.  The `urgent` of the terminal. */
bool dap_is_urgent(void *context, bool only_stop);

/* ---- arguments (arguments.c) ---- */
/* The value of a member, or what it is when it is missing; a wrong type counts as missing. */
const char *dap_text(const json_t *args, const char *name, const char *otherwise);
int64_t dap_int(const json_t *args, const char *name, int64_t otherwise);
bool dap_bool(const json_t *args, const char *name);
/* A message in dap->why. */
const char *dap_why(struct dap *dap, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Carry out a command of the debugger; its answer is in dap->answer.  False: it failed. */
bool dap_capture(struct dap *dap, const char *command);
/* What functions of the debugger have said since its last answer; valid until the next one. */
const char *dap_said(struct dap *dap);
/* The answer of a command that failed, as a message. */
const char *dap_failure(struct dap *dap);

/* ---- the run (run.c) ---- */
/* Carry out the command that a request has left behind, and tell where that led. */
void dap_go(struct dap *dap);
/* Tell the client that the program is over, once. */
void dap_tell_end(struct dap *dap);
/* Tell where the machine has come to, which may be its end. */
void dap_tell(struct dap *dap);
void dap_terminal(struct dap *dap);

/* ---- places (threads.c) ---- */
int64_t dap_thread(const struct dbg *dbg, int rank, unsigned core);
/* Focus on the sub-core of a thread; false: there is none. */
bool dap_focus(struct dap *dap, int64_t thread);
/* The same of "threadId" or "frameId", if that is given; NULL: good. */
const char *dap_focus_thread(struct dap *dap, const json_t *args);
const char *dap_focus_frame(struct dap *dap, const json_t *args);
/* {"name": ..., "path": ...} of a file of the program. */
json_t *dap_source(const char *file);
/* What the program calls the file of this path; NULL: nothing comes from it. */
const char *dap_program_file(const struct dbg *dbg, const char *path);
/* Lines as the client counts them. */
int64_t dap_line(const struct dap *dap, uint32_t line);

/* ---- variables ---- */
void dap_drop_handles(struct dap *dap);
/* A reference to something of the focused sub-core; `name` is copied. */
int64_t dap_handle(struct dap *dap, enum dap_scope kind, uint64_t index, const char *name);
/* variables.c: the contents of a scope, a queue or an array; from `first` on at most `count`. */
json_t *dap_contents(struct dap *dap, const struct dap_handle *handle, uint64_t first,
                     uint64_t count);
/* window.c: the same of a window or a row; NULL: answered in dap->answer. */
json_t *dap_window_contents(struct dap *dap, const struct dap_handle *handle, uint64_t first,
                            uint64_t count);
/* The window of this name as a variable; NULL: answered in dap->answer. */
json_t *dap_window(struct dap *dap, const char *name);
/* What commands call a variable of a window or a row ("[3]"): "ta[0](0, 3)"; false: no element. */
bool dap_element_name(const struct dap_handle *handle, const char *variable, char *text,
                      size_t size);
/* memory.c: where the window begins, for readMemory. */
json_t *dap_memory_reference(const struct dbg *dbg, const struct dbg_view *view);
/* Where an instruction is, for disassemble. */
json_t *dap_instruction_reference(const struct dbg *dbg, const struct pto_core_info *info,
                                  uint32_t insn);
/* The instruction of such a reference and an offset in instructions; false: there is none. */
bool dap_instruction_place(const struct dbg *dbg, const char *reference, int64_t offset,
                           struct dbg_place *place);
/* A variable without contents, or with those of a reference. */
json_t *dap_variable(const char *name, const char *value, const char *type, int64_t reference);

#endif

#include "dbg/signals.h"

#include "cli/data.h"

/* Signals have a line of their own each, so their elements are strides apart. */
static void say_signal(struct dbg *dbg, const struct pto_object_info *object)
{
    enum { SHOWN = 64 };
    struct cli_cursor cursor;
    uint64_t count = cli_object_count(object);

    dbg_say(dbg, "%s", object->name);
    cli_shape_text(object->dim, object->dims, &dbg->out);
    dbg_say(dbg, " =");
    cli_cursor_start(&cursor, object);
    for (uint64_t i = 0; i < count && i < SHOWN && object->data; i++) {
        dbg_say(dbg, " %lld", (long long)pto_load_int(cursor.at, object->dtype));
        cli_cursor_next(&cursor);
    }
    dbg_say(dbg, "%s", count > SHOWN ? " ..." : "");
}

unsigned signals_say(struct dbg *dbg, int rank, const char *between)
{
    struct pto_object_info object;
    unsigned any = 0;

    for (unsigned i = 0; pto_vm_object(dbg->launch.vm, rank, i, &object); i++) {
        if (object.kind != PTO_OBJ_SIGNAL)
            continue;
        dbg_say(dbg, "%s", any++ > 0 ? between : "");
        say_signal(dbg, &object);
    }
    return any;
}

#include "dbg/variable.h"

#include <stdlib.h>
#include <string.h>

#include "dbg/value.h"

struct dbg_variable {
    char *name; /* with its $ */
    bool is_float;
    uint64_t bits;
};

/* ---- the debugger's own ---- */

static bool last_shown(struct dbg *dbg, struct asm_value *value)
{
    *value = value_of_bits(dbg->shown_is_float, dbg->shown);
    return dbg->any_shown;
}

static bool last_breakpoint(struct dbg *dbg, struct asm_value *value)
{
    *value = asm_int((int64_t)dbg->next_number - 1);
    return dbg->next_number > 1;
}

static bool event_number(struct dbg *dbg, struct asm_value *value)
{
    *value = asm_int((int64_t)dbg->events);
    return true;
}

static bool exit_code(struct dbg *dbg, struct asm_value *value)
{
    *value = asm_int(dbg_program_exit(dbg));
    return pto_vm_finished(dbg->launch.vm) || pto_vm_fault(dbg->launch.vm);
}

static bool stopped_at(struct dbg *dbg, struct asm_value *value)
{
    *value = asm_int(dbg->hits > 0 ? (int64_t)dbg->hit[0].number : 0);
    return true;
}

static bool time_ps(struct dbg *dbg, struct asm_value *value)
{
    *value = asm_int((int64_t)pto_vm_time(dbg->launch.vm));
    return true;
}

static const struct own {
    const char *name, *meaning;
    bool (*value)(struct dbg *dbg, struct asm_value *value);
} OWN[] = {
    {"$_", "what print showed last", last_shown},
    {"$_breakpoint", "number of the breakpoint that was made last", last_breakpoint},
    {"$_event", "number of the event where the machine stands", event_number},
    {"$_exitcode", "how the program ended: what ptovm would exit with", exit_code},
    {"$_stop", "number of the breakpoint that the machine stopped at; 0: none", stopped_at},
    {"$_time", "simulated time in ps", time_ps},
};
enum { OWNS = sizeof OWN / sizeof *OWN };

static const struct own *find_own(const char *name)
{
    for (int i = 0; i < OWNS; i++)
        if (!strcmp(OWN[i].name, name))
            return &OWN[i];
    return NULL;
}

bool variable_is_own(const char *name)
{
    return find_own(name) != NULL;
}

void variable_show(struct dbg *dbg, const struct asm_value *value)
{
    dbg->shown_is_float = value->is_float;
    dbg->shown = value_bits(value);
    dbg->any_shown = true;
}

/* ---- the session's ---- */

static struct dbg_variable *find(const struct dbg *dbg, const char *name)
{
    for (unsigned i = 0; i < dbg->variables; i++)
        if (!strcmp(dbg->variable[i].name, name))
            return &dbg->variable[i];
    return NULL;
}

bool variable_value(struct dbg *dbg, const char *name, struct asm_value *value)
{
    const struct own *own = find_own(name);
    const struct dbg_variable *variable = find(dbg, name);

    if (own)
        return own->value(dbg, value);
    if (variable)
        *value = value_of_bits(variable->is_float, variable->bits);
    return variable != NULL;
}

bool variable_set(struct dbg *dbg, const char *name, const struct asm_value *value)
{
    struct dbg_variable *variable = find(dbg, name);

    if (variable_is_own(name))
        return dbg_error(dbg, "take another name", "%s is the debugger's own", name);
    if (!variable) {
        PTO_GROW(dbg->variable, dbg->variables, dbg->variable_capacity);
        variable = &dbg->variable[dbg->variables++];
        variable->name = pto_xstrdup(name);
    }
    variable->is_float = value->is_float;
    variable->bits = value_bits(value);
    return true;
}

static void say(struct dbg *dbg, const char *name, const char *meaning)
{
    struct asm_value value;

    dbg_say(dbg, "%s", name);
    if (variable_value(dbg, name, &value)) {
        dbg_say(dbg, " = ");
        value_say(dbg, &value);
    } else {
        dbg_say(dbg, " has no value now");
    }
    dbg_say(dbg, "%s%s\n", meaning ? "  ; " : "", meaning ? meaning : "");
}

bool variable_info(struct dbg *dbg, const char *args)
{
    if (!dbg_at_end(dbg, args))
        return false;
    for (unsigned i = 0; i < dbg->variables; i++)
        say(dbg, dbg->variable[i].name, NULL);
    for (int i = 0; i < OWNS; i++)
        say(dbg, OWN[i].name, OWN[i].meaning);
    return true;
}

void variable_free(struct dbg *dbg)
{
    for (unsigned i = 0; i < dbg->variables; i++)
        free(dbg->variable[i].name);
    free(dbg->variable);
}

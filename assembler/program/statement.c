/* Statements to those who give them meaning, if they stand where they may. */
#include "statement.h"

#include <string.h>

#include "assembly.h"
#include "assign.h"
#include "code.h"
#include "declare.h"
#include "flow.h"
#include "match.h"
#include "parse.h"
#include "plain.h"
#include "text/reader.h"
#include "registers.h"
#include "ring.h"
#include "section.h"
#include "slots.h"
#include "tile.h"
#include "type.h"

enum {
    IN_MODULE = 1 << SECTION_MODULE,
    IN_KERNEL = 1 << SECTION_KERNEL,
    IN_SETUP = 1 << SECTION_SETUP,
    IN_CORE = 1 << SECTION_CORE,
    ANYWHERE = IN_MODULE | IN_KERNEL | IN_SETUP | IN_CORE
};

typedef void statement_function(struct assembly *a, const struct asm_stmt *stmt);

static void label(struct assembly *a, const struct asm_stmt *stmt)
{
    asm_label(a, stmt->name);
}

static void declare_register(struct assembly *a, const struct asm_stmt *stmt)
{
    bool is_float;

    if (a->section != SECTION_CORE)
        asm_params_close(a);
    if (asm_scalar_type(a, stmt->type, &is_float))
        asm_register_declare(a, stmt->name, is_float);
}

/* Which statement may stand where, and what to say of the place otherwise. */
static const struct {
    int kind;
    int sections;
    statement_function *function;
    const char *remedy;
} table[] = {
    {ST_LABEL, IN_CORE, label, NULL},
    {ST_INSN, IN_CORE | IN_SETUP, asm_instruction, NULL},
    {ST_ASSIGN, IN_CORE | IN_SETUP, asm_assign_statement, NULL},
    {TK_D_EQU, ANYWHERE, asm_constant_statement, NULL},
    {TK_D_DEFINE, ANYWHERE, asm_constant_statement, NULL},
    {TK_D_KERNEL, ANYWHERE, asm_kernel_statement, NULL},
    {TK_D_PARAM, IN_KERNEL, asm_param_statement, NULL},
    {TK_D_IN, IN_KERNEL, asm_object_statement, NULL},
    {TK_D_OUT, IN_KERNEL, asm_object_statement, NULL},
    {TK_D_INOUT, IN_KERNEL, asm_object_statement, NULL},
    {TK_D_GM, IN_KERNEL, asm_object_statement, NULL},
    {TK_D_SYM, IN_KERNEL, asm_object_statement, NULL},
    {TK_D_SIGNAL, IN_KERNEL, asm_object_statement, NULL},
    {TK_D_VIEW, IN_KERNEL, asm_object_statement, NULL},
    {TK_D_FIFO, IN_KERNEL, asm_ring_statement, NULL},
    {TK_D_MIX, IN_KERNEL, asm_mix_statement, NULL},
    {TK_D_SETUP, IN_KERNEL, asm_setup_statement, NULL},
    {TK_D_ENDSETUP, IN_SETUP, asm_setup_statement, "it ends a .setup block"},
    {TK_D_CORE, IN_KERNEL | IN_CORE, asm_core_statement, NULL},
    {TK_D_ASSERT, ANYWHERE, asm_assert_statement, NULL},
    {TK_D_TILE, IN_CORE, asm_tile_statement, NULL},
    {TK_D_LOCAL, IN_CORE, asm_local_statement, NULL},
    {TK_D_REG, IN_KERNEL | IN_SETUP | IN_CORE, declare_register, NULL},
    {TK_D_FOR, IN_CORE, asm_flow_statement, NULL},
    {TK_D_ENDFOR, IN_CORE, asm_flow_statement, NULL},
    {TK_D_WHILE, IN_CORE, asm_flow_statement, NULL},
    {TK_D_ENDWHILE, IN_CORE, asm_flow_statement, NULL},
    {TK_D_SLOTS, IN_CORE, asm_slots_statement, NULL},
    {TK_D_TAKE, IN_CORE, asm_take_statement, NULL},
    {TK_D_GIVE, IN_CORE, asm_give_statement, NULL},
    {TK_D_DRAIN, IN_CORE, asm_drain_statement, NULL},
    {TK_D_ORDERED, IN_CORE, asm_flow_statement, NULL},
    {TK_D_ENDORDERED, IN_CORE, asm_flow_statement, NULL},
    {TK_D_IF, ANYWHERE, asm_flow_statement, NULL},
    {TK_D_ELIF, ANYWHERE, asm_flow_statement, NULL},
    {TK_D_ELSE, ANYWHERE, asm_flow_statement, NULL},
    {TK_D_ENDIF, ANYWHERE, asm_flow_statement, NULL},
    {TK_D_BREAK, IN_CORE, asm_flow_statement, NULL},
    {TK_D_CONTINUE, IN_CORE, asm_flow_statement, NULL},
    {TK_D_ASSEMBLED_FOR, IN_MODULE, asm_plain_statement, "it comes before the first .kernel"},
    {TK_D_FILE, IN_MODULE, asm_plain_statement, "it comes before the first .kernel"},
    {TK_D_POS, IN_MODULE, asm_plain_statement, "it comes before the first .kernel"},
    {TK_D_AT, ANYWHERE, asm_plain_statement, NULL},
};

static const char *remedy_of(int sections)
{
    if (sections == IN_KERNEL)
        return "it belongs between .kernel and .core";
    if (sections & IN_KERNEL)
        return "it belongs after .kernel";
    return "it belongs after .core aic or .core aiv, which open the program of a sub-core";
}

/* Note that the .kernel or .core before this statement is missing: what follows up to the next one
 * would say the same again.  Declarations of a kernel are still read. */
static void lose_opener(struct assembly *a, int sections)
{
    if (a->section == SECTION_MODULE && sections & (IN_KERNEL | IN_CORE))
        a->section = SECTION_LOST;
    if (a->section == SECTION_KERNEL && sections & IN_CORE)
        a->lost_core = true;
}

static void misplaced(struct assembly *a, const struct asm_stmt *stmt, int sections,
                      const char *remedy)
{
    static const char *const places[] = {
        [SECTION_MODULE] = "outside of kernels",
        [SECTION_KERNEL] = "before the first .core of a kernel",
        [SECTION_SETUP] = "in set-up code",
        [SECTION_CORE] = "in the program of a core",
    };
    struct pto_diag *diag;

    if (stmt->kind == ST_INSN || stmt->kind == ST_ASSIGN || stmt->kind == ST_LABEL)
        diag = asm_error(a, stmt->token, "code cannot stand %s", places[a->section]);
    else
        diag = asm_error(a, stmt->token, "'.%s' cannot stand %s", stmt->token->text,
                         places[a->section]);
    asm_hint(a, diag, "%s", remedy ? remedy : remedy_of(sections));
    lose_opener(a, sections);
}

/* Is an .if from before the lost opener still open, to which the statement belongs? */
static bool is_of_earlier_if(struct assembly *a, const struct asm_stmt *stmt)
{
    if (stmt->kind == TK_D_IF)
        a->lost_ifs++;
    if (stmt->kind == TK_D_ELIF || stmt->kind == TK_D_ELSE)
        return a->lost_ifs == 0;
    if (stmt->kind != TK_D_ENDIF || a->lost_ifs == 0)
        return stmt->kind == TK_D_ENDIF;
    a->lost_ifs--;
    return false;
}

/* Is the statement one that a missing .kernel or .core makes meaningless? */
static bool is_passed_over(struct assembly *a, const struct asm_stmt *stmt, int sections)
{
    bool lost = a->section == SECTION_LOST || (a->section == SECTION_KERNEL && a->lost_core);
    bool conditional = stmt->kind == TK_D_IF || stmt->kind == TK_D_ELIF ||
                       stmt->kind == TK_D_ELSE || stmt->kind == TK_D_ENDIF;

    if (!lost || stmt->kind == TK_D_KERNEL || stmt->kind == TK_D_CORE) {
        a->lost_ifs = 0;
        return false;
    }
    if (conditional)
        return !is_of_earlier_if(a, stmt);
    return a->section == SECTION_LOST || !(sections & IN_KERNEL);
}

/* Statements are kept until the end, what is passed over in vain. */
static void pass_over(struct assembly *a, const struct asm_stmt *stmt)
{
    enum { MOST = 100000 };

    if (++a->passed_over < MOST)
        return;
    asm_error(a, stmt->token, "too many statements behind a missing .kernel or .core: the rest of "
              "the text is not read");
    text_stop(&a->text);
}

void asm_statement(struct assembly *a, const struct asm_stmt *stmt)
{
    unsigned row = 0;

    while (table[row].kind != stmt->kind)
        row++;
    if (is_passed_over(a, stmt, table[row].sections)) {
        pass_over(a, stmt);
        return;
    }
    if (a->section != SECTION_LOST && !(table[row].sections >> a->section & 1)) {
        misplaced(a, stmt, table[row].sections, table[row].remedy);
        return;
    }
    table[row].function(a, stmt);
    if (a->section != SECTION_MODULE && a->section != SECTION_LOST)
        asm_statement_end(a);
}

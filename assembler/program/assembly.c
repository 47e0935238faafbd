#include "assembly.h"

#include <stdlib.h>

#include "declare.h"
#include "expr.h"
#include "flow.h"
#include "ring.h"
#include "symbols.h"
#include "tile.h"

/* ---- what the reader asks ---- */

static bool is_outside(const void *context)
{
    const struct assembly *a = context;

    return a->section == SECTION_MODULE;
}

static bool is_dead(const void *context)
{
    return asm_flow_dead(context);
}

static const struct asm_macro *find_macro(void *context, const struct asm_token *name)
{
    const struct asm_symbol *symbol = asm_symbol_find(context, NS_MACRO, name);

    return symbol ? symbol->macro : NULL;
}

static void define_macro(void *context, const struct asm_token *name,
                         const struct asm_macro *macro)
{
    struct asm_symbol *symbol = asm_symbol_define(context, NS_MACRO, SYM_MACRO, name, 0, 0);

    if (symbol)
        symbol->macro = macro;
}

/* ---- beginning and end ---- */

void asm_open(struct assembly *a)
{
    static const struct text_host host = {is_outside, is_dead, find_macro, define_macro};

    a->text = (struct asm_text){.host = &host, .context = a, .module = a->module,
                                .diags = a->diags, .arena = &a->arena,
                                .tree = &a->tree};
    a->formula = (struct formula){&a->text, &asm_formula_host, a};
    pto_op_index_make(&a->ops);
}

void asm_close(struct assembly *a)
{
    asm_symbols_free(a);
    asm_code_free(&a->setup);
    asm_code_free(&a->code);
    text_free(&a->text);
    free(a->preset);
    free(a->ring);
    free(a->tile_note);
    free(a->block);
    free(a->slots);
    free(a->ordered.access);
    pto_arena_free(&a->tree);
    pto_arena_free(&a->arena);
}

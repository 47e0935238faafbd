/* Directives that the disassembler writes: profile, source files and positions, all explicit. */
#include "plain.h"

#include "assembly.h"
#include "expr.h"
#include "parse.h"
#include "text/position.h"

static void file(struct assembly *a, const struct asm_stmt *stmt)
{
    struct pto_module *module = a->module;

    a->text.explicit_pos = true;
    if (stmt->name->i != module->files) {
        asm_error(a, stmt->name, "this must be file %u: they are numbered from 0 without gaps",
                  module->files);
        return;
    }
    text_add_file(&a->text, stmt->text->text);
}

static void position(struct assembly *a, const struct asm_stmt *stmt)
{
    enum { INDEX, FILE_INDEX, LINE, COLUMN, PARENT, FIELDS };
    struct pto_module *module = a->module;
    int64_t field[FIELDS], index = module->positions;
    const int64_t low[FIELDS] = {index, 0, 0, 0, PTO_NONE};
    const int64_t high[FIELDS] = {index, (int64_t)module->files - 1, UINT32_MAX, UINT32_MAX,
                                  index - 1};
    static const char *const what[FIELDS] = {"the number of a position", "a file", "a line",
                                             "a column", "a parent"};
    const struct asm_expr *x = stmt->list->first;

    a->text.explicit_pos = true;
    if (stmt->list->count != FIELDS) {
        asm_error(a, stmt->token, "expected .pos INDEX FILE LINE COLUMN PARENT");
        return;
    }
    for (int i = 0; i < FIELDS; i++, x = x->next)
        if (!asm_constant_int(a, x, what[i], low[i], high[i], &field[i]))
            return;
    text_add_position(&a->text, (struct pto_pos){
        (uint32_t)field[FILE_INDEX], (uint32_t)field[LINE], (uint32_t)field[COLUMN],
        (int32_t)field[PARENT]});
}

void asm_plain_statement(struct assembly *a, const struct asm_stmt *stmt)
{
    switch (stmt->kind) {
    case TK_D_ASSEMBLED_FOR:
        a->module->profile = pto_arena_strdup(&a->module->arena, stmt->text->text);
        return;
    case TK_D_FILE:
        file(a, stmt);
        return;
    case TK_D_POS:
        position(a, stmt);
        return;
    default: /* .at */
        if (a->text.explicit_pos && stmt->name->i < a->module->positions)
            a->text.at = (uint32_t)stmt->name->i;
        else
            asm_error(a, stmt->name, "there is no .pos with this number");
    }
}

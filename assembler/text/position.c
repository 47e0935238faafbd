#include "position.h"

#include "utf8.h"

void text_add_file(struct asm_text *t, const char *name)
{
    struct pto_module *module = t->module;

    PTO_GROW(module->file, module->files, t->file_capacity);
    module->file[module->files++] = pto_arena_strdup(&module->arena, name);
}

void text_add_position(struct asm_text *t, struct pto_pos pos)
{
    struct pto_module *module = t->module;

    PTO_GROW(module->pos, module->positions, t->pos_capacity);
    module->pos[module->positions++] = pos;
}

static uint32_t file_index(struct asm_text *t, struct asm_source *source)
{
    if (source->module_file == PTO_NONE) {
        source->module_file = (int32_t)t->module->files;
        text_add_file(t, text_to_utf8(t->arena, source->name));
    }
    return (uint32_t)source->module_file;
}

static uint32_t token_position(struct asm_text *t, const struct asm_token *token)
{
    struct asm_origin *origin = token->origin;
    const struct asm_token *last = t->pos_token;

    if (last && last->origin == origin && last->line == token->line &&
        last->column == token->column)
        return (uint32_t)t->last_pos;
    if (origin->from && origin->pos == PTO_NONE)
        origin->pos = (int32_t)token_position(t, origin->from);
    t->pos_token = token;
    t->last_pos = (int32_t)t->module->positions;
    text_add_position(t, (struct pto_pos){file_index(t, origin->source), token->line,
                                          token->column, origin->pos});
    return (uint32_t)t->last_pos;
}

uint32_t text_position(struct asm_text *t, const struct asm_token *token)
{
    return t->explicit_pos ? t->at : token_position(t, token);
}

/* Registers by name: declared by the first assignment in the text, local to their program and, in a
 * macro's own text, to the use of the macro. */
#include "registers.h"

#include "assembly.h"
#include "code.h"
#include "formula/value.h"
#include "inherit.h"
#include "lost.h"
#include "symbols.h"

static const struct asm_symbol *find_param(struct assembly *a, const struct asm_token *token)
{
    const struct asm_symbol *symbol = asm_symbol_find(a, NS_PLAIN, token);

    return symbol && symbol->kind == SYM_PARAM ? symbol : NULL;
}

/* Told once: the other reads have the same cause. */
static void unknown_register(struct assembly *a, const struct asm_token *token)
{
    const char *nearest = asm_symbol_nearest(a, NS_REG, 1 << SYM_REG, token->text);
    struct pto_diag *diag;

    if (asm_lost_before(a, NS_REG, token))
        return;
    diag = asm_error(a, token, "register %%%s is read before anything is assigned to it",
                     token->text);
    if (!nearest)
        nearest = asm_symbol_nearest(a, NS_PLAIN, 1 << SYM_PARAM, token->text);
    if (nearest)
        asm_hint(a, diag, "did you mean '%%%s'?", nearest);
}

bool asm_register_read(struct assembly *a, const struct asm_token *token, struct asm_value *value)
{
    const struct asm_symbol *symbol = asm_symbol_find(a, NS_REG, token);

    if (!symbol)
        symbol = find_param(a, token);
    if (!symbol)
        symbol = asm_inherit(a, token);
    if (!symbol) {
        unknown_register(a, token);
        return false;
    }
    if (symbol->kind == SYM_PARAM && symbol->index >= a->kernel->params - a->params_pending) {
        asm_error(a, token, "parameter '%s' gets its value after this default is computed",
                  token->text);
        return false;
    }
    if (symbol->expansion != token->expansion &&
        !asm_symbol_find_here(a, NS_OUTER_REG, token))
        asm_symbol_define(a, NS_OUTER_REG, SYM_REG, token, asm_section_now(a), 0);
    if (symbol->kind == SYM_CONSTANT) {
        *value = symbol->value;
        return true;
    }
    value->scalar = (struct pto_scalar){.kind = PTO_S_REG, .reg = (uint16_t)symbol->index};
    value->is_float = asm_code(a)->reg[symbol->index].is_float;
    return true;
}

int32_t asm_register_known(struct assembly *a, const struct asm_token *token)
{
    const struct asm_symbol *symbol = asm_symbol_find_here(a, NS_REG, token);

    return symbol && symbol->kind == SYM_REG ? (int32_t)symbol->index : PTO_NONE;
}

/* In the name space of registers, the constants are those of single slots. */
static bool is_of_slots(struct assembly *a, const struct asm_symbol *symbol)
{
    return symbol && (symbol->kind == SYM_CONSTANT ||
                      (symbol->kind == SYM_REG && asm_code(a)->reg[symbol->index].of_slots));
}

bool asm_register_is_of_slots(struct assembly *a, const struct asm_token *token)
{
    return is_of_slots(a, asm_symbol_find(a, NS_REG, token));
}

static bool is_of_setup(struct assembly *a, const struct asm_symbol *symbol)
{
    return symbol && symbol->kind == SYM_REG && asm_code(a)->reg[symbol->index].of_setup;
}

/* May the text assign to this name?  Reports why not. */
static bool may_write(struct assembly *a, const struct asm_token *token, bool declared)
{
    struct pto_diag *diag;

    if (!token->expansion && find_param(a, token)) {
        diag = asm_error(a, token, "parameter '%s' cannot be assigned to", token->text);
        asm_hint(a, diag, "parameters keep their value for the launch; copy it to a register");
        return false;
    }
    if (is_of_slots(a, asm_symbol_find_here(a, NS_REG, token))) {
        diag = asm_error(a, token, "%%%s is the slot in turn and cannot be assigned to",
                         token->text);
        asm_hint(a, diag, ".give, or the end of the block that took the slot, goes on to the next");
        return false;
    }
    if (is_of_setup(a, asm_symbol_find_here(a, NS_REG, token))) {
        diag = asm_error(a, token, "%%%s of the set-up code was read before and cannot be assigned "
                         "to", token->text);
        asm_hint(a, diag, "a core that assigns to the name first has a register of its own");
        return false;
    }
    if (*token->text == '_' && !declared) {
        asm_error(a, token, "registers whose names begin with '_' belong to the assembler");
        return false;
    }
    if (token->expansion && asm_symbol_find_here(a, NS_OUTER_REG, token)) {
        diag = asm_error(a, token, "%%%s of the text around this macro was read here, but "
                         "assigning makes the name local", token->text);
        asm_hint(a, diag, "pass the register as an argument to change it");
        return false;
    }
    return true;
}

/* A symbol for a register that exists under `index`. */
static void name_register(struct assembly *a, const struct asm_token *token, uint16_t index)
{
    asm_symbol_define(a, NS_REG, SYM_REG, token, asm_section_now(a), index);
}

/* The register of this name if it exists; *stop: there is nothing more to do, or it may not be. */
static int32_t known_to_write(struct assembly *a, const struct asm_token *token, bool *stop)
{
    int32_t known = asm_register_known(a, token);

    if (known != PTO_NONE && asm_code(a)->reg[known].hidden)
        known = PTO_NONE; /* may_write tells why */
    *stop = known != PTO_NONE || !may_write(a, token, false);
    return known;
}

int32_t asm_register_write(struct assembly *a, const struct asm_token *token, bool is_float)
{
    bool stop;
    int32_t known = known_to_write(a, token, &stop);
    uint16_t index;

    if (stop)
        return known;
    index = asm_register_add(a, token, is_float);
    name_register(a, token, index);
    return index;
}

int32_t asm_register_take(struct assembly *a, const struct asm_token *token,
                          const struct asm_value *value, bool *taken)
{
    bool stop;
    int32_t known = known_to_write(a, token, &stop);
    uint16_t index;

    *taken = false;
    if (stop)
        return known;
    *taken = asm_adopt(a, value->scalar, asm_module_name(a, token));
    index = *taken ? value->scalar.reg : asm_register_add(a, token, value->is_float);
    name_register(a, token, index);
    return index;
}

const struct asm_symbol *asm_register_of_slots(struct assembly *a, const struct asm_token *token,
                                               uint32_t count)
{
    enum asm_symbol_kind kind = count > 1 ? SYM_REG : SYM_CONSTANT;
    struct asm_symbol *symbol = asm_symbol_find_here(a, NS_REG, token);
    uint16_t index;

    if (is_of_slots(a, symbol) && symbol->kind == kind)
        return symbol;
    if (symbol) {
        asm_hint(a, asm_error(a, token, "register %%%s exists already", token->text),
                 "slots need a name of their own, or that of drained ones, of as many");
        return NULL;
    }
    if (!may_write(a, token, false))
        return NULL;
    if (kind == SYM_CONSTANT) {
        symbol = asm_symbol_define(a, NS_REG, kind, token, asm_section_now(a), 0);
        symbol->value = asm_int(0);
        return symbol;
    }
    index = asm_register_add(a, token, false);
    asm_code(a)->reg[index].hidden = asm_code(a)->reg[index].of_slots = true;
    return asm_symbol_define(a, NS_REG, kind, token, asm_section_now(a), index);
}

void asm_register_declare(struct assembly *a, const struct asm_token *token, bool is_float)
{
    if (asm_register_known(a, token) != PTO_NONE) {
        asm_error(a, token, "register %%%s exists already", token->text);
        return;
    }
    if (may_write(a, token, true))
        name_register(a, token, asm_register_add(a, token, is_float));
}

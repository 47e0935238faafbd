#include "words.h"

#include <stdlib.h>

uint16_t *lint_find_roots(const struct pto_kernel *kernel)
{
    uint16_t *root = pto_xcalloc((size_t)kernel->objects + 1, sizeof *root);

    for (uint32_t i = 0; i < kernel->objects; i++) { /* a view comes after what it views */
        const struct pto_object *object = &kernel->object[i];

        root[i] = object->kind == PTO_OBJ_VIEW ? root[object->base] : (uint16_t)i;
    }
    return root;
}

/* Which operand of a wait or test begins its first condition; -1: it is none. */
static int first_condition(const struct pto_insn *insn)
{
    switch (insn->op) {
    case PTO_OP_TWAIT:
        return 0;
    case PTO_OP_TTEST:
    case PTO_OP_TWAIT_ANY2:
    case PTO_OP_TWAIT_ANY3:
        return 1;
    default:
        return -1;
    }
}

/* What the operand tells or awaits. */
static void find_value(const struct pto_insn *insn, unsigned operand, struct lint_word *word)
{
    int first = first_condition(insn);

    if (insn->op == PTO_OP_TNOTIFY && operand == 0) {
        word->act = LINT_TELLS;
        word->how = insn->operand[2].value;
        word->value = &insn->operand[1].scalar;
    } else if (first >= 0 && operand >= (unsigned)first) {
        word->act = LINT_AWAITS;
        word->how = insn->operand[operand + 1].value;
        word->value = &insn->operand[operand + 2].scalar;
    }
}

static void find_place(struct lint_words *words, struct lint_word *word)
{
    struct lint_made *made = &words->made[word->core];

    if (word->value)
        word->form = lint_made_of(made, word->at, word->value);
    word->placed = word->object == word->root && word->gm->rows.kind == PTO_S_NONE &&
                   word->gm->cols.kind == PTO_S_NONE;
    for (unsigned dim = 0; word->placed && dim < word->gm->indices; dim++) {
        struct lint_form form = lint_made_of(made, word->at, &word->gm->index[dim]);

        word->least[dim] = lint_made_bound(made, word->at, &form, false);
        word->most[dim] = lint_made_bound(made, word->at, &form, true);
    }
}

/* Objects that signals are about. */
static void find_signals(const struct lint_words *words, bool *is_signal)
{
    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++) {
        const struct pto_code *code = &words->lint->kernel->core[kind].code;

        for (uint32_t i = 0; words->lint->kernel->core[kind].present && i < code->insns; i++) {
            const struct pto_insn *insn = &code->insn[i];

            if (insn->op == PTO_OP_TNOTIFY)
                is_signal[words->root[insn->operand[0].gm.object]] = true;
            for (int k = first_condition(insn); k >= 0 && k < insn->operands; k += 3)
                is_signal[words->root[insn->operand[k].gm.object]] = true;
        }
    }
}

static bool add_words(struct lint_words *words, uint8_t core, uint32_t at, const bool *is_signal)
{
    const struct pto_insn *insn = &words->lint->kernel->core[core].code.insn[at];
    const struct pto_op_info *info = pto_op_info(insn->op);

    for (unsigned i = 0; i < insn->operands && i < info->operands; i++) {
        struct lint_word word = {.act = LINT_TOUCHES, .core = core, .at = at};

        if (insn->operand[i].kind != PTO_O_GM ||
            !is_signal[words->root[insn->operand[i].gm.object]])
            continue;
        word.reads = info->operand[i].access & PTO_READ;
        word.writes = info->operand[i].access & PTO_WRITE;
        word.gm = &insn->operand[i].gm;
        word.object = word.gm->object;
        word.root = words->root[word.object];
        find_value(insn, i, &word);
        find_place(words, &word);
        if (words->words == LINT_MOST_SITES)
            return false;
        PTO_GROW(words->word, words->words, words->capacity);
        words->word[words->words++] = word;
    }
    return true;
}

bool lint_words_find(struct lint_words *words, struct lint *lint)
{
    const struct pto_kernel *kernel = lint->kernel;
    bool *is_signal = pto_xcalloc((size_t)kernel->objects + 1, sizeof *is_signal);
    bool few = true;

    *words = (struct lint_words){.lint = lint, .root = lint_find_roots(kernel)};
    find_signals(words, is_signal);
    for (uint8_t kind = 0; kind < PTO_CORE_KINDS; kind++) {
        if (!kernel->core[kind].present)
            continue;
        lint_enter(lint, kind);
        lint_made_init(&words->made[kind], lint);
        for (uint32_t i = 0; i < lint->code->insns && few; i++)
            few = !lint->reachable[kind][i] || add_words(words, kind, i, is_signal);
    }
    free(is_signal);
    return few;
}

void lint_words_free(struct lint_words *words)
{
    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
        lint_made_free(&words->made[kind]);
    free(words->word);
    free(words->root);
}

static bool is_above(const struct lint_form *a, const struct lint_form *b)
{
    struct lint_form above = lint_form_sum(a, b, -1);

    return lint_form_positive(&above);
}

bool lint_may_meet(const struct lint_word *a, const struct lint_word *b)
{
    if (a->root != b->root)
        return false;
    for (unsigned dim = 0; a->placed && b->placed && dim < a->gm->indices; dim++)
        if (is_above(&a->least[dim], &b->most[dim]) || is_above(&b->least[dim], &a->most[dim]))
            return false;
    return true;
}

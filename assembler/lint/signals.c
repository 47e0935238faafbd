/* Signals: does anything in the text write what is waited for, and wait for what is told? */
#include <stdlib.h>
#include <string.h>

#include "words.h"

/* ---- what all kernels do with an object ---- */

static void mark_touched(const struct pto_code *code, const uint16_t *root, bool *read,
                         bool *written)
{
    for (uint32_t i = 0; i < code->insns; i++) {
        const struct pto_insn *insn = &code->insn[i];
        const struct pto_op_info *info = pto_op_info(insn->op);

        for (unsigned k = 0; k < insn->operands && k < info->operands; k++) {
            if (insn->operand[k].kind != PTO_O_GM)
                continue;
            read[root[insn->operand[k].gm.object]] |= (info->operand[k].access & PTO_READ) != 0;
            written[root[insn->operand[k].gm.object]] |=
                (info->operand[k].access & PTO_WRITE) != 0;
        }
    }
}

static int compare_names(const void *a, const void *b)
{
    const struct lint_touched *x = a, *y = b;

    return strcmp(x->name, y->name);
}

static void add_touched(struct lint *lint, const struct pto_kernel *kernel)
{
    uint16_t *root = lint_find_roots(kernel);
    bool *read = pto_xcalloc((size_t)kernel->objects + 1, sizeof *read);
    bool *written = pto_xcalloc((size_t)kernel->objects + 1, sizeof *written);

    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
        if (kernel->core[kind].present)
            mark_touched(&kernel->core[kind].code, root, read, written);
    for (uint32_t k = 0; k < kernel->objects; k++) {
        if (!read[k] && !written[k])
            continue;
        PTO_GROW(lint->touched, lint->toucheds, lint->touched_capacity);
        lint->touched[lint->toucheds++] =
            (struct lint_touched){kernel->object[k].name, read[k], written[k]};
    }
    free(root);
    free(read);
    free(written);
}

void lint_find_touched(struct lint *lint)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < lint->module->kernels; i++)
        add_touched(lint, &lint->module->kernel[i]);
    if (lint->toucheds)
        qsort(lint->touched, lint->toucheds, sizeof *lint->touched, compare_names);
    for (uint32_t i = 0; i < lint->toucheds; i++) {
        struct lint_touched *one = &lint->touched[i];

        if (kept && !compare_names(one, &lint->touched[kept - 1])) {
            lint->touched[kept - 1].readers += one->readers;
            lint->touched[kept - 1].writers += one->writers;
        } else {
            lint->touched[kept++] = *one;
        }
    }
    lint->toucheds = kept;
}

static const char *name_of(const struct lint_words *words, const struct lint_word *word)
{
    return words->lint->kernel->object[word->root].name;
}

bool lint_others_do(const struct lint_words *words, const struct lint_word *word, bool write)
{
    struct lint_touched key = {.name = name_of(words, word)};
    const struct lint_touched *found =
        bsearch(&key, words->lint->touched, words->lint->toucheds, sizeof key, compare_names);
    bool own = false;

    for (uint32_t i = 0; i < words->words && !own; i++)
        own = words->word[i].root == word->root &&
              (write ? words->word[i].writes : words->word[i].reads);
    return (write ? found->writers : found->readers) > own;
}

/* Does anything in the text?  Of the object alone, or of the word. */
static bool somebody_does(const struct lint_words *words, const struct lint_word *word, bool write,
                          bool whole)
{
    for (uint32_t i = 0; i < words->words; i++) {
        const struct lint_word *other = &words->word[i];

        if ((write ? other->writes : other->reads) && other->root == word->root &&
            (whole || lint_may_meet(word, other)))
            return true;
    }
    return lint_others_do(words, word, write);
}

/* ---- waiting for what nobody tells ---- */

/* Does a zeroed signal end the wait for certain? */
static bool holds_at_zero(const struct lint_word *word)
{
    int64_t value = word->value->i;

    if (word->value->kind != PTO_S_INT)
        return false;
    switch (word->how) {
    case PTO_CMP_EQ: return value == 0;
    case PTO_CMP_NE: return value != 0;
    case PTO_CMP_LT: return value > 0;
    case PTO_CMP_LE: return value >= 0;
    case PTO_CMP_GT: return value < 0;
    default: return value <= 0;
    }
}

/* Can nothing in the text end the wait, the conditions of which begin with this one? */
static bool is_hopeless(const struct lint_words *words, const struct lint_word *first)
{
    const struct lint_word *end = words->word + words->words;

    for (const struct lint_word *word = first;
         word < end && word->at == first->at && word->core == first->core; word++)
        if (holds_at_zero(word) || somebody_does(words, word, true, false))
            return false;
    return true;
}

static void look_at_wait(const struct lint_words *words, const struct lint_word *word)
{
    struct lint *lint = words->lint;
    const struct pto_insn *insn;

    lint_enter(lint, word->core);
    insn = &lint->code->insn[word->at];
    if (insn->op == PTO_OP_TTEST || (word > words->word && word[-1].at == word->at &&
                                     word[-1].core == word->core) ||
        !is_hopeless(words, word))
        return;
    lint_hint(lint,
              lint_report(lint, PTO_LINT_SIGNAL, PTO_WARNING, PTO_LINT_UNKNOWN, insn->pos,
                          "nothing in this text writes %s'%s'%s",
                          somebody_does(words, word, true, true) ? "this word of " : "",
                          name_of(words, word),
                          word->value->kind == PTO_S_INT ? ", and zero does not end the wait" : ""),
              "TNOTIFY sets or adds to a signal, here or on another rank");
}

/* ---- telling what nobody waits for ---- */

static void look_at_notify(const struct lint_words *words, const struct lint_word *word)
{
    struct lint *lint = words->lint;

    if (somebody_does(words, word, false, false))
        return;
    lint_enter(lint, word->core);
    lint_hint(lint,
              lint_report(lint, PTO_LINT_UNREAD, PTO_WARNING, PTO_LINT_UNKNOWN,
                          lint->code->insn[word->at].pos,
                          "nothing in this text waits for %s'%s', or reads it",
                          somebody_does(words, word, false, true) ? "this word of " : "",
                          name_of(words, word)),
              "TWAIT makes S wait for a signal, before it touches what the signal is about");
}

/* Warnings only: another text's kernel, launched in the same run, may have the other half. */
void lint_signals(struct lint *lint)
{
    struct lint_words words;

    if (lint_words_find(&words, lint)) {
        for (uint32_t i = 0; i < words.words; i++)
            if (words.word[i].act == LINT_AWAITS)
                look_at_wait(&words, &words.word[i]);
            else if (words.word[i].act == LINT_TELLS)
                look_at_notify(&words, &words.word[i]);
        lint_levels(&words);
    }
    lint_words_free(&words);
}

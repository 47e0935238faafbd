/* The lint as a library: any program that verifies is looked at without harm, findings keep their
 * promises, and modules of other front ends, without positions, get the same errors. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "assembler.h"
#include "file.h"
#include "lint/lint.h"
#include "places.h"
#include "profile_load.h"

enum { MOST_TEXTS = 64, MUTANTS = 1500 };

struct text {
    struct pto_buf text;
    struct pto_profile profile; /* that the text asks for */
};

static struct text texts[MOST_TEXTS];
static unsigned text_count;
static uint64_t state = 0x2545f4914f6cdd1du;

static size_t random_below(size_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return limit ? (size_t)(state % limit) : 0;
}

static int set_up(void **unused)
{
    const char *root = getenv("PTO_SOURCE_DIR"), *why;
    char path[512];
    DIR *dir;

    (void)unused;
    assert_non_null(root);
    snprintf(path, sizeof path, "%s/tests/asm/lint", root);
    dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) && text_count < MOST_TEXTS;) {
        const char *dot = strrchr(entry->d_name, '.');
        struct text *text = &texts[text_count];
        struct pto_diags diags = {0};

        if (!dot || strcmp(dot, ".pto"))
            continue;
        snprintf(path, sizeof path, "%s/tests/asm/lint/%s", root, entry->d_name);
        assert_int_equal(pto_file_read(path, PTO_FILE_TEXT, &text->text, &why), PTO_OK);
        assert_int_equal(pto_assemble_profile(path, (const char *)text->text.data,
                                              text->text.size, NULL, &text->profile, &diags),
                         PTO_OK);
        text_count++;
    }
    closedir(dir);
    assert_true(text_count > 5);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < text_count; i++)
        pto_buf_free(&texts[i].text);
    return 0;
}

static bool assemble(const struct pto_buf *text, const struct pto_profile *profile,
                     struct pto_program *program, bool positions)
{
    struct pto_asm_options options = {.profile = profile};
    struct pto_diags diags = {0};
    struct pto_module module;
    bool good = pto_assemble_text("text.pto", (const char *)text->data, text->size, &options,
                                  &module, &diags) == PTO_OK;

    if (good && !positions) {
        module.positions = 0;
        for (uint32_t i = 0; i < module.kernels; i++)
            forget_places(&module.kernel[i]);
    }
    if (good && pto_verify(&module, profile, program, &diags) != PTO_OK) {
        pto_module_free(&module);
        good = false;
    }
    pto_diags_free(&diags);
    return good;
}

/* What lint.h says of findings. */
static void check_promises(const struct pto_program *program, const struct pto_lint *lint)
{
    unsigned errors = 0, warnings = 0, wrong = 0;

    for (uint32_t i = 0; i < lint->findings; i++) {
        const struct pto_lint_finding *finding = &lint->finding[i];

        errors += finding->severity == PTO_ERROR;
        warnings += finding->severity == PTO_WARNING;
        assert_true(finding->severity != PTO_ERROR || finding->verdict == PTO_LINT_YES);
        assert_int_not_equal(finding->verdict, PTO_LINT_NO);
        assert_true(finding->pos < program->module.positions || !program->module.positions);
        assert_true(!i || lint->finding[i - 1].pos <= finding->pos);
        assert_true(strlen(finding->message) > 10);
    }
    for (uint32_t i = 0; i < lint->flags; i++)
        wrong += lint->flag[i].wrong == PTO_LINT_YES;
    assert_int_equal(errors, lint->errors);
    assert_int_equal(warnings, lint->warnings);
    assert_true(errors || !wrong);
    for (uint32_t i = 0; i < lint->memories; i++)
        assert_true(lint->memory[i].used && lint->memory[i].used <= lint->memory[i].capacity);
}

static void positions_are_not_needed(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < text_count; i++) {
        struct pto_program with, without;
        struct pto_lint found, bare;

        assert_true(assemble(&texts[i].text, &texts[i].profile, &with, true));
        assert_true(assemble(&texts[i].text, &texts[i].profile, &without, false));
        pto_lint(&with, &found);
        pto_lint(&without, &bare);
        check_promises(&with, &found);
        check_promises(&without, &bare);
        assert_int_equal(found.errors, bare.errors);
        assert_int_equal(found.flags, bare.flags);
        pto_lint_free(&found);
        pto_lint_free(&bare);
        pto_program_free(&with);
        pto_program_free(&without);
    }
}

/* ---- mutants ---- */

/* The line that a random byte is in, with its end. */
static void random_line(const struct pto_buf *text, size_t *from, size_t *to)
{
    *from = random_below(text->size);
    *to = *from;
    while (*from && text->data[*from - 1] != '\n')
        (*from)--;
    while (*to < text->size && text->data[*to] != '\n')
        (*to)++;
    *to += *to < text->size;
}

/* Leave a line out, write one twice, put one further down, or change the digits of one. */
static void mutate(const struct pto_buf *text, struct pto_buf *out)
{
    enum { DROP, TWICE, MOVE, DIGITS, KINDS } what = (unsigned)random_below(KINDS);
    size_t from, to, place, end;

    random_line(text, &from, &to);
    random_line(text, &place, &end);
    if (what != MOVE || place < to)
        place = to;
    pto_buf_append(out, text->data, from);
    if (what == TWICE || what == DIGITS)
        pto_buf_append(out, text->data + from, to - from);
    pto_buf_append(out, text->data + to, place - to);
    if (what == TWICE || what == MOVE)
        pto_buf_append(out, text->data + from, to - from);
    pto_buf_append(out, text->data + place, text->size - place);
    for (size_t i = from; what == DIGITS && i < to; i++)
        if (out->data[i] >= '0' && out->data[i] <= '9')
            out->data[i] = (uint8_t)('0' + random_below(10));
}

static void mutants_are_looked_at_without_harm(void **unused)
{
    unsigned looked_at = 0, with_errors = 0;

    (void)unused;
    for (unsigned i = 0; i < MUTANTS; i++) {
        const struct text *from = &texts[random_below(text_count)];
        struct pto_buf text = {0};
        struct pto_program program;
        struct pto_lint lint;

        mutate(&from->text, &text);
        if (assemble(&text, &from->profile, &program, true)) {
            pto_lint(&program, &lint);
            check_promises(&program, &lint);
            looked_at++;
            with_errors += lint.errors != 0;
            pto_lint_free(&lint);
            pto_program_free(&program);
        }
        pto_buf_free(&text);
    }
    assert_true(looked_at > MUTANTS / 4);
    assert_true(with_errors > MUTANTS / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_are_not_needed),
        cmocka_unit_test(mutants_are_looked_at_without_harm),
    };

    return cmocka_run_group_tests_name("lint", tests, set_up, tear_down);
}

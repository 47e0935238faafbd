/* Mutants of the good texts: any text ends in a module or in errors, never in a crash; and what the
 * verifier accepts survives object, disassembly and assembly unchanged. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "assembler.h"
#include "file.h"
#include "object.h"
#include "profile_load.h"

enum { MUTANTS = 4000, MAX_TEXTS = 256, MAX_EDITS = 4 };

static struct pto_buf texts[MAX_TEXTS];
static char *names[MAX_TEXTS];
static unsigned text_count;
static struct pto_profile profile;
static uint64_t state = 0x9e3779b97f4a7c15u;

static uint64_t random_below(uint64_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return limit ? state % limit : 0;
}

/* Texts to mutate; wide.pto and limits.pto reach limits, slowly. */
static int is_wanted(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return dot && !strcmp(dot, ".pto") && strcmp(entry->d_name, "wide.pto") &&
           strcmp(entry->d_name, "limits.pto");
}

/* By bytes, whatever the locale: the same mutants on every host. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void load_folder(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_wanted, by_name);

    assert_in_range(count, 1, MAX_TEXTS - text_count);
    for (int i = 0; i < count; i++) {
        const char *why;
        char path[512];

        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        assert_int_equal(pto_file_read(path, PTO_FILE_TEXT, &texts[text_count], &why), PTO_OK);
        names[text_count] = strdup(path);
        text_count++;
        free(entries[i]);
    }
    free(entries);
}

static int set_up(void **unused)
{
    const char *root = getenv("PTO_SOURCE_DIR");
    struct pto_diags diags = {0};
    char path[512];

    (void)unused;
    assert_non_null(root);
    snprintf(path, sizeof path, "%s/tests/asm/good", root);
    load_folder(path);
    snprintf(path, sizeof path, "%s/tests/asm/bad", root);
    load_folder(path);
    assert_int_equal(pto_profile_load("a2", &profile, &diags), PTO_OK);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < text_count; i++) {
        pto_buf_free(&texts[i]);
        free(names[i]);
    }
    return 0;
}

/* ---- mutation ---- */

static void replace(struct pto_buf *text, size_t at, size_t removed, const void *bytes, size_t size)
{
    struct pto_buf out = {0};

    pto_buf_append(&out, text->data, at);
    pto_buf_append(&out, bytes, size);
    pto_buf_append(&out, text->data + at + removed, text->size - at - removed);
    pto_buf_free(text);
    *text = out;
}

static const char *const dictionary[] = {
    "%", "%x", "(", ")", "[", "]", "{", "}", ",", "@", "=", "-", "!", "&&", "\n", "\"", "\\", ";",
    "0", "1", "-1", "9223372036854775807", "0x", "1e999", ".if 0\n", ".else\n", ".endif\n",
    ".for %i = 0 to 3\n", ".endfor\n", ".while %x\n", ".endwhile\n", ".macro m a\n", ".endm\n",
    "m 1\n", ".core aic\n", ".core aiv\n", ".kernel k\n", ".setup\n", ".endsetup\n", "TADD ", "ld ",
    "rank()", "min(1, 2)", ".pos 0 0 1 1 -1\n", ".file 0 \"f\"\n", ".at 0\n", "\xff\xfe",
    ".tile t : ub f32[1, 8]\n", ".break\n", ".L7:\n", "jump .L7\n", ".define TYPE = f16\n", "TYPE",
    " == f32", "sizeof(", ".if 1\n", ".elif 1\n", ".include \"../include/base.inc\"\n", " step ",
};

static void mutate(struct pto_buf *text)
{
    size_t at = random_below(text->size + 1), left = text->size - at;
    size_t length = random_below(left < 40 ? left + 1 : 40);
    uint8_t byte = (uint8_t)random_below(256);
    const char *word = dictionary[random_below(sizeof dictionary / sizeof *dictionary)];
    size_t from = random_below(text->size + 1);
    size_t copied = random_below(text->size - from < 200 ? text->size - from + 1 : 200);
    uint8_t copy[200];

    memcpy(copy, text->data + from, copied);
    switch (random_below(6)) {
    case 0:
        replace(text, at, left > 0, &byte, 1);
        return;
    case 1:
        replace(text, at, length, "", 0);
        return;
    case 2:
        replace(text, at, 0, word, strlen(word));
        return;
    case 3:
        replace(text, at, length, word, strlen(word));
        return;
    case 4:
        replace(text, at, 0, copy, copied);
        return;
    default:
        if (random_below(20) == 0)
            text->size = at;
    }
}

/* ---- properties ---- */

static void check_round_trip(const struct pto_buf *object)
{
    struct pto_asm_options options = {.profile = &profile};
    struct pto_diags diags = {0};
    struct pto_buf text = {0}, again = {0};
    struct pto_module module;

    if (pto_object_read(object->data, object->size, "object", &module, &diags) != PTO_OK) {
        pto_diags_print(&diags, stderr, false);
        fail_msg("an object that was just written cannot be read");
    }
    pto_disassemble(&module, &text);
    pto_module_free(&module);
    if (pto_assemble_text("plain", (const char *)text.data, text.size, &options, &module, &diags) !=
        PTO_OK) {
        pto_diags_print(&diags, stderr, false);
        fail_msg("a disassembly does not assemble:\n%s", pto_buf_text(&text));
    }
    pto_object_write(&module, &again);
    pto_module_free(&module);
    assert_int_equal(again.size, object->size);
    assert_memory_equal(again.data, object->data, object->size);
    pto_buf_free(&text);
    pto_buf_free(&again);
    pto_diags_free(&diags);
}

/* True if the text was accepted. */
static bool try_text(const char *name, const struct pto_buf *text)
{
    struct pto_buf listing = {0}, dependencies = {0}, object = {0};
    struct pto_asm_options options = {.profile = &profile, .listing = &listing,
                                      .dependencies = &dependencies};
    struct pto_diags diags = {.max_errors = 20};
    struct pto_module module;
    struct pto_program program;
    bool good = pto_assemble_text(name, (const char *)text->data, text->size, &options, &module,
                                  &diags) == PTO_OK;

    assert_int_equal(good, diags.errors == 0);
    if (good) {
        pto_object_write(&module, &object);
        good = pto_verify(&module, &profile, &program, &diags) == PTO_OK;
        if (good) {
            pto_program_free(&program);
            check_round_trip(&object);
        } else {
            pto_module_free(&module);
        }
    }
    pto_buf_free(&listing);
    pto_buf_free(&dependencies);
    pto_buf_free(&object);
    pto_diags_free(&diags);
    return good;
}

static void mutants_end_well(void **unused)
{
    unsigned accepted = 0;

    (void)unused;
    for (unsigned i = 0; i < MUTANTS; i++) {
        unsigned which = (unsigned)random_below(text_count);
        struct pto_buf text = {0};

        pto_buf_append(&text, texts[which].data, texts[which].size);
        for (uint64_t edits = 1 + random_below(MAX_EDITS); edits; edits--)
            mutate(&text);
        accepted += try_text(names[which], &text);
        pto_buf_free(&text);
    }
    assert_true(accepted > 0 && accepted < MUTANTS);
}

static void every_prefix_ends_well(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < text_count; i++) {
        struct pto_buf text = texts[i];

        if (text.size > 4000)
            continue;
        for (text.size = 0; text.size < texts[i].size; text.size += 7)
            try_text(names[i], &text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutants_end_well),
        cmocka_unit_test(every_prefix_ends_well),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

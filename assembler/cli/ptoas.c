/* ptoas: the assembler's command line. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "assembler.h"
#include "cpp/cpp.h"
#include "explain.h"
#include "file.h"
#include "findings.h"
#include "fix.h"
#include "format.h"
#include "lines.h"
#include "list.h"
#include "lsp/lsp.h"
#include "object.h"
#include "options.h"
#include "output.h"
#include "process.h"
#include "profile_load.h"
#include "sarif.h"
#include "version.h"

/* EXIT_USAGE: the command line, or a file that cannot be read or written. */
enum { EXIT_OK = 0, EXIT_INPUT = 1, EXIT_USAGE = 2, EXIT_INTERNAL = 70 };

static const char OTHER_PROFILE[] = "--profile names the file of another one";

static int exit_of(enum pto_status status)
{
    switch (status) {
    case PTO_OK:
        return EXIT_OK;
    case PTO_EPROGRAM:
        return EXIT_INPUT;
    case PTO_ECONFIG:
    case PTO_ESYSTEM:
        return EXIT_USAGE;
    default:
        return EXIT_INTERNAL;
    }
}

static int write_out(const struct ptoas_options *o, const struct pto_buf *text,
                     struct pto_diags *diags)
{
    return ptoas_write(o->output ? o->output : "-", text, diags) ? EXIT_OK : EXIT_USAGE;
}

/* The object is complete before the verifier takes the module, and is written only if it agrees. */
static int finish_object(const struct ptoas_options *o, struct pto_module *module,
                         const struct pto_profile *profile, struct pto_diags *diags)
{
    struct pto_buf object = {0}, name = {0};
    struct pto_program program;
    int status = EXIT_INPUT;

    pto_object_write(module, &object);
    if (pto_verify(module, profile, &program, diags) == PTO_OK) {
        pto_program_free(&program);
        status = ptoas_write(ptoas_object_name(o, &name), &object, diags) ? EXIT_OK : EXIT_USAGE;
    } else {
        pto_module_free(module);
    }
    pto_buf_free(&object);
    pto_buf_free(&name);
    return status;
}

/* The exit status, which --sarif tells as well as what stands in `diags`. */
static int finish(const struct ptoas_options *o, int status, struct pto_diags *diags)
{
    return ptoas_sarif(o, (struct ptoas_linted){0}, status, diags) ? status : EXIT_USAGE;
}

/* Verify and look for mistakes; takes the module over. */
static int lint(const struct ptoas_options *o, struct pto_module *module,
                const struct pto_profile *profile, struct pto_diags *diags)
{
    struct pto_program program;
    struct pto_buf text = {0};
    struct pto_lint found;
    int status;

    if (pto_verify(module, profile, &program, diags) != PTO_OK) {
        pto_module_free(module);
        return finish(o, EXIT_INPUT, diags);
    }
    pto_lint(&program, &found);
    status = found.errors || (o->warnings_fail && found.warnings) ? EXIT_INPUT : EXIT_OK;
    if (!ptoas_sarif(o, (struct ptoas_linted){&found, &program.module}, status, diags))
        status = EXIT_USAGE;
    if (o->json)
        ptoas_lint_json(&found, &program, o->input, &text);
    else
        ptoas_lint_diags(&found, &program.module, o->verbose, diags);
    if (o->verbose && !o->json)
        ptoas_lint_summary(&found, &program.module, &text);
    if (text.size && write_out(o, &text, diags) != EXIT_OK)
        status = EXIT_USAGE;
    pto_buf_free(&text);
    pto_lint_free(&found);
    pto_program_free(&program);
    return status;
}

/* What changes a text says nothing to an object. */
static bool takes_object(const struct ptoas_options *o, struct pto_diags *diags)
{
    const char *option = o->defines                         ? "--define"
                         : o->function                      ? "--function"
                         : o->sync != PTO_ASM_SYNC_DEFAULT  ? "--sync"
                         : o->form != PTO_ASM_FORM_ANY      ? "--from"
                                                            : NULL;

    if (option)
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "%s is for texts, and '%s' is an object", option,
                     o->input);
    return !option;
}

/* An object is looked at for the machine that it was made for, unless another is named. */
static int lint_bytes(const struct ptoas_options *o, const struct pto_buf *bytes,
                      struct pto_diags *diags)
{
    struct pto_profile profile;
    struct pto_module module;
    enum pto_status status;

    if (!takes_object(o, diags))
        return EXIT_USAGE;
    if (pto_object_read(bytes->data, bytes->size, o->input, &module, diags) != PTO_OK)
        return finish(o, EXIT_INPUT, diags);
    status = o->given[PTOAS_OPT_PROFILE]
                 ? pto_profile_load(o->profile, &profile, diags)
                 : pto_profile_load_of(o->input, module.profile, OTHER_PROFILE, &profile, diags);
    if (status == PTO_OK)
        return lint(o, &module, &profile, diags);
    pto_module_free(&module);
    return EXIT_USAGE;
}

/* Lint an object, if the input is one; -1: it is not. */
static int lint_object(const struct ptoas_options *o, struct pto_diags *diags)
{
    struct pto_buf bytes = {0};
    const char *why;
    int status = -1;

    if (strcmp(o->input, "-") != 0 &&
        pto_file_read(o->input, PTO_FILE_KERNEL, &bytes, &why) == PTO_OK &&
        pto_is_object(bytes.data, bytes.size))
        status = lint_bytes(o, &bytes, diags);
    pto_buf_free(&bytes);
    return status;
}

/* -S: upstream text in this language; any text as it runs where flags were put in or left out. */
static int write_text(const struct ptoas_options *o, struct pto_module *module,
                      enum pto_asm_sync synced, struct pto_buf *imported,
                      struct pto_diags *diags)
{
    if (synced != PTO_ASM_SYNC_ASIS) {
        imported->size = 0;
        pto_disassemble(module, imported);
    }
    pto_module_free(module);
    if (!imported->size) {
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "-S: '%s' is in this language already",
                     o->input);
        return EXIT_USAGE;
    }
    return write_out(o, imported, diags);
}

/* --to cpp; takes the module over. */
static int write_cpp(const struct ptoas_options *o, struct pto_module *module,
                     const struct pto_profile *profile, struct pto_diags *diags)
{
    struct pto_program program;
    struct pto_buf text = {0};
    int status = EXIT_INPUT;

    if (pto_verify(module, profile, &program, diags) != PTO_OK) {
        pto_module_free(module);
        return status;
    }
    if (cpp_write(&program.module, profile, &text, diags))
        status = write_out(o, &text, diags);
    pto_buf_free(&text);
    pto_program_free(&program);
    return status;
}

/* The profile that the command line names, else the one that the text asks for; what comes from
 * standard input is not read for that. */
static enum pto_status load_profile(const struct ptoas_options *o, struct pto_profile *profile,
                                    struct pto_diags *diags)
{
    struct pto_buf text = {0};
    enum pto_status status;
    const char *why;

    if (!o->given[PTOAS_OPT_PROFILE] && strcmp(o->input, "-") != 0 &&
        pto_file_read(o->input, PTO_FILE_TEXT, &text, &why) == PTO_OK)
        status = pto_assemble_profile(o->input, (const char *)text.data, text.size, OTHER_PROFILE,
                                      profile, diags);
    else
        status = pto_profile_load(o->profile, profile, diags);
    pto_buf_free(&text);
    return status;
}

static int assemble(const struct ptoas_options *o, const struct pto_profile *profile,
                    struct pto_diags *diags)
{
    struct pto_buf listing = {0}, files = {0}, rule = {0}, imported = {0};
    enum pto_asm_sync synced = PTO_ASM_SYNC_ASIS;
    struct pto_asm_options options = {
        .profile = profile, .include_dir = o->include_dir,
        .include_dirs = o->include_dirs, .include_remedy = "-I DIR adds a folder",
        .define = o->define, .defines = o->defines, .dependencies = &files,
        .form = o->form, .sync = o->sync, .function = o->function,
        .imported = o->text ? &imported : NULL, .synced = &synced,
        .listing = o->listing ? &listing : NULL};
    struct pto_module module;
    enum pto_status result = pto_assemble_file(o->input, &options, &module, diags);
    int status = exit_of(result);
    bool safe = ptoas_outputs_are_safe(o, &files, diags), reported = !safe;

    if (!safe) {
        status = EXIT_USAGE;
        if (result == PTO_OK)
            pto_module_free(&module);
    } else if (result == PTO_OK && o->job == PTOAS_DEPENDENCIES) {
        ptoas_make_rule(o, &files, &rule);
        pto_module_free(&module);
        status = ptoas_write("-", &rule, diags) ? EXIT_OK : EXIT_USAGE;
    } else if (result == PTO_OK && o->job == PTOAS_LINT) {
        status = lint(o, &module, profile, diags);
        reported = true;
    } else if (result == PTO_OK && o->cpp) {
        status = write_cpp(o, &module, profile, diags);
    } else if (result == PTO_OK && o->text) {
        status = write_text(o, &module, synced, &imported, diags);
    } else if (result == PTO_OK) {
        status = finish_object(o, &module, profile, diags);
    }
    if (safe && o->listing && !ptoas_write(o->listing, &listing, diags))
        status = EXIT_USAGE;
    if (!reported)
        status = finish(o, status, diags);
    pto_buf_free(&listing);
    pto_buf_free(&files);
    pto_buf_free(&rule);
    pto_buf_free(&imported);
    return status;
}

static int disassemble(const struct ptoas_options *o, struct pto_diags *diags)
{
    struct pto_buf bytes = {0}, text = {0};
    struct pto_module module;
    const char *why = NULL;
    int status = EXIT_INPUT;

    if (pto_file_read(o->input, PTO_FILE_KERNEL, &bytes, &why) != PTO_OK) {
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "cannot read '%s': %s", o->input, why);
        status = EXIT_USAGE;
    } else if (pto_object_read(bytes.data, bytes.size, o->input, &module, diags) == PTO_OK) {
        pto_disassemble(&module, &text);
        pto_module_free(&module);
        status = write_out(o, &text, diags);
    }
    pto_buf_free(&bytes);
    pto_buf_free(&text);
    return status;
}

static int list_ops(const struct ptoas_options *o, struct pto_diags *diags)
{
    struct pto_buf text = {0};
    int status;

    if (o->json)
        ptoas_list_json(&text);
    else
        ptoas_list_ops(&text);
    status = write_out(o, &text, diags);
    pto_buf_free(&text);
    return status;
}

static int explain(const struct ptoas_options *o, struct pto_diags *diags)
{
    struct pto_buf text = {0};
    const char *nearest = NULL;
    int status = EXIT_USAGE;

    if (ptoas_explain(o->input, &text, &nearest)) {
        status = write_out(o, &text, diags);
    } else {
        struct pto_diag *diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                                             "there is no instruction '%s'", o->input);

        if (nearest)
            pto_diag_hint(diags, diag, "did you mean '%s'?", nearest);
        else
            pto_diag_hint(diags, diag, "--list-ops lists them");
    }
    pto_buf_free(&text);
    return status;
}

/* Another descriptor for what the client says: a text that includes /dev/stdin must not read it.
 * -1: there is none. */
static int take_input(void)
{
    int in = dup(STDIN_FILENO), nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0)
        return -1;
    close(nothing);
    return in;
}

static int serve(const struct ptoas_options *o, struct pto_diags *diags)
{
    enum lsp_end end;
    const char *why;
    const struct lsp_host host = {
        .explain = ptoas_explain, .profile = o->given[PTOAS_OPT_PROFILE] ? o->profile : NULL,
        .include_dir = o->include_dir, .include_dirs = o->include_dirs};

    signal(SIGPIPE, SIG_IGN); /* an editor that goes away is seen where it is written to */
    if (!lsp_is_there()) {
        pto_diag_hint(diags, pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "this ptoas was built "
                                          "without the language server"),
                      "it is built where the library jansson is installed (libjansson-dev)");
        return EXIT_USAGE;
    }
    end = lsp_serve(&host, take_input(), STDOUT_FILENO, &why);
    if (end != LSP_END_SHUT_DOWN)
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "--lsp: %s", why);
    return (int)end;
}

static int run(const struct ptoas_options *o, struct pto_diags *diags)
{
    const struct pto_buf nothing_yet = {0};
    struct pto_profile profile;
    int status = -1;

    if (o->job == PTOAS_LIST_OPS)
        return list_ops(o, diags);
    if (o->job == PTOAS_EXPLAIN)
        return explain(o, diags);
    if (o->job == PTOAS_LSP)
        return serve(o, diags);
    if (!ptoas_outputs_are_safe(o, &nothing_yet, diags))
        return EXIT_USAGE;
    if (o->job == PTOAS_FORMAT)
        return exit_of(ptoas_format(o, diags));
    if (o->job == PTOAS_DISASSEMBLE)
        return disassemble(o, diags);
    if (o->job == PTOAS_LINT)
        status = lint_object(o, diags);
    if (status >= 0)
        return status;
    if (load_profile(o, &profile, diags) != PTO_OK)
        return EXIT_USAGE;
    return assemble(o, &profile, diags);
}

/* --help or --version */
static int introduce(const struct ptoas_options *o, struct pto_diags *diags)
{
    struct pto_buf text = {0};
    bool good;

    if (o->help)
        ptoas_options_help(&text);
    else
        pto_buf_printf(&text, "ptoas %s\n", pto_version());
    good = ptoas_write("-", &text, diags);
    pto_buf_free(&text);
    return good ? EXIT_OK : EXIT_USAGE;
}

int main(int argc, char **argv)
{
    struct ptoas_options options;
    struct pto_diags diags = {0};
    bool understood;
    int status = EXIT_USAGE;

    pto_process_begin();
    understood = ptoas_options_parse(&options, argc, argv, &diags) == PTO_OK;
    diags.max_errors = options.max_errors;
    if (understood)
        status = options.help || options.version ? introduce(&options, &diags)
                                                 : run(&options, &diags);
    if (understood && options.fix && !ptoas_fix(&options, &diags))
        status = EXIT_USAGE;
    pto_diags_add_lines(&diags); /* the verifier and the lint know positions, not texts */
    pto_diags_print(&diags, stderr, tool_wants_colour(options.colour, STDERR_FILENO));
    if (!understood)
        fputs("Try 'ptoas --help'.\n", stderr);
    ptoas_options_free(&options);
    pto_diags_free(&diags);
    return status;
}

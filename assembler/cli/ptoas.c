/* ptoas: the assembler's command line. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assembler.h"
#include "file.h"
#include "file_set.h"
#include "lines.h"
#include "object.h"
#include "process.h"
#include "explain.h"
#include "findings.h"
#include "list.h"

enum { EXIT_OK = 0, EXIT_INPUT = 1, EXIT_USAGE = 2, EXIT_INTERNAL = 70 };
enum { DEFAULT_MAX_ERRORS = 50 };
enum mode { MODE_ASSEMBLE, MODE_DEPENDENCIES, MODE_DISASSEMBLE, MODE_LIST_OPS, MODE_EXPLAIN,
            MODE_LINT };

struct command {
    enum mode mode;
    const char *input, *output, *listing, *profile;
    const char **include_dir;
    unsigned include_dirs, include_capacity;
    struct pto_asm_define *define;
    unsigned defines, define_capacity;
    unsigned long max_errors;
    int colour; /* -1: if standard error is a terminal */
    bool json, verbose, warnings_fail;
};

static const char help_text[] =
    "usage: ptoas [OPTION]... KERNEL.pto\n"
    "Assemble a kernel; '-' reads standard input.\n"
    "\n"
    "  -o FILE            write the object to FILE ('-': standard output);\n"
    "                     default: the input's name with .ptob, in this folder\n"
    "  -l FILE            write a listing to FILE, also after errors\n"
    "  -M                 print the files that the input depends on as a make rule\n"
    "  -d OBJECT          print an object as text that assembles to the same bytes\n"
    "  -I DIR             search DIR for included files\n"
    "  -D NAME=VALUE      choose the value of '.define NAME'\n"
    "      --lint         look for mistakes without running; FILE may be an object.\n"
    "                     -v: also what could not be judged; --json: for scripts;\n"
    "                     --werror: warnings fail, too (exit status 1)\n"
    "      --profile P    machine to assemble for: a2 (default), a3, a5, mi300x, toy, or a\n"
    "                     file\n"
    "      --list-ops     print the table of instructions; with --json for scripts\n"
    "      --explain OP   print the manual's page of an instruction\n"
    "      --max-errors N stop printing after N errors (default 50, 0: no limit)\n"
    "      --color=WHEN   always, never or auto\n"
    "      --help         print this text\n"
    "      --version      print the version\n"
    "\n"
    "Exit status: 0 done, 1 the input is wrong, 2 the command line is, 70 a bug of ptoas,\n"
    "71 the host has no memory left.\n";

static void usage_error(const char *message, const char *what)
{
    fprintf(stderr, "ptoas: %s%s\nTry 'ptoas --help'.\n", message, what);
    exit(EXIT_USAGE);
}

/* ---- options ---- */

static void add_define(struct command *command, char *text)
{
    char *equals = strchr(text, '=');

    if (!equals)
        usage_error("-D wants NAME=VALUE, not ", text);
    *equals = '\0';
    PTO_GROW(command->define, command->defines, command->define_capacity);
    command->define[command->defines++] = (struct pto_asm_define){text, equals + 1};
}

static void add_include(struct command *command, const char *dir)
{
    PTO_GROW(command->include_dir, command->include_dirs, command->include_capacity);
    command->include_dir[command->include_dirs++] = dir;
}

static unsigned long parse_count(const char *text)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || value > 1000000)
        usage_error("--max-errors wants a number up to 1000000, not ", text);
    return value;
}

static int parse_colour(const char *text)
{
    if (!text || !strcmp(text, "always"))
        return 1;
    if (!strcmp(text, "never"))
        return 0;
    if (strcmp(text, "auto"))
        usage_error("--color is always, never or auto, not ", text);
    return -1;
}

enum { OPT_PROFILE = 256, OPT_LIST_OPS, OPT_JSON, OPT_EXPLAIN, OPT_LINT, OPT_WERROR,
       OPT_MAX_ERRORS, OPT_COLOUR, OPT_HELP, OPT_VERSION };

static void print_and_leave(const char *text)
{
    fputs(text, stdout);
    exit(fflush(stdout) ? EXIT_INPUT : EXIT_OK);
}

static void take_option(struct command *command, int option)
{
    switch (option) {
    case 'o': command->output = optarg; break;
    case 'l': command->listing = optarg; break;
    case 'M': command->mode = MODE_DEPENDENCIES; break;
    case 'd':
        command->mode = MODE_DISASSEMBLE;
        command->input = optarg;
        break;
    case 'I': add_include(command, optarg); break;
    case 'D': add_define(command, optarg); break;
    case OPT_PROFILE: command->profile = optarg; break;
    case OPT_LIST_OPS: command->mode = MODE_LIST_OPS; break;
    case OPT_EXPLAIN:
        command->mode = MODE_EXPLAIN;
        command->input = optarg;
        break;
    case OPT_JSON: command->json = true; break;
    case OPT_LINT: command->mode = MODE_LINT; break;
    case 'v': command->verbose = true; break;
    case OPT_WERROR: command->warnings_fail = true; break;
    case OPT_MAX_ERRORS: command->max_errors = parse_count(optarg); break;
    case OPT_COLOUR: command->colour = parse_colour(optarg); break;
    case OPT_HELP: print_and_leave(help_text); break;
    case OPT_VERSION: print_and_leave("ptoas " PTO_VERSION "\n"); break;
    default:
        fputs("Try 'ptoas --help'.\n", stderr);
        exit(EXIT_USAGE);
    }
}

static void parse_command(struct command *command, int argc, char **argv)
{
    static const struct option options[] = {
        {"profile", required_argument, NULL, OPT_PROFILE},
        {"list-ops", no_argument, NULL, OPT_LIST_OPS},
        {"explain", required_argument, NULL, OPT_EXPLAIN},
        {"json", no_argument, NULL, OPT_JSON},
        {"lint", no_argument, NULL, OPT_LINT},
        {"verbose", no_argument, NULL, 'v'},
        {"werror", no_argument, NULL, OPT_WERROR},
        {"max-errors", required_argument, NULL, OPT_MAX_ERRORS},
        {"color", optional_argument, NULL, OPT_COLOUR},
        {"help", no_argument, NULL, OPT_HELP},
        {"version", no_argument, NULL, OPT_VERSION},
        {NULL, 0, NULL, 0},
    };
    int option;

    while ((option = getopt_long(argc, argv, "o:l:Md:I:D:v", options, NULL)) >= 0)
        take_option(command, option);
    if (command->json && command->mode != MODE_LIST_OPS && command->mode != MODE_LINT)
        usage_error("--json goes with --list-ops or --lint", "");
    if ((command->verbose || command->warnings_fail) && command->mode != MODE_LINT)
        usage_error("-v and --werror go with --lint", "");
    if (command->mode == MODE_DISASSEMBLE || command->mode == MODE_LIST_OPS ||
        command->mode == MODE_EXPLAIN) {
        if (optind < argc)
            usage_error("unexpected argument ", argv[optind]);
        return;
    }
    if (optind == argc)
        usage_error("no input file", "");
    if (optind + 1 < argc)
        usage_error("one input file at a time, not also ", argv[optind + 1]);
    command->input = argv[optind];
    if (!strcmp(command->input, "-") && !command->output && command->mode == MODE_ASSEMBLE)
        usage_error("standard input needs -o FILE", "");
}

/* ---- the work ---- */

static bool want_colour(const struct command *command)
{
    const char *no_colour = getenv("NO_COLOR");

    if (command->colour >= 0)
        return command->colour;
    return isatty(STDERR_FILENO) && !(no_colour && *no_colour);
}

static bool write_file(const char *path, const struct pto_buf *bytes)
{
    const char *why = NULL;

    if (pto_file_write(path, bytes->data, bytes->size, &why) == PTO_OK)
        return true;
    fprintf(stderr, "ptoas: cannot write '%s': %s\n", path, why);
    return false;
}

/* NAME.pto -> NAME.ptob in the current folder. */
static const char *object_name(const struct command *command, struct pto_buf *text)
{
    const char *slash = strrchr(command->input, '/');
    const char *base = slash ? slash + 1 : command->input;
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);

    if (command->output)
        return command->output;
    pto_buf_append(text, base, length);
    pto_buf_printf(text, ".ptob");
    return pto_buf_text(text);
}

/* Does every output have a file of its own?  `read`: what was included, one path a line. */
static bool outputs_are_safe(const struct command *command, const struct pto_buf *read)
{
    const struct pto_file_use *output, *other;
    struct pto_files files = {0};
    struct pto_buf name = {0}, path = {0};
    bool safe;

    pto_files_add(&files, command->input, command->input, false);
    pto_files_add(&files, command->profile, command->profile, false);
    for (size_t i = 0; i < read->size; i++) {
        if (read->data[i] != '\n') {
            pto_buf_byte(&path, read->data[i]);
            continue;
        }
        pto_files_add(&files, pto_buf_text(&path), pto_buf_text(&path), false);
        path.size = 0;
    }
    if (command->mode == MODE_ASSEMBLE || command->output) {
        const char *object = object_name(command, &name);

        pto_files_add(&files, object, object, true);
    }
    pto_files_add(&files, command->listing, command->listing, true);
    safe = !pto_files_clash(&files, &output, &other);
    if (!safe)
        fprintf(stderr, other->output ? "ptoas: '%s' and '%s' would be the same file\n"
                                      : "ptoas: the output '%s' would replace the input '%s'\n",
                output->what, other->what);
    pto_buf_free(&name);
    pto_buf_free(&path);
    pto_files_free(&files);
    return safe;
}

static void append_rule(const struct command *command, const struct pto_buf *files,
                        struct pto_buf *rule)
{
    struct pto_buf name = {0};

    pto_buf_printf(rule, "%s:", object_name(command, &name));
    for (size_t i = 0, start = 0; i < files->size; i++) {
        if (files->data[i] != '\n')
            continue;
        pto_buf_printf(rule, " %.*s", (int)(i - start), (const char *)files->data + start);
        start = i + 1;
    }
    pto_buf_printf(rule, "\n");
    pto_buf_free(&name);
}

/* The verifier knows positions, not texts: show the lines that its messages are about. */
static void add_source_lines(struct pto_diags *diags)
{
    struct pto_lines lines = {0};

    for (struct pto_diag *diag = diags->first; diag; diag = diag->next) {
        size_t length;
        const char *line = diag->file && !diag->source_line
                               ? pto_lines_get(&lines, diag->file, diag->line, &length)
                               : NULL;

        if (line)
            diag->source_line = pto_arena_strndup(&diags->arena, line, length);
    }
    pto_lines_free(&lines);
}

/* The object is complete before the verifier takes the module, and is written only if it agrees. */
static int finish_object(const struct command *command, struct pto_module *module,
                         const struct pto_profile *profile, struct pto_diags *diags)
{
    struct pto_buf object = {0}, name = {0};
    struct pto_program program;
    int status = EXIT_INPUT;

    pto_object_write(module, &object);
    if (pto_verify(module, profile, &program, diags) == PTO_OK) {
        pto_program_free(&program);
        if (write_file(object_name(command, &name), &object))
            status = EXIT_OK;
    } else {
        pto_module_free(module);
        add_source_lines(diags);
    }
    pto_buf_free(&object);
    pto_buf_free(&name);
    return status;
}

/* Verify and look for mistakes; takes the module over. */
static int lint(const struct command *command, struct pto_module *module,
                const struct pto_profile *profile, struct pto_diags *diags)
{
    struct pto_program program;
    struct pto_buf text = {0};
    struct pto_lint found;
    bool good;

    if (pto_verify(module, profile, &program, diags) != PTO_OK) {
        pto_module_free(module);
        add_source_lines(diags);
        return EXIT_INPUT;
    }
    pto_lint(&program, &found);
    if (command->json)
        ptoas_lint_json(&found, &program, command->input, &text);
    else
        ptoas_lint_diags(&found, &program.module, command->verbose, diags);
    if (command->verbose && !command->json)
        ptoas_lint_summary(&found, &program.module, &text);
    add_source_lines(diags);
    good = !found.errors && !(command->warnings_fail && found.warnings);
    if (text.size && !write_file(command->output ? command->output : "-", &text))
        good = false;
    pto_buf_free(&text);
    pto_lint_free(&found);
    pto_program_free(&program);
    return good ? EXIT_OK : EXIT_INPUT;
}

/* Lint an object, if the input is one; -1: it is not. */
static int lint_object(const struct command *command, const struct pto_profile *profile,
                       struct pto_diags *diags)
{
    struct pto_buf bytes = {0};
    struct pto_module module;
    const char *why;
    int status = -1;

    if (strcmp(command->input, "-") != 0 &&
        pto_file_read(command->input, PTO_FILE_KERNEL, &bytes, &why) == PTO_OK &&
        pto_is_object(bytes.data, bytes.size))
        status = pto_object_read(bytes.data, bytes.size, command->input, &module, diags) == PTO_OK
                     ? lint(command, &module, profile, diags)
                     : EXIT_INPUT;
    pto_buf_free(&bytes);
    return status;
}

static int assemble(const struct command *command, const struct pto_profile *profile,
                    struct pto_diags *diags)
{
    struct pto_buf listing = {0}, files = {0}, rule = {0};
    struct pto_asm_options options = {
        .profile = profile, .include_dir = command->include_dir,
        .include_dirs = command->include_dirs, .define = command->define,
        .defines = command->defines, .dependencies = &files,
        .listing = command->listing ? &listing : NULL};
    struct pto_module module;
    enum pto_status result = pto_assemble_file(command->input, &options, &module, diags);
    int status = result == PTO_EINTERNAL ? EXIT_INTERNAL : EXIT_INPUT;
    bool safe = outputs_are_safe(command, &files);

    if (!safe) {
        status = EXIT_USAGE;
        if (result == PTO_OK)
            pto_module_free(&module);
    } else if (result == PTO_OK && command->mode == MODE_DEPENDENCIES) {
        append_rule(command, &files, &rule);
        pto_module_free(&module);
        status = write_file("-", &rule) ? EXIT_OK : EXIT_INPUT;
    } else if (result == PTO_OK && command->mode == MODE_LINT) {
        status = lint(command, &module, profile, diags);
    } else if (result == PTO_OK) {
        status = finish_object(command, &module, profile, diags);
    }
    if (safe && command->listing && !write_file(command->listing, &listing))
        status = EXIT_INPUT;
    pto_buf_free(&listing);
    pto_buf_free(&files);
    pto_buf_free(&rule);
    return status;
}

static int disassemble(const struct command *command, struct pto_diags *diags)
{
    struct pto_buf bytes = {0}, text = {0};
    struct pto_module module;
    const char *why = NULL;
    int status = EXIT_INPUT;

    if (pto_file_read(command->input, PTO_FILE_KERNEL, &bytes, &why) != PTO_OK)
        fprintf(stderr, "ptoas: cannot read '%s': %s\n", command->input, why);
    else if (pto_object_read(bytes.data, bytes.size, command->input, &module, diags) == PTO_OK) {
        pto_disassemble(&module, &text);
        pto_module_free(&module);
        if (write_file(command->output ? command->output : "-", &text))
            status = EXIT_OK;
    }
    pto_buf_free(&bytes);
    pto_buf_free(&text);
    return status;
}

static int list_ops(const struct command *command)
{
    struct pto_buf text = {0};
    bool good;

    if (command->json)
        ptoas_list_json(&text);
    else
        ptoas_list_ops(&text);
    good = write_file(command->output ? command->output : "-", &text);
    pto_buf_free(&text);
    return good ? EXIT_OK : EXIT_INPUT;
}

static int explain(const struct command *command)
{
    struct pto_buf text = {0};
    const char *nearest = NULL;
    int status = EXIT_USAGE;

    if (ptoas_explain(command->input, &text, &nearest))
        status = write_file(command->output ? command->output : "-", &text) ? EXIT_OK : EXIT_INPUT;
    else
        fprintf(stderr, "ptoas: there is no instruction '%s'%s%s%s\nTry 'ptoas --list-ops'.\n",
                command->input, nearest ? ": did you mean '" : "", nearest ? nearest : "",
                nearest ? "'?" : "");
    pto_buf_free(&text);
    return status;
}

static int run(const struct command *command, struct pto_diags *diags)
{
    const struct pto_buf nothing_yet = {0};
    struct pto_profile profile;
    int status = -1;

    if (command->mode == MODE_LIST_OPS)
        return list_ops(command);
    if (command->mode == MODE_EXPLAIN)
        return explain(command);
    if (!outputs_are_safe(command, &nothing_yet))
        return EXIT_USAGE;
    if (command->mode == MODE_DISASSEMBLE)
        return disassemble(command, diags);
    if (pto_profile_load(command->profile, &profile, diags) != PTO_OK)
        return EXIT_USAGE;
    if (command->mode == MODE_LINT)
        status = lint_object(command, &profile, diags);
    return status >= 0 ? status : assemble(command, &profile, diags);
}

int main(int argc, char **argv)
{
    struct command command = {.profile = "a2", .max_errors = DEFAULT_MAX_ERRORS, .colour = -1};
    struct pto_diags diags = {0};
    int status;

    pto_process_begin();
    parse_command(&command, argc, argv);
    diags.max_errors = (unsigned)command.max_errors;
    status = run(&command, &diags);
    pto_diags_print(&diags, stderr, want_colour(&command));
    pto_diags_free(&diags);
    free(command.include_dir);
    free(command.define);
    return status;
}

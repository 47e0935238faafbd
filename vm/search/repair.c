#include "search/repair.h"

#include <stdlib.h>
#include <string.h>

#include "cli/again.h"
#include "cli/compare.h"
#include "cli/stop.h"
#include "file.h"
#include "search/remedy.h"

enum {
    MOST_ROUNDS = 8,  /* changes of one repair */
    MOST_TRIED = 4000,
    COUNTED = 40      /* remedies whose findings are counted where none leaves a clean run */
};

/* ---- texts ---- */

static void add_sheet(struct cli_repair *repair, const char *path)
{
    struct pto_buf text = {0};

    for (unsigned i = 0; i < repair->sheets; i++)
        if (!strcmp(repair->sheet[i].path, path))
            return;
    if (pto_file_read_source(path, &text) == PTO_OK)
        cli_sheet_init(&repair->sheet[repair->sheets++], path, (const char *)text.data, text.size,
                       &repair->arena);
    pto_buf_free(&text);
}

/* The paths of a list, one a line. */
static unsigned split_paths(struct cli_repair *repair, const struct pto_buf *list,
                            const char **path)
{
    const char *at = (const char *)list->data, *end = at + list->size;
    unsigned count = 0;

    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));

        stop = stop ? stop : end;
        if (path)
            path[count] = pto_arena_strndup(&repair->arena, at, (size_t)(stop - at));
        count++;
        at = stop + 1;
    }
    return count;
}

static bool is_unchanged(const char *path, const struct pto_buf *text)
{
    struct pto_buf now = {0};
    bool same = pto_file_read_source(path, &now) == PTO_OK && now.size == text->size &&
                (!now.size || !memcmp(now.data, text->data, now.size));

    pto_buf_free(&now);
    return same;
}

static bool load_sheets(struct cli_repair *repair, const struct cli_launch *launch)
{
    unsigned most = launch->files;

    for (unsigned f = 0; f < launch->files; f++)
        most += split_paths(repair, &launch->file[f].includes, NULL);
    repair->sheet = pto_arena_array(&repair->arena, most + 1, sizeof *repair->sheet);
    for (unsigned f = 0; f < launch->files; f++) {
        const struct cli_file *file = &launch->file[f];
        const char **path;
        unsigned paths;

        if (file->is_object)
            repair->refusal = "an object has no text that could be changed";
        else if (!strcmp(file->path, "-"))
            repair->refusal = "a text from standard input cannot be read again";
        else if (!is_unchanged(file->path, &file->text))
            repair->refusal = "the text has changed since it was read";
        if (repair->refusal)
            return false;
        add_sheet(repair, file->path);
        path = pto_arena_array(&repair->arena,
                               split_paths(repair, &file->includes, NULL) + 1, sizeof *path);
        paths = split_paths(repair, &file->includes, path);
        for (unsigned i = 0; i < paths; i++)
            add_sheet(repair, path[i]);
    }
    return true;
}

/* What is being looked for. */
struct search {
    const struct cli_options *options;
    struct cli_repair *repair;
    struct cli_remedy *remedy;
    unsigned remedies, next;
    unsigned score; /* of what is to be healed */
    int kind;       /* of the finding that leads, -1: none */
    int *stopped_by;
};

/* ---- one run ---- */

struct trial {
    struct cli_options options; /* shares its texts with those of the command line */
    const struct cli_repair *repair;
    struct cli_launch launch;
    struct cli_findings findings;
    struct pto_diags diags;
    struct pto_buf *text; /* of every sheet */
    bool assembled, clean;
    bool open;            /* stopped at a finding of which more of the run could take away */
    unsigned score;       /* lower: better */
    int kind;             /* of the finding that led before; -1: none */
};

static bool read_instead(const void *context, const char *path, const char **text, size_t *size)
{
    const struct trial *trial = context;

    for (unsigned i = 0; i < trial->repair->sheets; i++)
        if (!strcmp(trial->repair->sheet[i].path, path)) {
            *text = (const char *)trial->text[i].data;
            *size = trial->text[i].size;
            return true;
        }
    return false;
}

/* The texts with the changes so far and those of the remedy; NULL: those so far. */
static void write_texts(struct trial *trial, const struct cli_remedy *remedy)
{
    struct cli_repair changed = *trial->repair;

    changed.arena = (struct pto_arena){0};
    trial->text = pto_xcalloc(changed.sheets + 1, sizeof *trial->text);
    for (unsigned i = 0; i < changed.sheets; i++) {
        struct cli_sheet sheet = changed.sheet[i];

        for (unsigned e = 0; remedy && e < remedy->insertions; e++)
            if (remedy->insertion[e].sheet == &changed.sheet[i])
                cli_sheet_insert(&sheet, remedy->insertion[e].line, remedy->insertion[e].text,
                                 &changed.arena);
        cli_sheet_text(&sheet, &trial->text[i]);
    }
    pto_arena_free(&changed.arena);
}

static bool as_expected(struct trial *trial)
{
    struct cli_expectations expectations = {0};
    bool same = cli_expect_load(&trial->options, &trial->launch, &expectations, &trial->diags) ==
                    PTO_OK &&
                cli_expect_compare(&trial->options, &trial->launch, &expectations);

    cli_expect_free(&expectations);
    return same;
}

/* As many findings as before are fewer where those of the kind that led have made room for others:
 * what was missing behind them shows only then. */
static unsigned score_of(struct pto_vm *vm, const struct cli_findings *findings, int kind)
{
    const unsigned broken = 1 << 20;
    bool ended = pto_vm_finished(vm) && (!pto_vm_fault(vm) || pto_vm_fault(vm)->mnemonic);
    bool same = false;

    for (unsigned i = 0; i < findings->count; i++)
        same = same || (int)findings->item[i].finding->kind == kind;
    return (ended ? 0 : broken) + 2 * findings->count + same;
}

/* Run what is assembled; `all`: count the findings, else the first one is enough. */
static bool run_trial(struct trial *trial, bool all, int *stopped_by)
{
    struct cli_machine_options silent = {0};
    const struct cli_options *options = &trial->options;
    bool filtered = options->check_kind || options->check_kernel || options->check_rank >= 0 ||
                    options->suppress_path;
    enum pto_status status = cli_findings_load(options, &trial->findings, &trial->diags);

    if (status == PTO_OK)
        status = cli_launch(options, &silent, &trial->launch, &trial->diags);
    if (status == PTO_EMEMORY && !*stopped_by)
        *stopped_by = CLI_STOPPED_MEMORY; /* it says nothing of the change that it was to try */
    if (status != PTO_OK ||
        cli_findings_attach(options, &trial->launch, &trial->findings) != PTO_OK)
        return false;
    all = all || filtered;
    if (!all)
        pto_check_stop_at_first(trial->findings.check);
    cli_run(trial->launch.vm, &options->limits, stopped_by);
    pto_check_finish(trial->findings.check);
    if (!*stopped_by && pto_vm_finished(trial->launch.vm))
        cli_findings_settle(options, NULL, &trial->launch, &trial->findings, &trial->diags,
                            stopped_by);
    if (*stopped_by)
        return false;
    cli_findings_collect(options, &trial->findings);
    trial->score = score_of(trial->launch.vm, &trial->findings, trial->kind);
    trial->clean = trial->score == 0 && as_expected(trial);
    trial->open = !all && !pto_vm_finished(trial->launch.vm) &&
                  pto_check_doubtful(trial->findings.check);
    return true;
}

/* Run it once more, to its end. */
static bool run_whole(struct trial *trial, int *stopped_by)
{
    cli_findings_free(&trial->findings);
    pto_vm_free(trial->launch.vm);
    trial->findings = (struct cli_findings){0};
    trial->launch.vm = NULL;
    return run_trial(trial, true, stopped_by);
}

/* The texts with a change; false: they cannot be assembled. */
static bool assemble(struct trial *trial, const struct search *search,
                     const struct cli_remedy *remedy)
{
    *trial = (struct trial){
        .options = *search->options,
        .repair = search->repair,
        .score = UINT32_MAX,
        .kind = search->kind,
    };
    trial->options.instead = read_instead;
    trial->options.instead_context = trial;
    write_texts(trial, remedy);
    return cli_load(&trial->options, 1, false, &trial->launch, &trial->diags) == PTO_OK;
}

static void begin_trial(struct trial *trial, const struct search *search,
                        const struct cli_remedy *remedy, bool all)
{
    int *stopped_by = search->stopped_by;

    if (!assemble(trial, search, remedy))
        return;
    search->repair->runs++;
    trial->assembled = run_trial(trial, all, stopped_by);
    if (trial->assembled && trial->open)
        trial->assembled = run_whole(trial, stopped_by);
}

static void end_trial(struct trial *trial)
{
    cli_findings_free(&trial->findings);
    cli_launch_free(&trial->launch);
    pto_diags_free(&trial->diags);
    for (unsigned i = 0; i < trial->repair->sheets; i++)
        pto_buf_free(&trial->text[i]);
    free(trial->text);
}

/* ---- the search ---- */

/* Before so many runs have been made in all? */
static bool may_go_on(const struct search *search, unsigned tried, unsigned runs)
{
    return !*search->stopped_by && tried < search->remedies && tried < MOST_TRIED &&
           search->repair->runs < runs;
}

/* From search->next on, which is left behind those that were tried. */
static const struct cli_remedy *find_clean(struct search *search, unsigned runs)
{
    while (may_go_on(search, search->next, runs)) {
        unsigned i = search->next++;
        struct trial trial;
        bool clean;

        begin_trial(&trial, search, &search->remedy[i], false);
        clean = trial.clean;
        end_trial(&trial);
        if (clean)
            return &search->remedy[i];
    }
    return NULL;
}

/* The remedy that leaves least, and less than there is. */
static const struct cli_remedy *find_better(struct search *search)
{
    const struct cli_remedy *best = NULL;

    for (unsigned i = 0; i < COUNTED && may_go_on(search, i, search->options->fix_runs); i++) {
        struct trial trial;

        begin_trial(&trial, search, &search->remedy[i], true);
        if (trial.assembled && trial.score < search->score) {
            search->score = trial.score;
            best = &search->remedy[i];
        }
        end_trial(&trial);
    }
    return best;
}

static void apply(struct cli_repair *repair, const struct cli_remedy *remedy)
{
    for (unsigned i = 0; i < remedy->insertions; i++)
        cli_sheet_insert(remedy->insertion[i].sheet, remedy->insertion[i].line,
                         remedy->insertion[i].text, &repair->arena);
}

/* Where several things are missing, no single change leaves a clean run: half of the runs are left
 * for the others. */
static unsigned half_of(const struct search *search)
{
    unsigned most = search->options->fix_runs, runs = search->repair->runs;

    return runs < most ? most - (most - runs) / 2 : most;
}

/* The likeliest change of which a text comes that can be assembled, without a run. */
static void apply_first(struct search *search)
{
    bool fits = false;

    for (unsigned i = 0; i < search->remedies && !fits; i++) {
        struct trial trial;

        fits = assemble(&trial, search, &search->remedy[i]);
        end_trial(&trial);
        if (fits)
            apply(search->repair, &search->remedy[i]);
    }
}

/* One change; false: none helps.  *proved: nothing is left. */
static bool heal_once(struct search *search, struct pto_vm *vm,
                      const struct cli_findings *findings, bool *proved)
{
    const struct cli_remedy *chosen;
    struct cli_ailment ailment = {
        .findings = findings,
        .vm = vm,
        .sheet = search->repair->sheet,
        .sheets = search->repair->sheets,
    };

    search->remedies = cli_remedies(&ailment, &search->repair->arena, &search->remedy);
    search->kind = findings->count ? (int)findings->item[0].finding->kind : -1;
    search->score = score_of(vm, findings, search->kind);
    search->next = 0;
    *proved = false;
    if (search->options->fix_runs == 0) {
        apply_first(search);
        return false;
    }
    chosen = find_clean(search, half_of(search));
    *proved = chosen != NULL;
    if (!chosen)
        chosen = find_better(search);
    if (!chosen) {
        chosen = find_clean(search, search->options->fix_runs);
        *proved = chosen != NULL;
    }
    if (chosen)
        apply(search->repair, chosen);
    return chosen && !*proved;
}

/* ---- what is told of it ---- */

static unsigned count_added(const struct cli_repair *repair)
{
    unsigned added = 0;

    for (unsigned s = 0; s < repair->sheets; s++)
        for (uint32_t i = 1; i <= repair->sheet[s].lines; i++)
            added += repair->sheet[s].line[i].added;
    return added;
}

/* The changes in terms of the files as they are; the words say every line and its place. */
static void describe(struct cli_repair *repair)
{
    struct pto_edit *edit = pto_arena_array(&repair->arena, count_added(repair) + 1, sizeof *edit);
    struct pto_buf words = {0};

    for (unsigned s = 0; s < repair->sheets; s++) {
        const struct cli_sheet *sheet = &repair->sheet[s];
        uint32_t old = 0;

        for (uint32_t i = 1; i <= sheet->lines; i++) {
            const char *text = sheet->line[i].text;
            size_t indent = strspn(text, " \t");

            old += !sheet->line[i].added;
            if (!sheet->line[i].added)
                continue;
            edit[repair->advice.edits++] = (struct pto_edit){
                sheet->path, old ? old : 1, (uint32_t)indent + 1, old > 0, text + indent};
            pto_buf_printf(&words, "%s%s %s %s:%u", words.size ? " and " : "", text + indent,
                           old ? "behind" : "before", sheet->path, old ? old : 1);
        }
    }
    repair->advice.edit = edit;
    repair->advice.text = words.size ? pto_arena_strdup(&repair->arena, pto_buf_text(&words))
                                     : NULL;
    pto_buf_free(&words);
}

void cli_repair_search(const struct cli_options *options, const struct cli_launch *launch,
                       struct cli_findings *findings, struct cli_repair *repair, int *stopped_by)
{
    struct cli_options limited = *options;
    struct search search = {.options = &limited, .repair = repair, .stopped_by = stopped_by};
    bool proved = false, more;

    *repair = (struct cli_repair){0};
    if (!load_sheets(repair, launch))
        return;
    cli_again_limit(&limited, launch->vm);
    more = heal_once(&search, findings->again ? findings->again : launch->vm, findings, &proved);
    for (int round = 1; more && round < MOST_ROUNDS; round++) {
        struct trial trial;

        begin_trial(&trial, &search, NULL, true);
        more = trial.assembled && heal_once(&search, trial.launch.vm, &trial.findings, &proved);
        end_trial(&trial);
    }
    describe(repair);
    repair->advice.proved = proved;
    repair->may_write = proved || !options->fix_runs;
    repair->cut_off = !proved && *stopped_by;
    if (repair->advice.edits && findings->count)
        findings->item[0].advice = &repair->advice;
    else if (repair->advice.edits)
        findings->remedy = &repair->advice;
}

void cli_repair_text(const struct cli_repair *repair, bool in_place, struct pto_buf *out)
{
    if (repair->refusal)
        pto_buf_printf(out, "error: --fix: %s\n", repair->refusal);
    else if (repair->may_write && repair->advice.edits && !repair->advice.proved)
        pto_buf_printf(out, "note: --fix: the likeliest change, which was not tried\n");
    else if (repair->sheets > 0 && !repair->advice.proved)
        pto_buf_printf(out, "note: --fix: %s%s; runs made: %u\n",
                       repair->advice.edits ? "no run was clean, this is the best so far"
                       : repair->cut_off    ? "nothing that was tried so far helps"
                                            : "nothing that was tried helps",
                       repair->advice.edits && in_place && !repair->may_write
                           ? ", and the files stay as they are" : "",
                       repair->runs);
}

void cli_repair_diff(const struct cli_repair *repair, struct pto_buf *out)
{
    for (unsigned i = 0; i < repair->sheets; i++)
        cli_sheet_diff(&repair->sheet[i], out);
}

/* The file as it was read: the lines that were not added. */
static bool is_as_read(const struct cli_sheet *sheet)
{
    struct pto_buf text = {0};
    bool same;

    cli_sheet_original(sheet, &text);
    same = is_unchanged(sheet->path, &text);
    pto_buf_free(&text);
    return same;
}

enum pto_status cli_repair_write(const struct cli_repair *repair, struct pto_diags *diags)
{
    for (unsigned i = 0; i < repair->sheets; i++)
        if (cli_sheet_changed(&repair->sheet[i]) && !is_as_read(&repair->sheet[i])) {
            pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "'%s' has changed since it was read",
                         repair->sheet[i].path);
            return PTO_ECONFIG;
        }
    for (unsigned i = 0; i < repair->sheets; i++) {
        const struct cli_sheet *sheet = &repair->sheet[i];
        struct pto_buf text = {0};
        const char *why = "";
        enum pto_status status = PTO_OK;

        if (!cli_sheet_changed(sheet))
            continue;
        cli_sheet_text(sheet, &text);
        status = pto_file_write(sheet->path, text.data, text.size, &why);
        pto_buf_free(&text);
        if (status == PTO_OK)
            continue;
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "cannot write '%s': %s", sheet->path, why);
        return status;
    }
    return PTO_OK;
}

void cli_repair_free(struct cli_repair *repair)
{
    pto_arena_free(&repair->arena);
}

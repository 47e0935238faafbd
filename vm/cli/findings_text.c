/* Findings and notes as messages like a compiler's. */
#include "cli/details.h"
#include "cli/faults.h"
#include "cli/findings.h"
#include "place.h"

static const char *plural(uint64_t count, const char *many)
{
    return count == 1 ? "" : many;
}

/* "FILE:LINE:COLUMN: " */
static void place_text(const struct pto_finding_access *access, struct pto_buf *out)
{
    cli_place_head(access->module, access->pos, out);
}

void cli_party_text(const struct pto_finding_access *access, struct pto_buf *out)
{
    char time[CLI_TIME_BYTES];

    pto_buf_printf(out, "rank %d", access->rank);
    if (access->core)
        pto_buf_printf(out, ", %s", access->core);
    if (access->pipe)
        pto_buf_printf(out, ", pipe %s", access->pipe);
    if (access->time_ps > 0)
        pto_buf_printf(out, ", at %s", cli_time_text(access->time_ps, time));
}

static void head_text(const struct pto_finding *f, bool colour, struct pto_lines *lines,
                      struct pto_buf *out)
{
    place_text(&f->access[1], out);
    pto_buf_printf(out, "%sfinding:%s %s [%s]\n", colour ? "\033[1;31m" : "",
                   colour ? "\033[0m" : "", f->message, pto_finding_name(f->kind));
    cli_place_text(f->access[1].module, f->access[1].pos, lines, out);
    pto_buf_printf(out, "  here: %s", f->bytes > 0 ? cli_access_verb(&f->access[1]) : "on");
    if (f->bytes > 0)
        pto_buf_printf(out, " bytes %llu to %llu of %s on", (unsigned long long)f->offset,
                       (unsigned long long)(f->offset + f->bytes - 1), f->where);
    pto_buf_printf(out, " ");
    cli_party_text(&f->access[1], out);
    pto_buf_printf(out, "\n");
}

static void other_text(const struct pto_finding *f, struct pto_lines *lines, struct pto_buf *out)
{
    const struct pto_finding_access *other = &f->access[0];

    if (!other->present)
        return;
    pto_buf_printf(out, "  ");
    place_text(other, out);
    pto_buf_printf(out, "%s %s on ", other->mnemonic,
                   f->bytes > 0 ? cli_access_verb(other) : "is");
    cli_party_text(other, out);
    pto_buf_printf(out, "\n");
    cli_place_text(other->module, other->pos, lines, out);
}

static void labelled(const char *label, const char *text, const char *more, struct pto_buf *out)
{
    struct pto_buf line = {0};

    pto_buf_printf(&line, "%s: %s%s", label, text, more);
    cli_details_text(pto_buf_text(&line), out);
    pto_buf_free(&line);
}

static void advice_text(const struct pto_advice *advice, struct pto_buf *out)
{
    if (advice->text)
        labelled("advice", advice->text, advice->proved ? " (a run with this is clean)" : "", out);
}

static void cause_text(const struct pto_finding *cause, struct pto_buf *out)
{
    pto_buf_printf(out, "  follows: probably from ");
    place_text(&cause->access[1], out);
    pto_buf_printf(out, "%s\n", pto_finding_name(cause->kind));
}

static void finding_text(const struct cli_findings *findings, unsigned index, bool colour,
                         struct pto_lines *lines, struct pto_buf *out)
{
    const struct cli_finding *item = &findings->item[index];
    const struct pto_finding *f = item->finding;

    head_text(f, colour, lines, out);
    other_text(f, lines, out);
    if (f->ordered)
        labelled("order", f->ordered, "", out);
    advice_text(item->advice, out);
    if (item->follows != index)
        cause_text(findings->item[item->follows].finding, out);
    if (f->count > 1)
        pto_buf_printf(out, "  seen %llu times, on %u sub-core%s of %u rank%s\n",
                       (unsigned long long)f->count, f->cores, plural(f->cores, "s"), f->ranks,
                       plural(f->ranks, "s"));
}

static void note_text(const struct pto_check_note *note, struct pto_lines *lines,
                      struct pto_buf *out)
{
    struct pto_finding_access at = cli_note_place(note);

    place_text(&at, out);
    pto_buf_printf(out, "note: %s [%s]", note->message, pto_note_name(note->kind));
    if (note->kind == PTO_NOTE_REDUNDANT)
        pto_buf_printf(out, " (executed %llu times)", (unsigned long long)note->count);
    pto_buf_printf(out, "\n");
    cli_place_text(note->module, note->pos, lines, out);
}

void cli_findings_text(const struct cli_findings *findings, bool colour, struct pto_buf *out)
{
    struct pto_lines lines = {0};
    unsigned shown = findings->verbose ? findings->count : findings->leading;
    unsigned hidden = findings->count - shown;

    for (unsigned i = 0; i < shown; i++)
        finding_text(findings, i, colour, &lines, out);
    for (unsigned i = 0; findings->verbose && i < findings->notes; i++)
        note_text(&findings->note[i], &lines, out);
    if (findings->remedy)
        advice_text(findings->remedy, out);
    pto_lines_free(&lines);
    if (hidden > 0)
        pto_buf_printf(out, "note: %u finding%s that probably follow%s from these; -v shows all\n",
                       hidden, plural(hidden, "s"), hidden == 1 ? "s" : "");
    if (findings->suppressed > 0)
        pto_buf_printf(out, "note: %u finding%s suppressed\n", findings->suppressed,
                       plural(findings->suppressed, "s"));
}

/* "never reached", "no order" or "ordered" */
static const char *use_text(const struct pto_coverage *row)
{
    return !row->times ? "never reached" : row->ordered ? "ordered" : "no order";
}

void cli_coverage_text(const struct cli_findings *findings, struct pto_buf *out)
{
    unsigned reached = 0, ordered = 0;

    for (unsigned i = 0; i < findings->coverages; i++) {
        reached += findings->coverage[i].times > 0;
        ordered += findings->coverage[i].ordered;
    }
    pto_buf_printf(out, "coverage      %u of %u places of synchronisation reached, %u ordered "
                   "something\n", reached, findings->coverages, ordered);
    for (unsigned i = 0; i < findings->coverages; i++) {
        const struct pto_coverage *row = &findings->coverage[i];
        const struct pto_pos *pos = pto_place(row->module, row->pos);

        pto_buf_printf(out, "  %-13s %8llu  %-13s  %s:%u:%u\n", use_text(row),
                       (unsigned long long)row->times, row->mnemonic, row->module->file[pos->file],
                       pos->line, pos->column);
    }
}

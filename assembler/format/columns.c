#include "columns.h"

enum { MOST_COUNTED = 2000 /* lines of a run whose distances are counted: each looks at all */ };

/* Lines in which one part may begin in one column: `column` is that in which authors began it. */
struct run {
    enum format_class class;
    int kind; /* first token of the statements; 0: any */
    unsigned part;
    uint32_t begin, end; /* lines */
};

static bool is_member(const struct run *run, const struct format_line *line)
{
    return line->statement && line->class == run->class && line->part[run->part].text &&
           (!run->kind || line->statement->kind == run->kind);
}

/* Distance from a part to the next one: the least that there can be, and what it was. */
static uint32_t least(const struct format_line *line, unsigned part)
{
    return line->part[part - 1].length + 1;
}

static uint32_t was_apart(const struct format_line *line, unsigned part)
{
    return line->part[part].was - line->part[part - 1].was;
}

static bool is_apart(const struct run *run, const struct format_line *line)
{
    return is_member(run, line) && was_apart(line, run->part) > least(line, run->part);
}

/* How many lines had a distance. */
static uint32_t users_of(const struct format_text *f, const struct run *run, uint32_t distance)
{
    uint32_t users = 0;

    for (uint32_t i = run->begin; i < run->end; i++)
        users += is_apart(run, &f->line[i]) && was_apart(&f->line[i], run->part) == distance;
    return users;
}

/* The distance of a run: of those that the author took by writing more than one blank the least
 * that serves all lines, else the most frequent one, which longer lines pass over.  0: the author
 * took none, or the line is alone; only names of objects keep theirs then. */
static uint32_t distance_of(const struct format_text *f, const struct run *run)
{
    uint32_t needed = 0, serves = UINT32_MAX, frequent = 0, most = 0, members = 0;

    for (uint32_t i = run->begin; i < run->end; i++) {
        if (!is_member(run, &f->line[i]))
            continue;
        members++;
        if (needed < least(&f->line[i], run->part))
            needed = least(&f->line[i], run->part);
    }
    if (members < 2 && (run->class != FORMAT_OBJECT || run->part > 1))
        return 0;
    for (uint32_t i = run->begin; i < run->end; i++) {
        uint32_t distance = 0, users;

        if (!is_apart(run, &f->line[i]))
            continue;
        distance = was_apart(&f->line[i], run->part);
        if (distance >= needed && distance < serves)
            serves = distance;
        users = serves == UINT32_MAX && run->end - run->begin < MOST_COUNTED
                    ? users_of(f, run, distance)
                    : 1;
        if (users > most) {
            most = users;
            frequent = distance;
        }
    }
    return serves < UINT32_MAX ? serves : frequent;
}

static void align_run(struct format_text *f, const struct run *run)
{
    uint32_t distance = distance_of(f, run);

    for (uint32_t i = run->begin; i < run->end; i++) {
        struct format_line *line = &f->line[i];

        if (!is_member(run, line))
            continue;
        line->at[run->part] = line->at[run->part - 1] + least(line, run->part);
        if (least(line, run->part) < distance)
            line->at[run->part] = line->at[run->part - 1] + distance;
    }
}

/* A run of neighbours ends where a line is of another kind, too. */
static bool ends_run(const struct run *run, const struct format_line *first,
                     const struct format_line *line)
{
    if (line->continues)
        return false;
    if (line->count == 0 || line->parts_blocks || line->indent != first->indent)
        return true;
    return run->kind && !is_member(run, line);
}

static void align(struct format_text *f, struct run run)
{
    for (run.begin = 0; run.begin < f->lines; run.begin++) {
        const struct format_line *first = &f->line[run.begin];

        if (!is_member(&run, first) || first->parts_blocks)
            continue;
        if (run.part > 1)
            run.kind = first->statement->kind;
        for (run.end = run.begin + 1; run.end < f->lines; run.end++)
            if (ends_run(&run, first, &f->line[run.end]))
                break;
        align_run(f, &run);
        run.begin = run.end - 1;
        run.kind = 0;
    }
}

void format_align(struct format_text *f)
{
    for (unsigned part = 1; part < FORMAT_PARTS; part++)
        for (int class = FORMAT_TILE_OP; class <= FORMAT_CONSTANT; class++)
            align(f, (struct run){.class = (enum format_class)class, .part = part});
}

/* From tokens to the lines that are parsed: a stack of sources and macro uses. */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

#include "macro.h"
#include "parse.h"
#include "report.h"
#include "source.h"

/* Directives, and the words that are keywords after them and names everywhere else. */
static const struct directive {
    const char *name;
    int kind;
    struct {
        const char *text;
        int kind;
    } word[3];
} directives[] = {
    {"include", TK_D_INCLUDE, {{0}}},
    {"macro", TK_D_MACRO, {{0}}},
    {"endm", TK_D_ENDM, {{0}}},
    {"export", TK_D_EXPORT, {{0}}},
    {"equ", TK_D_EQU, {{0}}},
    {"define", TK_D_DEFINE, {{0}}},
    {"kernel", TK_D_KERNEL, {{0}}},
    {"param", TK_D_PARAM, {{0}}},
    {"in", TK_D_IN, {{0}}},
    {"out", TK_D_OUT, {{0}}},
    {"inout", TK_D_INOUT, {{0}}},
    {"gm", TK_D_GM, {{0}}},
    {"sym", TK_D_SYM, {{0}}},
    {"signal", TK_D_SIGNAL, {{0}}},
    {"view", TK_D_VIEW, {{"of", TK_OF}, {"offset", TK_OFFSET}, {"strides", TK_STRIDES}}},
    {"assert", TK_D_ASSERT, {{0}}},
    {"fifo", TK_D_FIFO, {{"slots", TK_SLOTS}, {"split", TK_SPLIT}, {"flags", TK_FLAGS}}},
    {"mix", TK_D_MIX, {{0}}},
    {"setup", TK_D_SETUP, {{0}}},
    {"endsetup", TK_D_ENDSETUP, {{0}}},
    {"core", TK_D_CORE, {{0}}},
    {"tile", TK_D_TILE, {{"of", TK_OF}, {"stride", TK_STRIDE}, {"pitch", TK_PITCH}}},
    {"local", TK_D_LOCAL, {{0}}},
    {"slots", TK_D_SLOTS, {{"free", TK_FREE}, {"flags", TK_FLAGS}}},
    {"take", TK_D_TAKE, {{0}}},
    {"give", TK_D_GIVE, {{0}}},
    {"drain", TK_D_DRAIN, {{0}}},
    {"ordered", TK_D_ORDERED, {{0}}},
    {"endordered", TK_D_ENDORDERED, {{0}}},
    {"reg", TK_D_REG, {{0}}},
    {"for", TK_D_FOR, {{"to", TK_TO}, {"downto", TK_DOWNTO}, {"step", TK_STEP}}},
    {"endfor", TK_D_ENDFOR, {{0}}},
    {"while", TK_D_WHILE, {{0}}},
    {"endwhile", TK_D_ENDWHILE, {{0}}},
    {"if", TK_D_IF, {{0}}},
    {"elif", TK_D_ELIF, {{0}}},
    {"else", TK_D_ELSE, {{0}}},
    {"endif", TK_D_ENDIF, {{0}}},
    {"break", TK_D_BREAK, {{0}}},
    {"continue", TK_D_CONTINUE, {{0}}},
    {"assembled_for", TK_D_ASSEMBLED_FOR, {{0}}},
    {"file", TK_D_FILE, {{0}}},
    {"pos", TK_D_POS, {{0}}},
    {"at", TK_D_AT, {{0}}},
};

enum { DIRECTIVES = sizeof directives / sizeof *directives, WORDS = 3 };

static const struct directive *find_directive(const char *name)
{
    for (unsigned i = 0; i < DIRECTIVES; i++)
        if (!strcmp(name, directives[i].name))
            return &directives[i];
    return NULL;
}

const char *text_directive(unsigned i)
{
    return i < DIRECTIVES ? directives[i].name : NULL;
}

/* What other assemblers and languages call it. */
static const char *other_name(const char *name)
{
    static const struct {
        const char *other, *own;
    } names[] = {
        {"loop", "for"},      {"endloop", "endfor"}, {"next", "endfor"},    {"repeat", "while"},
        {"wend", "endwhile"}, {"elseif", "elif"},    {"elsif", "elif"},     {"func", "kernel"},
        {"function", "kernel"}, {"global", "gm"},    {"input", "in"},       {"output", "out"},
        {"tensor", "tile"},   {"const", "equ"},      {"set", "equ"},        {"section", "core"},
        {"text", "core"},     {"endmacro", "endm"},  {"arg", "param"},
    };

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i].other))
            return names[i].own;
    return NULL;
}

/* Reported; what was probably meant, `nearest` if that is known, or NULL. */
static const char *unknown_directive(struct asm_text *t, const struct asm_token *token,
                                     const char *nearest)
{
    const char *names[DIRECTIVES];
    struct pto_diag *diag = text_error(t, token, "there is no directive '.%s'", token->text);

    for (unsigned i = 0; i < DIRECTIVES; i++)
        names[i] = directives[i].name;
    if (!nearest)
        nearest = other_name(token->text);
    if (!nearest)
        nearest = pto_nearest(token->text, names, DIRECTIVES);
    if (nearest)
        text_hint(t, diag, "did you mean '.%s'?", nearest);
    return nearest;
}

/* ---- frames ---- */

void text_push(struct asm_text *t, struct text_frame frame)
{
    PTO_GROW(t->frame, t->frames, t->frame_capacity);
    t->frame[t->frames++] = frame;
}

void text_stop(struct asm_text *t)
{
    t->frames = 0;
    t->cut_short = true;
}

bool text_account(struct asm_text *t, const struct asm_token *from, struct text_amount more)
{
    struct text_amount *sum = &t->brought_in;

    sum->lines += more.lines;
    sum->tokens += more.tokens;
    sum->characters += more.characters;
    if (sum->lines > ASM_MAX_EXPANDED)
        text_error(t, from, "includes and macro uses produce more than %d lines",
                   ASM_MAX_EXPANDED);
    else if (sum->tokens > ASM_MAX_EXPANDED_TOKENS)
        text_error(t, from, "includes and macro uses produce more than %d words and signs",
                   ASM_MAX_EXPANDED_TOKENS);
    else if (sum->characters > ASM_MAX_EXPANDED_CHARACTERS)
        text_error(t, from, "includes and macro uses produce more than %d characters",
                   ASM_MAX_EXPANDED_CHARACTERS);
    else
        return true;
    text_stop(t);
    return false;
}

struct asm_origin *text_origin(struct asm_text *t, struct asm_source *source,
                               const struct asm_token *from, const char *macro)
{
    struct asm_origin *origin = pto_arena_alloc(t->arena, sizeof *origin);

    *origin = (struct asm_origin){
        .source = source, .from = from, .macro = macro, .pos = PTO_NONE,
        .depth = from ? from->origin->depth + 1 : 0};
    if (origin->depth <= ASM_MAX_DEPTH)
        return origin;
    text_error(t, from, "includes and macro uses are nested more than %d deep", ASM_MAX_DEPTH);
    return NULL;
}

void text_push_source(struct asm_text *t, struct asm_source *source,
                      const struct asm_token *from)
{
    struct asm_origin *origin = text_origin(t, source, from, NULL);

    if (!origin || (from && !text_account(t, from, source->amount)))
        return;
    text_push(t, (struct text_frame){
        .token = source->token, .tokens = source->tokens, .origin = origin,
        .in_place = !from, /* nobody can include it: its tokens need no copy */
        .library = from && t->host->is_outside(t->context) ? source : NULL});
}

static void give_origin(struct asm_token *token, uint32_t count, struct asm_origin *origin)
{
    for (uint32_t i = 0; i < count; i++)
        token[i].origin = origin;
}

/* A copy of tokens of a source that knows where it comes from. */
static struct asm_token *with_origin(struct asm_text *t, const struct asm_token *token,
                                     uint32_t count, struct asm_origin *origin)
{
    struct asm_token *copy = pto_arena_array(t->arena, count, sizeof *copy);

    memcpy(copy, token, count * sizeof *copy);
    give_origin(copy, count, origin);
    return copy;
}

static void drop_frame(struct asm_text *t)
{
    struct asm_source *library = t->frame[--t->frames].library;

    if (library && t->host->is_outside(t->context))
        library->library = true;
}

/* The tokens up to the end of the line.  False at the end of everything. */
static bool take_line(struct asm_text *t, struct asm_token **line, uint32_t *count)
{
    struct text_frame *frame;
    uint32_t begin;

    while (t->frames && t->frame[t->frames - 1].at == t->frame[t->frames - 1].tokens)
        drop_frame(t);
    if (!t->frames)
        return false;
    frame = &t->frame[t->frames - 1];
    begin = frame->at;
    while (frame->token[frame->at].kind != TK_EOL)
        frame->at++;
    *count = frame->at++ - begin;
    *line = frame->token + begin;
    if (frame->in_place)
        give_origin(*line, *count + 1, frame->origin);
    else if (frame->origin)
        *line = with_origin(t, *line, *count + 1, frame->origin);
    if (*count > ASM_MAX_LINE_TOKENS) {
        text_error(t, *line, "a line has at most %d words and signs", ASM_MAX_LINE_TOKENS);
        *count = 0;
    }
    return true;
}

/* ---- lines with a meaning for the reader ---- */

static void include(struct asm_text *t, const struct asm_token *line, uint32_t count)
{
    struct asm_source *source;

    if (count != 2 || line[1].kind != TK_STRING) {
        text_error(t, &line[count > 1], "expected .include \"FILE\"");
        return;
    }
    source = text_source_include(t, &line[1]);
    if (!source || source->library)
        return;
    for (const struct asm_origin *origin = line[1].origin;; origin = origin->from->origin) {
        if (origin->source == source && !origin->macro) {
            text_error(t, &line[1], "'%s' includes itself", line[1].text);
            return;
        }
        if (!origin->from)
            break;
    }
    text_push_source(t, source, &line[1]);
}

static bool ends_operand(int kind)
{
    return kind == TK_IDENT || kind == TK_REG || kind == TK_INT || kind == TK_FLOAT ||
           kind == ')' || kind == ']' || kind == '}';
}

/* Give the words of a directive their kinds.  A keyword follows an operand; in the place of an
 * operand the same word is a name. */
static void find_keywords(const struct directive *directive, struct asm_token *line,
                          uint32_t count)
{
    int depth = 0;

    for (uint32_t i = 2; i < count; i++) {
        int kind = line[i].kind;

        depth += (kind == '(' || kind == '[' || kind == '{') -
                 (kind == ')' || kind == ']' || kind == '}');
        if (kind != TK_IDENT || depth || !ends_operand(line[i - 1].kind))
            continue;
        for (unsigned w = 0; w < WORDS; w++)
            if (directive->word[w].text && !strcmp(line[i].text, directive->word[w].text))
                line[i].kind = directive->word[w].kind;
    }
}

/* NAME = behind the mnemonic or a comma: an argument of a macro by its parameter's name. */
static void find_argument_names(struct asm_token *line, uint32_t count)
{
    int depth = 0;

    for (uint32_t i = 1; i + 1 < count; i++) {
        int kind = line[i].kind;

        depth += (kind == '(' || kind == '[' || kind == '{') -
                 (kind == ')' || kind == ']' || kind == '}');
        if (kind == TK_IDENT && line[i + 1].kind == '=' && !depth &&
            (i == 1 || line[i - 1].kind == ','))
            line[i].kind = TK_ARGUMENT;
    }
}

/* The body of a macro with its keywords and names of arguments found, which makes them safe from
 * parameters of the same name. */
static const struct asm_token *macro_body(struct asm_text *t, const struct asm_token *body,
                                          uint32_t length)
{
    struct asm_token *copy = pto_arena_array(t->arena, length, sizeof *copy);

    if (length)
        memcpy(copy, body, length * sizeof *copy);
    for (uint32_t i = 0, next; i < length; i = next + 1) {
        const struct directive *directive;

        for (next = i; next < length && copy[next].kind != TK_EOL; next++)
            ;
        if (next - i > 2 && copy[i].kind == TK_IDENT && copy[i + 1].kind == ':')
            i += 2;
        directive = copy[i].kind == TK_DIRECTIVE ? find_directive(copy[i].text) : NULL;
        if (directive)
            find_keywords(directive, &copy[i], next - i);
        else if (copy[i].kind == TK_IDENT)
            find_argument_names(&copy[i], next - i);
    }
    return copy;
}

static bool is_directive(const struct asm_token *token, const char *name)
{
    return token->kind == TK_DIRECTIVE && !strcmp(token->text, name);
}

/* Number of tokens before the .endm that belongs to a body; *nested: a definition inside. */
static uint32_t body_length(const struct asm_token *body, uint32_t left,
                            const struct asm_token **nested)
{
    bool line_start = true;
    uint32_t i = 0, depth = 0;

    *nested = NULL;
    for (; i < left; i++) {
        if (line_start && is_directive(&body[i], "macro")) {
            *nested = &body[i];
            depth++;
        } else if (line_start && is_directive(&body[i], "endm") && depth-- == 0) {
            break;
        }
        line_start = body[i].kind == TK_EOL;
    }
    return i;
}

/* The lines between .macro and .endm, taken from the source at once. */
static void define_macro(struct asm_text *t, const struct asm_token *line, uint32_t count)
{
    struct text_frame *frame = &t->frame[t->frames - 1];
    const struct asm_token *body = frame->token + frame->at, *nested;
    uint32_t length = body_length(body, frame->tokens - frame->at, &nested);

    frame->at += length;
    if (frame->at == frame->tokens) {
        text_hint(t, text_error(t, line, "this .macro has no .endm"),
                  ".endm stands behind the last line of its body");
        return;
    }
    while (frame->token[frame->at].kind != TK_EOL)
        frame->at++;
    frame->at++;
    if (nested) {
        struct asm_token place = *nested;

        place.origin = line->origin;
        text_error(t, &place, "a macro cannot be defined inside a macro");
        length = 0;
    }
    text_define_macro(t, line, count, macro_body(t, body, length), length);
}

static bool is_flow(int kind)
{
    return kind == TK_D_FOR || kind == TK_D_ENDFOR || kind == TK_D_WHILE ||
           kind == TK_D_ENDWHILE || kind == TK_D_IF || kind == TK_D_ELIF || kind == TK_D_ELSE ||
           kind == TK_D_ENDIF;
}

bool text_mark_words(struct asm_token *line, uint32_t count)
{
    const struct directive *directive = find_directive(line->text);

    if (!directive)
        return false;
    line->kind = directive->kind;
    find_keywords(directive, line, count);
    return true;
}

/* ".end if": the directive in two words, which are one from now on. */
static const char *in_two_words(struct asm_text *t, const struct asm_token *line, uint32_t *count)
{
    const struct directive *directive;

    if (strcmp(line->text, "end") || *count < 2 || line[1].kind != TK_IDENT)
        return NULL;
    directive = find_directive(pto_arena_printf(t->arena, "end%s", line[1].text));
    if (directive)
        *count = 1;
    return directive ? directive->name : NULL;
}

/* Give the directive and its words their kinds; false after an error.  A block that was probably
 * meant begins or ends all the same: its other end would be the next error. */
static bool classify_directive(struct asm_text *t, struct asm_token *line, uint32_t *count)
{
    const char *meant;

    if (text_mark_words(line, *count))
        return true;
    meant = unknown_directive(t, line, in_two_words(t, line, count));
    if (!meant || !is_flow(find_directive(meant)->kind))
        return false;
    line->text = meant;
    return text_mark_words(line, *count);
}

/* Act on a directive of the reader's own; false if the line is for the parser. */
static bool reader_directive(struct asm_text *t, const struct asm_token *line, uint32_t count)
{
    switch (line->kind) {
    case TK_D_INCLUDE:
        include(t, line, count);
        return true;
    case TK_D_MACRO:
        define_macro(t, line, count);
        return true;
    case TK_D_ENDM:
        text_error(t, line, "there is no .macro that this .endm could end");
        return true;
    case TK_D_EXPORT: /* those of macros go with their bodies */
        text_hint(t, text_error(t, line, "'.export' cannot stand outside of macros"),
                  "it gives names of a macro to the text that uses the macro");
        return true;
    default:
        return false;
    }
}

/* Hand back what follows the first `taken` tokens of the line just taken. */
static void push_back(struct asm_text *t, struct asm_token *line, uint32_t taken, uint32_t count)
{
    text_push(t, (struct text_frame){.token = line + taken, .tokens = count + 1 - taken});
}

static bool is_value_form(const struct asm_token *line, uint32_t count)
{
    int kind = count > 3 ? line[3].kind : 0;

    return line->kind == TK_REG && count > 3 && line[1].kind == '=' && line[2].kind == TK_IDENT &&
           (kind == TK_IDENT || kind == TK_REG || kind == TK_INT || kind == TK_FLOAT ||
            kind == TK_STRING);
}

/* A line that belongs to nobody else; true if it is for the parser. */
static bool filter_line(struct asm_text *t, struct asm_token *line, uint32_t *count)
{
    const struct asm_macro *macro;

    if (t->host->is_dead(t->context))
        return line->kind == TK_DIRECTIVE && find_directive(line->text) &&
               is_flow(find_directive(line->text)->kind) && classify_directive(t, line, count);
    if (line->kind == TK_DIRECTIVE && !classify_directive(t, line, count))
        t->unread = line;
    if (line->kind != TK_IDENT && line->kind != TK_REG)
        return !reader_directive(t, line, *count);
    if (line->kind == TK_IDENT && *count > 1 && line[1].kind == ':') {
        if (*count > 2)
            push_back(t, line, 2, *count);
        *count = 2;
        return true;
    }
    if (line->kind == TK_IDENT) {
        macro = t->host->find_macro(t->context, line);
        if (macro) {
            text_use_macro(t, macro, line, *count);
            return false;
        }
    }
    if (is_value_form(line, *count))
        line[2].kind = TK_OP;
    return true;
}

bool text_next_line(struct asm_text *t, struct asm_token **line, uint32_t *count)
{
    while (take_line(t, line, count)) {
        if (t->diags->errors > ASM_MAX_ERRORS) {
            text_error(t, *line, "too many errors: the rest of the text is not read");
            text_stop(t);
        } else if (*count && filter_line(t, *line, count)) {
            return true;
        }
    }
    return false;
}

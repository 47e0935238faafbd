/* Two parsers of one grammar: nearly all lines are right, and knowing at every word which others
 * could have stood there costs as much as a third of the parsing. */
#include "text/parser.h"

#include "parse.h"
#include "text/report.h"
#include "text/tree.h"

/* The one that does not know it.  Bison's header for it has the names that parse.h has. */
int asm_quickparse(struct parser *p);

static bool parse(struct parser *p)
{
    const struct parser begin = *p;
    struct pto_arena_mark tree = pto_arena_mark(p->text->tree);

    p->silent = true;
    if (asm_quickparse(p) == 0)
        return true;
    if (p->text->tree != p->text->arena)
        pto_arena_release(p->text->tree, tree);
    *p = begin;
    return asm_yyparse(p) == 0;
}

struct asm_stmt *text_parse_line(struct asm_text *t, struct asm_token *token, uint32_t count)
{
    struct parser p = {.text = t, .token = token, .count = count};

    if (!text_is_told(t, token, count) && parse(&p))
        return p.stmt;
    t->braces += token[count - 1].kind == '{';
    return NULL;
}

const struct asm_expr *text_parse_expression(struct asm_text *t, struct asm_token *token,
                                             uint32_t count)
{
    struct parser p = {.text = t, .token = token, .count = count, .start = TK_EXPRESSION};

    return parse(&p) ? p.expr : NULL;
}

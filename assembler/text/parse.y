/* One line to one statement, or to one expression.  Mnemonics, types and keywords are plain words
 * here; what they mean is decided by the ISA table and by the statement's own code.
 *
 * Bison makes two parsers of it: asm_yyparse, whose messages name what was expected, for which it
 * looks ahead at every word (LAC), and asm_quickparse, which does not (parser.c). */
%require "3.8"
%define api.pure full
%define api.prefix {asm_yy}
%define api.token.prefix {TK_}
%define parse.error custom
%define parse.lac full
%param {struct parser *p}

%code requires {
struct parser;
}

%code {
#include <stdlib.h>
#include <string.h>

#include "text/expected.h"
#include "text/report.h"
#include "text/tree.h"

/* Expressions in one line nest at most this deep. */
#define YYMAXDEPTH 800
/* Bison would take a failure for a stack that is too deep. */
#define YYMALLOC pto_xmalloc
#define YYFREE free

static int yylex(YYSTYPE *value, struct parser *p);
static void yyerror(struct parser *p, const char *message);
static uint32_t last_taken(const struct parser *p, int lookahead);
}

%union {
    struct asm_token *token;
    struct asm_expr *expr;
    struct asm_list *list;
    struct asm_stmt *stmt;
}

%token YYEOF 0 "end of line"
%token EXPRESSION /* comes first where the line is an expression */
%token <token> IDENT "a name" REG "a register" INT "an integer" FLOAT "a number"
%token <token> STRING "a string" OP "a mnemonic" DIRECTIVE "a word with a point" EOL "line end"
%token <token> SHL "'<<'" SHR "'>>'" LE "'<='" GE "'>='" EQ "'=='" NE "'!='" LAND "'&&'" LOR "'||'"
%token <token> ARROW "'->'" ARGUMENT "name of an argument"
%token <token> '+' '-' '*' '/' '&' '|' '^' '~' '!' '<' '>' '='
%token <token> '(' ')' '[' ']' '{' '}' ',' ':' '@' '?'
%token <token> TO "'to'" DOWNTO "'downto'" STEP "'step'" OF "'of'" OFFSET "'offset'"
%token <token> STRIDES "'strides'" STRIDE "'stride'" PITCH "'pitch'"
%token <token> SLOTS "'slots'" SPLIT "'split'" FLAGS "'flags'" FREE "'free'"
%token <token> D_INCLUDE ".include" D_MACRO ".macro" D_ENDM ".endm" D_EQU ".equ"
%token <token> D_DEFINE ".define" D_KERNEL ".kernel" D_PARAM ".param" D_IN ".in" D_OUT ".out"
%token <token> D_INOUT ".inout" D_GM ".gm" D_SYM ".sym" D_SIGNAL ".signal" D_VIEW ".view"
%token <token> D_ASSERT ".assert" D_MIX ".mix" D_SETUP ".setup" D_ENDSETUP ".endsetup"
%token <token> D_CORE ".core" D_TILE ".tile" D_LOCAL ".local" D_REG ".reg" D_FOR ".for"
%token <token> D_ENDFOR ".endfor" D_WHILE ".while" D_ENDWHILE ".endwhile" D_IF ".if"
%token <token> D_ELIF ".elif" D_ELSE ".else" D_ENDIF ".endif" D_BREAK ".break"
%token <token> D_CONTINUE ".continue" D_ASSEMBLED_FOR ".assembled_for" D_FILE ".file"
%token <token> D_POS ".pos" D_AT ".at" D_FIFO ".fifo" D_EXPORT ".export"
%token <token> D_ORDERED ".ordered" D_ENDORDERED ".endordered"
%token <token> D_SLOTS ".slots" D_TAKE ".take" D_GIVE ".give" D_DRAIN ".drain"

%type <expr> expr infixed operand named ranked rank signed
%type <expr> init_opt slots_opt address_opt stride_opt pitch_opt offset_opt step_opt flags_opt
%type <list> list list_opt operands operands_opt strides_opt signed_list
%type <list> index paren brace brace_opt marks
%type <stmt> statement directive tile_words
%type <token> infix prefix plain constant holding object comparison bare word_opt of_opt split_opt

%precedence RANK /* a name after '@' is a call if '(' follows */
%precedence '('
%precedence LACKS_COLON /* the ':' that follows belongs to the nearest '?' */
%precedence ':'

%%

line: statement { p->stmt = $1; }
    | EXPRESSION expr { p->expr = $2; }
    ;

statement
    : IDENT ':'              { $$ = tree_stmt(p, ST_LABEL, $1); $$->name = $1; }
    | IDENT operands_opt     { $$ = tree_stmt(p, ST_INSN, $1); $$->list = $2; }
    | REG '=' expr           { $$ = tree_stmt(p, ST_ASSIGN, $1); $$->expr = $3; }
    | REG '=' OP operands    { $$ = tree_stmt(p, ST_INSN, $3);
                               $$->list = tree_front(p, tree_leaf(p, EX_REG, $1), $4); }
    | directive
    ;

operands_opt: %empty { $$ = tree_add(p, NULL, NULL); } | operands ;

operands
    : expr                   { $$ = tree_add(p, NULL, $1); }
    | operands ',' expr      { $$ = tree_add(p, $1, $3); }
    | operands ARROW expr    { $$ = tree_add(p, $1, $3); $3->arrow = $2; }
    ;

directive
    : bare                   { $$ = tree_stmt(p, $1->kind, $1); }
    | plain IDENT            { $$ = tree_stmt(p, $1->kind, $1); $$->name = $2; }
    | constant IDENT '=' expr { $$ = tree_stmt(p, $1->kind, $1); $$->name = $2; $$->expr = $4; }
    | D_PARAM IDENT ':' IDENT marks init_opt
                             { $$ = tree_stmt(p, $1->kind, $1);
                               $$->name = $2; $$->type = $4; $$->marks = $5; $$->expr = $6; }
    | object IDENT ':' IDENT '[' list ']' marks
                             { $$ = tree_stmt(p, $1->kind, $1);
                               $$->name = $2; $$->type = $4; $$->list = $6; $$->marks = $8; }
    | D_SIGNAL IDENT '[' list ']'
                             { $$ = tree_stmt(p, $1->kind, $1); $$->name = $2; $$->list = $4; }
    | D_VIEW IDENT ':' IDENT '[' list ']' OF IDENT offset_opt strides_opt
                             { $$ = tree_stmt(p, $1->kind, $1);
                               $$->name = $2; $$->type = $4; $$->list = $6; $$->parent = $9;
                               $$->expr = $10; $$->strides = $11; }
    | D_FIFO IDENT ':' IDENT '[' list ']' SLOTS expr IDENT split_opt FLAGS expr
                             { $$ = tree_stmt(p, $1->kind, $1);
                               $$->name = $2; $$->type = $4; $$->list = $6; $$->slots = $9;
                               $$->word = $10; $$->split = $11; $$->expr = $13; }
    | D_SLOTS REG ':' expr FREE IDENT ARROW IDENT flags_opt
                             { $$ = tree_stmt(p, $1->kind, $1);
                               $$->name = $2; $$->slots = $4; $$->flags = $9;
                               $$->list = tree_add(p, NULL, tree_leaf(p, EX_REF, $6));
                               tree_add(p, $$->list, tree_leaf(p, EX_REF, $8));
                               $$->list->last->arrow = $7; }
    | D_ORDERED brace_opt    { $$ = tree_stmt(p, $1->kind, $1); $$->list = $2; }
    | holding REG            { $$ = tree_stmt(p, $1->kind, $1); $$->name = $2; }
    | D_ASSERT expr ',' STRING
                             { $$ = tree_stmt(p, $1->kind, $1); $$->expr = $2; $$->text = $4; }
    | D_MIX INT ':' INT      { $$ = tree_stmt(p, $1->kind, $1); $$->name = $2; $$->type = $4; }
    | D_TILE IDENT slots_opt ':' tile_words '[' list ']' word_opt address_opt stride_opt of_opt
      pitch_opt
                             { $$ = $5; $$->token = $1; $$->name = $2; $$->slots = $3;
                               $$->list = $7; $$->word = $9; $$->address = $10; $$->stride = $11;
                               $$->parent = $12; $$->pitch = $13; }
    | D_LOCAL IDENT ':' IDENT '[' expr ']'
                             { $$ = tree_stmt(p, $1->kind, $1);
                               $$->name = $2; $$->type = $4; $$->expr = $6; }
    | D_REG REG ':' IDENT    { $$ = tree_stmt(p, $1->kind, $1); $$->name = $2; $$->type = $4; }
    | D_FOR REG '=' expr TO expr step_opt
                             { $$ = tree_stmt(p, $1->kind, $1);
                               $$->name = $2; $$->expr = $4; $$->to = $6; $$->step = $7; }
    | D_FOR REG '=' expr DOWNTO expr step_opt
                             { $$ = tree_stmt(p, $1->kind, $1); $$->down = true;
                               $$->name = $2; $$->expr = $4; $$->to = $6; $$->step = $7; }
    | comparison expr        { $$ = tree_stmt(p, $1->kind, $1); $$->expr = $2; }
    | D_ASSEMBLED_FOR STRING { $$ = tree_stmt(p, $1->kind, $1); $$->text = $2; }
    | D_FILE INT STRING      { $$ = tree_stmt(p, $1->kind, $1); $$->name = $2; $$->text = $3; }
    | D_POS signed_list      { $$ = tree_stmt(p, $1->kind, $1); $$->list = $2; }
    | D_AT INT               { $$ = tree_stmt(p, $1->kind, $1); $$->name = $2; }
    ;

bare: D_SETUP | D_ENDSETUP | D_ENDORDERED | D_ENDFOR | D_ENDWHILE | D_ELSE | D_ENDIF | D_BREAK
    | D_CONTINUE
    ;
plain: D_KERNEL | D_CORE ;
constant: D_EQU | D_DEFINE ;
holding: D_TAKE | D_GIVE | D_DRAIN ;
object: D_IN | D_OUT | D_INOUT | D_GM | D_SYM ;
comparison: D_WHILE | D_IF | D_ELIF ;

init_opt: %empty { $$ = NULL; } | '=' expr { $$ = $2; } ;
marks: %empty { $$ = NULL; } | marks IDENT { $$ = tree_add(p, $1, tree_leaf(p, EX_REF, $2)); } ;
word_opt: %empty { $$ = NULL; } | IDENT ;
flags_opt: %empty { $$ = NULL; } | FLAGS expr { $$ = $2; } ;
split_opt: %empty { $$ = NULL; } | SPLIT IDENT { $$ = $2; } ;
offset_opt: %empty { $$ = NULL; } | OFFSET expr { $$ = $2; } ;
strides_opt: %empty { $$ = NULL; } | STRIDES list { $$ = $2; } ;
step_opt: %empty { $$ = NULL; } | STEP expr { $$ = $2; } ;
slots_opt: %empty { $$ = NULL; } | '[' expr ']' { $$ = $2; } ;
address_opt: %empty { $$ = NULL; } | '@' expr { $$ = $2; } ;
stride_opt: %empty { $$ = NULL; } | STRIDE expr { $$ = $2; } ;
pitch_opt: %empty { $$ = NULL; } | PITCH expr { $$ = $2; } ;
of_opt: %empty { $$ = NULL; } | OF IDENT { $$ = $2; } ;

tile_words
    : IDENT                  { $$ = tree_stmt(p, TK_D_TILE, $1); $$->words[0] = $1; }
    | IDENT IDENT            { $$ = tree_stmt(p, TK_D_TILE, $1);
                               $$->words[0] = $1; $$->words[1] = $2; }
    ;

signed_list
    : signed                 { $$ = tree_add(p, NULL, $1); }
    | signed_list signed     { $$ = tree_add(p, $1, $2); }
    ;
signed: INT                  { $$ = tree_leaf(p, EX_INT, $1); }
    | '-' INT                { $$ = tree_unary(p, $1, tree_leaf(p, EX_INT, $2)); }
    ;

list: expr { $$ = tree_add(p, NULL, $1); }
    | list ',' expr { $$ = tree_add(p, $1, $3); }
    ;
list_opt: %empty { $$ = tree_add(p, NULL, NULL); } | list ;

expr: infixed
    | infixed '?' expr ':' expr
                             { $$ = tree_choice(p, $1, $2, $3, $5); }
    | infixed '?' expr %prec LACKS_COLON
                             { (void)$1, (void)$3; tree_no_colon(p, $2); YYABORT; }
    ;

/* Which operators bind tighter says isa/operators.def. */
infixed
    : operand
    | infixed infix operand  { if (!($$ = tree_join(p, $1, $2, $3))) YYABORT; }
    ;

infix: '+' | '-' | '*' | '/' | '&' | '|' | '^' | SHL | SHR
    | '<' | '>' | LE | GE | EQ | NE | LAND | LOR ;
operand
    : INT                    { $$ = tree_leaf(p, EX_INT, $1); }
    | FLOAT                  { $$ = tree_leaf(p, EX_FLOAT, $1); }
    | STRING                 { $$ = tree_leaf(p, EX_STRING, $1); }
    | REG                    { $$ = tree_leaf(p, EX_REG, $1); }
    | '(' expr ')'           { $$ = tree_enclose($1, $2, $3); }
    | prefix operand         { $$ = tree_unary(p, $1, $2); }
    | ranked
    | named                  { ($$ = $1)->end = &p->token[last_taken(p, yychar)]; }
    ;
prefix: '-' | '~' | '!' ;

/* A rule for every combination: were what is left out an empty rule, every name would be reduced
 * three times more. */
named
    : ranked index             { $$ = tree_suffix($1, $2, NULL, NULL); }
    | ranked paren             { $$ = tree_suffix($1, NULL, $2, NULL); }
    | ranked brace             { $$ = tree_suffix($1, NULL, NULL, $2); }
    | ranked index paren       { $$ = tree_suffix($1, $2, $3, NULL); }
    | ranked index brace       { $$ = tree_suffix($1, $2, NULL, $3); }
    | ranked paren brace       { $$ = tree_suffix($1, NULL, $2, $3); }
    | ranked index paren brace { $$ = tree_suffix($1, $2, $3, $4); }
    ;

ranked: IDENT                { $$ = tree_leaf(p, EX_REF, $1); }
    | IDENT '@' rank         { $$ = tree_leaf(p, EX_REF, $1); $$->rank = $3; $$->end = $3->end; }
    ;

index: '[' list ']' { $$ = $2; } ;
paren: '(' list_opt ')' { $$ = $2; } ;
brace: '{' list '}' { $$ = $2; } ;
brace_opt: %empty { $$ = NULL; } | brace ;

rank: INT                    { $$ = tree_leaf(p, EX_INT, $1); }
    | REG                    { $$ = tree_leaf(p, EX_REG, $1); }
    | '(' expr ')'           { $$ = tree_enclose($1, $2, $3); }
    | IDENT %prec RANK       { $$ = tree_leaf(p, EX_REF, $1); }
    | IDENT '(' list_opt ')' { $$ = tree_leaf(p, EX_REF, $1); $$->paren = $3; $$->end = $4; }
    ;

%%

static int yylex(YYSTYPE *value, struct parser *p)
{
    int start = p->start;

    p->start = 0;
    value->token = &p->token[p->at];
    if (start)
        return start;
    if (p->at == p->count)
        return TK_YYEOF;
    return p->token[p->at++].kind;
}

/* Index of the token that was shifted last. */
static uint32_t last_taken(const struct parser *p, int lookahead)
{
    return p->at - 1 - (lookahead > TK_YYEOF ? 1 : 0); /* negative: none is read yet */
}

static const char *without_article(const char *name)
{
    return !strncmp(name, "a ", 2) ? name + 2 : !strncmp(name, "an ", 3) ? name + 3 : name;
}

static struct pto_diag *report_unexpected(struct parser *p, const struct asm_token *token,
                                          yysymbol_kind_t symbol)
{
    switch (symbol) {
    case YYSYMBOL_IDENT:
    case YYSYMBOL_OP:
        return text_error(p->text, token, "unexpected '%s'", token->text);
    case YYSYMBOL_REG:
        return text_error(p->text, token, "unexpected register '%%%s'", token->text);
    default:
        return text_error(p->text, token, "unexpected %s", without_article(yysymbol_name(symbol)));
    }
}

static void report(const yypcontext_t *context, struct parser *p)
{
    enum { LIMIT = 100 };
    yysymbol_kind_t symbol[LIMIT], token = yypcontext_token(context);
    const char *name[LIMIT];
    int count = yypcontext_expected_tokens(context, symbol, LIMIT), names = 0;
    uint32_t place = token == YYSYMBOL_YYEOF ? p->count : p->at - 1;
    struct pto_diag *diag = report_unexpected(p, &p->token[place], token);
    struct pto_buf text = {0};

    for (int i = 0; i < count; i++)
        if (symbol[i] != YYSYMBOL_EXPRESSION)
            name[names++] = yysymbol_name(symbol[i]);
    if (p->token[place].kind == '=' && place == 1 && p->token->kind == TK_IDENT) {
        text_hint(p->text, diag, "registers are written with '%%': %%%s", p->token->text);
    } else if (names) {
        text_expected(&text, name, (unsigned)names);
        text_hint(p->text, diag, "%s", pto_buf_text(&text));
    }
    pto_buf_free(&text);
}

static int yyreport_syntax_error(const yypcontext_t *context, struct parser *p)
{
    if (!p->silent)
        report(context, p);
    return 0;
}

/* Bison's own complaint: only that its stack is full. */
static void yyerror(struct parser *p, const char *message)
{
    (void)message;
    if (p->silent)
        return;
    text_error(p->text, p->token, "this expression is nested too deeply");
}

/* Upstream text to a tree of operations.  Where an operation ends is not written in such a text:
 * mlir/read.c has put a BEGIN before each, so that the grammar has nothing to guess. */
%require "3.8"
%define api.pure full
%define api.prefix {mlir_yy}
%define api.token.prefix {MTK_}
%define parse.error custom
%define parse.lac full
%param {struct mlir_text *t}

%code requires {
#include "mlir/tree.h"

/* Nodes of one kind in a row. */
struct mlir_list {
    struct mlir_node *first, *last;
};
}

%code {
#include <stdlib.h>
#include <string.h>

#define YYMAXDEPTH 5000
/* Bison would take a failure for a stack that is too deep. */
#define YYMALLOC pto_xmalloc
#define YYFREE free

static int mlir_yylex(MLIR_YYSTYPE *value, struct mlir_text *t);
static void mlir_yyerror(struct mlir_text *t, const char *message);
static struct mlir_list one(struct mlir_node *node);
static struct mlir_list join(struct mlir_list list, struct mlir_list more);
static struct mlir_list group(struct mlir_node *open, enum mlir_kind kind, struct mlir_list inside);
static struct mlir_list alias(struct mlir_text *t, struct mlir_node *name, struct mlir_list means);
static struct mlir_list operation(struct mlir_node *name, struct mlir_list results,
                                  struct mlir_list rest);
}

%union {
    struct mlir_node *node;
    struct mlir_list list;
}

%token YYEOF 0 "the end of the text"
%token BEGIN "an operation"
%token <node> SSA "a value" INT "an integer" FLOAT "a number" STRING "a string" WORD "a word"
%token <node> TYPE "a type" ATTR "an attribute" SYMBOL "a name with '@'" LABEL "a label"
%token <node> DIMS "dimensions" ARROW "'->'"
%token <node> ',' ':' '=' '?' '*' '+' '-' '|' '(' ')' '[' ']' '{' '}' '<' '>'
%type <list> items item results result clauses clause atom operations

%start file

%%

file: operations                  {
        t->root = pto_arena_alloc(&t->arena, sizeof *t->root);
        *t->root = (struct mlir_node){.kind = MLIR_REGION, .line = 1, .column = 1, .length = 1,
                                      .first = $1.first};
    }
    ;

operations
    : %empty                      { $$ = (struct mlir_list){0}; }
    | operations item             { $$ = join($1, $2); }
    ;

items
    : item
    | LABEL ':'                   { $$ = one($1); }
    | LABEL '(' clauses ')' ':'   { $$ = group($2, MLIR_PAREN, $3); $1->first = $$.first;
                                    $$ = one($1); }
    | items item                  { $$ = join($1, $2); }
    | items LABEL ':'             { $$ = join($1, one($2)); }
    ;

item: BEGIN WORD                  { $$ = operation($2, (struct mlir_list){0},
                                                   (struct mlir_list){0}); }
    | BEGIN WORD clauses          { $$ = operation($2, (struct mlir_list){0}, $3); }
    | BEGIN results '=' WORD      { $$ = operation($4, $2, (struct mlir_list){0}); }
    | BEGIN results '=' WORD clauses { $$ = operation($4, $2, $5); }
    | BEGIN ATTR '=' clauses      { $$ = alias(t, $2, $4); }
    | BEGIN TYPE '=' clauses      { $$ = alias(t, $2, $4); }
    ;

results
    : result
    | results ',' result          { $$ = join($1, $3); }
    ;

result
    : SSA                         { $$ = one($1); }
    | SSA ':' INT                 { $$ = one($1); $1->first = $3; }
    ;

clauses
    : clause
    | clauses clause              { $$ = join($1, $2); }
    ;

clause
    : atom
    | '(' ')'                     { $$ = group($1, MLIR_PAREN, (struct mlir_list){0}); }
    | '(' clauses ')'             { $$ = group($1, MLIR_PAREN, $2); }
    | '[' ']'                     { $$ = group($1, MLIR_SQUARE, (struct mlir_list){0}); }
    | '[' clauses ']'             { $$ = group($1, MLIR_SQUARE, $2); }
    | '<' '>'                     { $$ = group($1, MLIR_ANGLE, (struct mlir_list){0}); }
    | '<' clauses '>'             { $$ = group($1, MLIR_ANGLE, $2); }
    | '{' '}'                     { $$ = group($1, MLIR_BRACE, (struct mlir_list){0}); }
    | '{' clauses '}'             { $$ = group($1, MLIR_BRACE, $2); }
    | '{' items '}'               { $$ = group($1, MLIR_REGION, $2); }
    ;

atom: SSA                         { $$ = one($1); }
    | INT                         { $$ = one($1); }
    | FLOAT                       { $$ = one($1); }
    | STRING                      { $$ = one($1); }
    | WORD                        { $$ = one($1); }
    | TYPE                        { $$ = one($1); }
    | ATTR                        { $$ = one($1); }
    | SYMBOL                      { $$ = one($1); }
    | DIMS                        { $$ = one($1); }
    | ARROW                       { $$ = one($1); }
    | ','                         { $$ = one($1); }
    | ':'                         { $$ = one($1); }
    | '='                         { $$ = one($1); }
    | '?'                         { $$ = one($1); }
    | '*'                         { $$ = one($1); }
    | '+'                         { $$ = one($1); }
    | '-'                         { $$ = one($1); }
    | '|'                         { $$ = one($1); }
    ;

%%

static int mlir_yylex(MLIR_YYSTYPE *value, struct mlir_text *t)
{
    struct mlir_token *token = &t->token[t->at];

    if (token->kind != MTK_YYEOF)
        t->at++;
    value->node = &token->node;
    return token->kind;
}

static int yyreport_syntax_error(const yypcontext_t *context, struct mlir_text *t)
{
    yysymbol_kind_t token = yypcontext_token(context);
    const struct mlir_token *place = &t->token[token == YYSYMBOL_YYEOF ? t->at : t->at - 1];
    const struct mlir_token *before = place > t->token ? place - 1 : place;

    t->broken = true;
    if (token == YYSYMBOL_LABEL || before->kind == MTK_LABEL) {
        mlir_error(t, before->kind == MTK_LABEL ? &before->node : &place->node, "a block with a "
                   "name stands at the head of a region alone: loops and choices are scf.for, "
                   "scf.while and scf.if");
        return 0;
    }
    if (token == YYSYMBOL_YYEOF)
        mlir_error(t, &place->node, "the text ends in the middle of an operation");
    else if (token == YYSYMBOL_BEGIN)
        mlir_error(t, &place->node, "an operation cannot begin here");
    else
        mlir_error(t, &place->node, "'%s' was not expected here", place->node.text);
    return 0;
}

/* Bison's own complaint: only that its stack is full. */
static void mlir_yyerror(struct mlir_text *t, const char *message)
{
    (void)message;
    t->broken = true;
    mlir_error(t, &t->token[t->at].node, "this is nested too deeply");
}

static struct mlir_list one(struct mlir_node *node)
{
    return (struct mlir_list){node, node};
}

static struct mlir_list join(struct mlir_list list, struct mlir_list more)
{
    if (!list.last)
        return more;
    list.last->next = more.first;
    return (struct mlir_list){list.first, more.last ? more.last : list.last};
}

/* The opening bracket becomes the node of the group. */
static struct mlir_list group(struct mlir_node *open, enum mlir_kind kind, struct mlir_list inside)
{
    open->kind = (uint8_t)kind;
    open->first = inside.first;
    return one(open);
}

/* It is no part of the tree. */
static struct mlir_list alias(struct mlir_text *t, struct mlir_node *name, struct mlir_list means)
{
    name->first = means.first;
    name->next = t->alias;
    t->alias = name;
    return (struct mlir_list){0};
}

static struct mlir_list operation(struct mlir_node *name, struct mlir_list results,
                                  struct mlir_list rest)
{
    name->kind = MLIR_OP;
    name->result = results.first;
    name->first = rest.first;
    return one(name);
}

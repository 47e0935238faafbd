/* Inside the assembler: the state of one assembly and what its parts offer each other.
 *
 *   In text/:
 *   source.c     files, diagnostics with their trail, positions
 *   utf8.c       what text may pass into the module
 *   lex.l        text to tokens, a whole source at once
 *   reader.c     tokens to lines: includes, macro uses, dead arms of .if
 *   macro.c      macro definitions and the substitution of arguments
 *   parse.y      a line to a statement (ast.h)
 *   Here:
 *   statement.c  which statement may stand where, and who gives it its meaning
 *   section.c    kernels, set-up blocks, cores: opening and completing them
 *   plain.c      directives that the disassembler writes
 *   symbols.c    names and their scopes; registers.c those of registers
 *   code.c       instructions, temporaries and branch targets of one program
 *   fold.c       arithmetic on constants, as the machine would do it
 *   expr.c       infix expressions to scalar instructions; call.c functions in them
 *   assign.c     assignments and conditions
 *   flow.c       structured control flow to branches
 *   type.c       element types, by their words and through constants
 *   declare.c    constants, parameters, global objects, assertions
 *   tile.c       tiles and local arrays; layout.c places the tiles
 *   ring.c       rings; ring_code.c lowers what works on them
 *   match.c      operands against the rows of the ISA table; operand.c lowers them
 *   check.c      what is legal for an instruction on this core and profile
 *   listing.c    the listing
 *
 * A statement is given its meaning as soon as its line is parsed; only branch targets, tile
 * addresses and parameter defaults wait for the end of their section. */
#ifndef ASM_ASM_H
#define ASM_ASM_H

#include "assembler.h"
#include "text/ast.h"

enum {
    ASM_MAX_SOURCE = 16 << 20, /* bytes of one file */
    ASM_MAX_DEPTH = 100,       /* includes and macro uses inside each other */
    ASM_MAX_EXPANDED = 1 << 17, /* lines of all includes and macro uses together */
    ASM_MAX_LINE_TOKENS = 1024,
    ASM_MAX_MACRO_PARAMS = 64,
    ASM_MAX_CODE = 1 << 20, /* instructions of one program */
    ASM_MAX_LABELS = 1 << 20,
    ASM_MAX_KERNELS = 4096,
    ASM_MAX_NAME = 255,    /* characters of a name; what the assembler appends to it comes on top */
    ASM_MAX_STRING = 4096, /* characters */
    ASM_MAX_SLOTS = 65536,
    ASM_MAX_NAMES = 65535 /* tiles, objects, arrays: what a 16-bit index can tell apart */
};

/* A scalar during lowering. */
struct asm_value {
    struct pto_scalar scalar;
    bool is_float;
};

enum asm_symbol_kind {
    SYM_MACRO,
    SYM_CONSTANT,
    SYM_TYPE, /* a constant that names an element type: `index` is the enum pto_dtype */
    SYM_PARAM,
    SYM_OBJECT,
    SYM_TILE,
    SYM_LOCAL,
    SYM_REG,
    SYM_LABEL,
    SYM_KERNEL,
    SYM_RING
};

/* Names live in spaces: what `%name` means, what a bare name means, branch targets, and so on. */
/* NS_OUTER_REG: registers of the text around a macro that its own text has read. */
enum asm_namespace { NS_PLAIN, NS_REG, NS_OUTER_REG, NS_LABEL, NS_MACRO, NS_KERNEL };

struct asm_symbol {
    enum asm_symbol_kind kind;
    enum asm_namespace space;
    const char *name;
    uint32_t section, expansion; /* where it is visible */
    const struct asm_token *token; /* definition */
    uint32_t index;
    struct asm_value value;       /* constants */
    struct asm_macro *macro;
    bool used;
    bool wrong; /* constants: the value was reported, any use will do */
    struct asm_symbol *next_hash, *next;
};

struct asm_macro_param {
    const char *name;
    const struct asm_token *preset; /* tokens of the default value */
    uint32_t preset_count;
    bool has_preset;
};

struct asm_macro {
    const char *name;
    struct asm_source *source;
    const struct asm_token *body;
    uint32_t body_count;
    struct asm_macro_param *param;
    uint32_t params;
    const struct asm_token **exported; /* names that belong to the text around a use */
    uint32_t exports;
};

/* One use of a macro. */
struct asm_expansion {
    uint32_t parent; /* the use that contains it, 0: none */
    const struct asm_macro *macro;
};

struct asm_register {
    const char *name;
    bool is_float;
    bool unknown; /* its first assignment was wrong: any type will do */
    bool temporary, busy, held;
    bool hidden; /* of the assembler, under a name: the text cannot assign to it */
    uint32_t uses; /* how often a temporary was handed out */
};

/* A branch target: placed by the assembler, or named and resolved at the end of the core. */
struct asm_target {
    const struct asm_token *name;
    int64_t insn; /* PTO_NONE until placed */
};

/* A program under construction. */
struct asm_code {
    struct pto_insn *insn;
    uint32_t insns, insn_capacity;
    struct asm_register *reg;
    uint32_t regs, reg_capacity;
    struct asm_target *target;
    uint32_t targets, target_capacity;
    uint32_t last_target; /* instruction that a target or label was last placed at */
    uint32_t temporaries; /* number of the next name */
    bool full;            /* a limit was hit and reported */
};

/* One open .for, .while, .if. */
struct asm_block {
    int kind; /* token of the directive */
    const struct asm_token *token;
    bool textual;      /* an .if that reaches outside of a program: it has no code of its own */
    bool dead_outside; /* the block as a whole is not assembled */
    bool dead;         /* what stands here is not */
    uint32_t end;      /* target behind the block */
    /* .if */
    uint32_t next;     /* target of the next arm */
    bool conditional;  /* an arm was entered under a run-time condition */
    bool settled;      /* an arm is entered unless one before it was: no further arm can be */
    bool has_else;
    /* loops */
    uint32_t body, again; /* targets: first instruction, what .continue goes to */
    const struct asm_expr *condition;
    struct pto_scalar counter, limit, step;
    bool down;
};

struct asm_frame {
    struct asm_token *token;
    uint32_t tokens, at;
    struct asm_origin *origin; /* what the tokens come from; NULL: they know it themselves */
    struct asm_source *library; /* a file that began outside of kernels; NULL: anything else */
};

/* LOST: after a .core that was wrong, until the next one. */
enum asm_section { SECTION_MODULE, SECTION_KERNEL, SECTION_SETUP, SECTION_CORE, SECTION_LOST };

struct asm_default { /* of a parameter, lowered when all parameters are known */
    uint32_t param;
    struct asm_expr *expr;
    const struct asm_token *token;
};

/* What layout has to know about a tile. */
struct asm_tile_note {
    const struct asm_token *token;
    bool placed; /* has an address */
    bool wrong;  /* reported: takes no room */
};

/* A ring (.fifo): slots in global memory that one kind of sub-core fills and the other empties. */
struct asm_ring {
    const struct asm_token *token; /* name in the declaration */
    bool wrong;                    /* reported: its uses are not looked at */
    enum pto_core_kind producer;
    int32_t object[PTO_CORE_KINDS]; /* what each kind of sub-core sees: the slots, or its part */
    bool split;                     /* the vector sub-cores see a part of each slot */
    uint32_t rows[PTO_CORE_KINDS], cols[PTO_CORE_KINDS]; /* of a slot, or of the part */
    uint32_t slots;
    int64_t flags; /* cross-core flag of data, that of free slots follows */
    bool used[PTO_CORE_KINDS];
    unsigned pipe; /* enum pto_pipe whose flag hands filled slots over; 0: not known yet */
    /* In the open core: how many slots were taken, and the one taken last (PTO_NONE: none yet). */
    int32_t position, slot;
};

struct assembly {
    const struct pto_asm_options *options;
    const struct pto_profile *profile;
    struct pto_module *module;
    struct pto_diags *diags;
    struct pto_arena arena; /* of this assembly; the module has its own */

    struct asm_source *source, *last_source, *main;
    struct asm_frame *frame;
    uint32_t frames, frame_capacity;
    uint32_t expansions, read_lines;
    bool incomplete; /* lines were passed over: what is open may end there */
    struct asm_expansion *expansion; /* by number */
    uint32_t expansion_capacity;

    struct asm_symbol **bucket;
    uint32_t buckets, symbols;
    struct asm_symbol *first_symbol;
    uint32_t sections;         /* numbers given out */
    uint32_t kernel_section, core_section; /* 0: none open */
    struct asm_source *command_line; /* defines of the options, as text */

    enum asm_section section;
    const struct asm_token *section_token; /* directive that opened it */
    struct pto_kernel *kernel;             /* the open one, last of the module's */
    uint32_t kernel_capacity, param_capacity, object_capacity;
    struct asm_default *preset;
    uint32_t presets, preset_capacity;
    struct asm_ring *ring; /* of the open kernel */
    uint32_t rings, ring_capacity;
    uint32_t params_pending; /* the last of them, whose values a default cannot use yet */
    bool params_closed, lost_core;
    const struct asm_token *kernel_token;
    struct asm_code setup;
    enum pto_core_kind core_kind;
    struct pto_core_code *core;
    struct asm_tile_note *tile_note; /* by tile of the open core */
    uint32_t tile_capacity, note_capacity, local_capacity, label_capacity;
    struct asm_code code;
    struct asm_block *block;
    uint32_t blocks, block_capacity;

    const struct asm_token *line_token; /* place of the statement */
    const char *constant_for; /* not NULL: expressions must be constant; what for */
    /* Positions of the plain form. */
    bool explicit_pos;
    uint32_t at;
    uint32_t pos_capacity, file_capacity;
    const struct asm_token *pos_token; /* of the position made last */
    int32_t last_pos;
};

/* ---- source.c ---- */
struct asm_source *asm_source_add(struct assembly *a, const char *name, const char *text,
                                  size_t size, bool is_file);
/* Open what an .include names; NULL after an error. */
struct asm_source *asm_source_include(struct assembly *a, const struct asm_token *name);
/* An error at a token, or from `begin` to `end`; returned for hints. */
struct pto_diag *asm_error(struct assembly *a, const struct asm_token *token, const char *format,
                           ...) __attribute__((format(printf, 3, 4)));
struct pto_diag *asm_error_expr(struct assembly *a, const struct asm_expr *expr,
                                const char *format, ...) __attribute__((format(printf, 3, 4)));
void asm_note(struct assembly *a, const struct asm_token *token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define asm_hint(a, diag, ...) pto_diag_hint((a)->diags, (diag), __VA_ARGS__)
/* Hint "did you mean 'x'?" with the nearest candidate, if one is near. */
bool asm_hint_nearest(struct assembly *a, struct pto_diag *diag, const char *word,
                      const char *const *candidate, unsigned count);
/* Index in the module's positions of a token's place. */
uint32_t asm_position(struct assembly *a, const struct asm_token *token);
/* The position in force: that of `token`, or of the last .at in the plain form. */
uint32_t asm_position_now(struct assembly *a, const struct asm_token *token);

/* ---- lex.l ---- */
void asm_lex(struct assembly *a, struct asm_source *source, const char *text, size_t size);

/* ---- utf8.c ---- */
bool asm_is_utf8(const char *text);
/* A copy in which '?' stands for every byte that is not part of UTF-8. */
char *asm_to_utf8(struct pto_arena *arena, const char *text);

/* ---- reader.c, macro.c ---- */
void asm_reader_push(struct assembly *a, struct asm_frame frame);
/* `from`: the file name of an .include; NULL for what the caller assembles. */
void asm_reader_push_source(struct assembly *a, struct asm_source *source,
                            const struct asm_token *from);
/* The origin of what `from` brings in; NULL after an error (too deep). */
struct asm_origin *asm_reader_origin(struct assembly *a, struct asm_source *source,
                                     const struct asm_token *from, const char *macro);
/* Account for lines that `from` brings in; false after an error (too many: reading ends). */
bool asm_reader_count(struct assembly *a, const struct asm_token *from, uint32_t lines);
/* The next line that is to be parsed (`count` tokens, and an end of line); false at the end of
 * everything.  Consumes .include, .macro and macro uses, and passes over dead arms of .if. */
bool asm_reader_line(struct assembly *a, struct asm_token **line, uint32_t *count);
void asm_macro_define(struct assembly *a, const struct asm_token *line, uint32_t count,
                      const struct asm_token *body, uint32_t body_count);
void asm_macro_use(struct assembly *a, const struct asm_macro *macro,
                   const struct asm_token *line, uint32_t count);

/* ---- parse.y ---- */
/* NULL: empty, or an error that was reported. */
struct asm_stmt *asm_parse_line(struct assembly *a, struct asm_token *token, uint32_t count);

/* ---- statement.c, section.c ---- */
void asm_statement(struct assembly *a, const struct asm_stmt *stmt);
void asm_kernel_statement(struct assembly *a, const struct asm_stmt *stmt);
void asm_core_statement(struct assembly *a, const struct asm_stmt *stmt);
void asm_setup_statement(struct assembly *a, const struct asm_stmt *stmt);
/* The end of the text: whatever is open is completed. */
void asm_finish(struct assembly *a);

/* ---- plain.c: directives that only `ptoas -d` writes ---- */
void asm_plain_statement(struct assembly *a, const struct asm_stmt *stmt);

/* ---- symbols.c ---- */
struct asm_symbol *asm_symbol_find(struct assembly *a, enum asm_namespace space,
                                   const struct asm_token *token);
/* A register of the open kernel's set-up code, or NULL. */
const struct asm_symbol *asm_symbol_find_setup(struct assembly *a, const struct asm_token *token);
/* The same without looking at the uses of macros around the token's own. */
struct asm_symbol *asm_symbol_find_here(struct assembly *a, enum asm_namespace space,
                                        const struct asm_token *token);
/* NULL after an error: the name is taken. */
struct asm_symbol *asm_symbol_define(struct assembly *a, enum asm_namespace space,
                                     enum asm_symbol_kind kind, const struct asm_token *token,
                                     uint32_t section, uint32_t index);
/* The nearest among the visible names of a space (`kinds`: mask of 1 << asm_symbol_kind), or NULL;
 * and the same as a hint "did you mean". */
const char *asm_symbol_nearest(struct assembly *a, enum asm_namespace space, unsigned kinds,
                               const char *name);
bool asm_symbol_hint(struct assembly *a, struct pto_diag *diag, enum asm_namespace space,
                     unsigned kinds, const char *name);
/* Section that a definition belongs to now. */
uint32_t asm_section_now(const struct assembly *a);
const char *asm_symbol_kind_name(enum asm_symbol_kind kind);
/* Name in the module: that of the token, made unique if a macro's own text wrote it. */
const char *asm_module_name(struct assembly *a, const struct asm_token *token);
void asm_symbols_free(struct assembly *a);

/* ---- code.c: the program that statements go into now ---- */
struct asm_code *asm_code(struct assembly *a);
void asm_code_open(struct assembly *a);
void asm_code_close(struct assembly *a, struct asm_code *code, struct pto_code *out);
void asm_code_free(struct asm_code *code);
/* Append an instruction; `token`: its place. */
void asm_emit(struct assembly *a, const struct asm_token *token, unsigned op, unsigned operands,
              const struct pto_operand *operand);
/* Append an instruction of scalar operands only. */
void asm_emit_scalar(struct assembly *a, const struct asm_token *token, unsigned op,
                     const struct pto_scalar *scalar, unsigned count);
/* Append a branch: scalar operands, then the target. */
void asm_emit_branch(struct assembly *a, const struct asm_token *token, unsigned op,
                     const struct pto_scalar *scalar, unsigned count, uint32_t target);
struct pto_scalar asm_temporary(struct assembly *a, const struct asm_token *token, bool is_float);
/* Temporaries live to the end of the statement, or until released; held ones until let go. Any
 * other scalar passes through unharmed. */
void asm_release(struct assembly *a, struct pto_scalar scalar);
void asm_hold(struct assembly *a, struct pto_scalar scalar, bool held);
void asm_statement_end(struct assembly *a);
/* If the last instruction is what computed the temporary `from`: let it write `reg` instead. */
bool asm_retarget(struct assembly *a, struct pto_scalar from, uint16_t reg);
/* The same, where the temporary was never used before: make it a register of this name. */
bool asm_adopt(struct assembly *a, struct pto_scalar from, const char *name);
uint16_t asm_register_add(struct assembly *a, const struct asm_token *token, bool is_float);
uint32_t asm_target_new(struct assembly *a);
uint32_t asm_target_named(struct assembly *a, const struct asm_token *name);
void asm_target_place(struct assembly *a, uint32_t target);
void asm_label(struct assembly *a, const struct asm_token *name);
/* At the end of a program: targets become instruction indices. */
void asm_targets_resolve(struct assembly *a);

/* ---- registers.c ---- */
/* Register or parameter to read. */
bool asm_register_read(struct assembly *a, const struct asm_token *token, struct asm_value *value);
/* Register of this name in the token's own scope, or PTO_NONE. */
int32_t asm_register_known(struct assembly *a, const struct asm_token *token);
/* Register to write, declared with this type if the name is new; PTO_NONE after an error. */
int32_t asm_register_write(struct assembly *a, const struct asm_token *token, bool is_float);
/* Register to write `value` to.  If the name is new and the value a temporary just computed, the
 * temporary becomes the register, and *taken says that nothing is left to do. */
int32_t asm_register_take(struct assembly *a, const struct asm_token *token,
                          const struct asm_value *value, bool *taken);
void asm_register_declare(struct assembly *a, const struct asm_token *token, bool is_float);

/* ---- fold.c ---- */
/* d = op(x, y) on constants; false with *why set where the machine would fault, false with *why
 * NULL where `op` is not arithmetic. */
bool asm_fold(unsigned op, const struct asm_value *x, const struct asm_value *y,
              struct asm_value *d, const char **why);

/* ---- expr.c ---- */
/* An operator or function of two numbers, by the operand type. */
struct asm_arithmetic {
    int token; /* 0: a function */
    const char *name;
    int int_op, float_op; /* enum pto_op; -1: there is none */
    bool swap;            /* operands exchanged: a > b is b < a */
    bool compares;        /* the result is an integer, 0 or 1 */
};
enum { ASM_BINARIES = 19 };
extern const struct asm_arithmetic asm_binaries[ASM_BINARIES];
/* Row of an operator, NULL if the token is none. */
const struct asm_arithmetic *asm_arithmetic_of(int token);

struct asm_value asm_int(int64_t i);
struct asm_value asm_float(double f);
bool asm_is_constant(const struct asm_value *value);
/* Is a constant other than 0? */
bool asm_is_true(const struct asm_value *value);
/* A name with nothing around it? */
bool asm_is_bare(const struct asm_expr *expr);
bool asm_eval(struct assembly *a, const struct asm_expr *expr, struct asm_value *d);
bool asm_eval_int(struct assembly *a, const struct asm_expr *expr, struct asm_value *d);
bool asm_to_float(struct assembly *a, const struct asm_expr *expr, struct asm_value *value);
/* d = op(x, y): folded, or computed into a temporary (one operand: y is ignored). */
bool asm_apply(struct assembly *a, const struct asm_expr *expr, unsigned op, struct asm_value x,
               struct asm_value y, bool result_float, struct asm_value *d);
/* The same for a row of the table, with promotion of integers. */
bool asm_arithmetic(struct assembly *a, const struct asm_expr *expr,
                    const struct asm_arithmetic *row, struct asm_value x, struct asm_value y,
                    struct asm_value *d);
/* Reports an error and returns false where only a constant may stand. */
bool asm_needs_launch(struct assembly *a, const struct asm_expr *expr);
/* A constant; `what` begins the message "... must be constant". */
bool asm_constant(struct assembly *a, const struct asm_expr *expr, const char *what,
                  struct asm_value *value);
bool asm_constant_int(struct assembly *a, const struct asm_expr *expr, const char *what,
                      int64_t low, int64_t high, int64_t *value);

/* ---- call.c ---- */
bool asm_is_function(const char *name);
bool asm_call(struct assembly *a, const struct asm_expr *expr, struct asm_value *d);

/* ---- assign.c ---- */
/* Store into a declared register, converting an integer if the register is a float. */
bool asm_assign(struct assembly *a, const struct asm_expr *expr, uint16_t reg,
                struct asm_value value);
void asm_assign_statement(struct assembly *a, const struct asm_stmt *stmt);
/* Branch if the condition is `sense`.  A constant condition emits nothing: *constant is then 0 or
 * 1, else -1. */
bool asm_branch(struct assembly *a, const struct asm_expr *expr, bool sense, uint32_t target,
                int *constant);

/* ---- ring.c ---- */
void asm_ring_statement(struct assembly *a, const struct asm_stmt *stmt);
/* The ring that a cross-core flag belongs to, or NULL. */
const struct asm_ring *asm_ring_of_flag(const struct assembly *a, int64_t flag);
/* At the end of a kernel: every ring is filled and emptied. */
void asm_rings_close(struct assembly *a);
struct pto_scalar asm_literal(int64_t i);

/* ---- ring_code.c ---- */
/* At the beginning of a program, and before each of its ends. */
void asm_rings_open(struct assembly *a);
void asm_rings_drain(struct assembly *a);
/* A pseudo-instruction that a row fits; expressions by operand of the row. */
void asm_ring_instruction(struct assembly *a, const struct asm_stmt *stmt, unsigned op,
                          const struct asm_expr *const *expr);
/* Object and leading indices of the slot that was taken last; false after an error at `x`. */
bool asm_ring_slot(struct assembly *a, const struct asm_expr *x, const struct asm_ring *ring,
                   struct pto_gm_ref *ref);

/* ---- flow.c ---- */
void asm_flow_statement(struct assembly *a, const struct asm_stmt *stmt);
/* A line that should have opened a block, but was not understood: its end is not to be reported. */
void asm_flow_broken(struct assembly *a, const struct asm_token *token);
/* Inside an arm that is not assembled? */
bool asm_flow_dead(const struct assembly *a);
/* At the end of a program, and of the text: nothing that was opened in it may be open. */
void asm_flow_close(struct assembly *a);

/* ---- type.c ---- */
/* enum pto_dtype that a word stands for, where a type is meant; -1: none. */
int asm_type_find(struct assembly *a, const struct asm_token *word);
/* The same for an expression, where a number could be meant. */
int asm_type_of(struct assembly *a, const struct asm_expr *expr);
/* Hint "did you mean" among the types and the symbols of these kinds, or the list of types. */
void asm_type_hint(struct assembly *a, struct pto_diag *diag, const char *word, unsigned kinds);
/* enum pto_dtype, or -1 after an error. */
int asm_dtype(struct assembly *a, const struct asm_token *type);
/* i64 or f64; false after an error. */
bool asm_scalar_type(struct assembly *a, const struct asm_token *type, bool *is_float);
/* Is a side of this operator an element type?  Then it is computed by the second one. */
bool asm_compares_types(struct assembly *a, const struct asm_expr *expr);
bool asm_compare_types(struct assembly *a, const struct asm_expr *expr, struct asm_value *d);

/* ---- declare.c ---- */
void asm_constant_statement(struct assembly *a, const struct asm_stmt *stmt);
void asm_param_statement(struct assembly *a, const struct asm_stmt *stmt);
void asm_object_statement(struct assembly *a, const struct asm_stmt *stmt);
/* Append to the kernel's objects; its index, or PTO_NONE after an error at `place`. */
int32_t asm_object_add(struct assembly *a, const struct asm_token *place, const char *name,
                       struct pto_object object);
void asm_mix_statement(struct assembly *a, const struct asm_stmt *stmt);
void asm_assert_statement(struct assembly *a, const struct asm_stmt *stmt);
/* Everything but parameters comes after this: it lowers their defaults. */
void asm_params_close(struct assembly *a);

/* ---- tile.c, layout.c ---- */
void asm_tile_statement(struct assembly *a, const struct asm_stmt *stmt);
void asm_local_statement(struct assembly *a, const struct asm_stmt *stmt);
/* Bytes of all slots. */
uint64_t asm_tile_extent(const struct pto_tile *tile);
/* Give addresses to the tiles of the open core that have none. */
void asm_layout(struct assembly *a);

/* ---- match.c, operand.c, check.c ---- */
void asm_instruction(struct assembly *a, const struct asm_stmt *stmt);
/* Does an expression look like an operand of this kind?  Names decide, values do not matter. */
bool asm_operand_fits(struct assembly *a, const struct pto_operand_spec *spec,
                      const struct asm_expr *expr);
/* "expected an integer" and the like, at the operand. */
void asm_operand_expected(struct assembly *a, const struct pto_operand_spec *spec,
                          const struct asm_expr *expr);
/* Lower a source operand; false after an error. */
bool asm_operand_lower(struct assembly *a, const struct pto_operand_spec *spec,
                       const struct asm_expr *expr, struct pto_operand *out);
/* Is the instruction legal on this core and profile?  expr[i] is the text of operand i, or NULL. */
bool asm_check(struct assembly *a, const struct asm_stmt *stmt, const struct pto_insn *insn,
               const struct asm_expr *const *expr);

/* ---- listing.c ---- */
void asm_listing(struct assembly *a, struct pto_buf *out);

#endif

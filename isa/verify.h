/* The parts of the verifier (docs/validation.md).  Each looks at its own subject, reports every
 * problem at its position and goes on.  Enumerations of a module (spaces, types, opcodes, kinds)
 * are in range already: the reader of objects sees to that, and C code writes them by name.
 * Internal to the verifier. */
#ifndef PTO_VERIFY_H
#define PTO_VERIFY_H

#include "object.h"

struct verify {
    const struct pto_module *module;
    const struct pto_profile *profile;
    struct pto_diags *diags;
    const struct pto_kernel *kernel;
    const struct pto_core_code *core; /* NULL: set-up code */
    enum pto_core_kind core_kind;     /* of `core` */
    const struct pto_code *code;      /* whose registers scalars name */
    const struct pto_insn *insn;
    bool declared;                    /* the tiles of `core` are good */
    unsigned errors;
};

/* After so many errors the rest is not looked at: a damaged module could have millions. */
enum { VERIFY_MOST_ERRORS = 100 };

/* Report an error at a position of the module, with the chain of its parents as trail. */
struct pto_diag *verify_error(struct verify *v, uint32_t pos, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same at the instruction, whose mnemonic goes before the message. */
struct pto_diag *verify_insn_error(struct verify *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* How messages call the program being looked at: "aic", "aiv", ".setup". */
const char *verify_where(const struct verify *v);
/* No name is given twice.  Names before `settled` were compared with each other already. */
void verify_unique(struct verify *v, const char *const *names, uint32_t count, uint32_t settled,
                   const char *what);
void verify_name(struct verify *v, uint32_t pos, const char *name, const char *what);
/* May this be a position of something?  A module may have none at all. */
bool verify_is_position(const struct verify *v, uint32_t pos);
/* A declaration has a position of the module. */
void verify_position(struct verify *v, uint32_t pos, const char *name);

/* Declarations. */
void verify_objects(struct verify *v);
void verify_core_tables(struct verify *v); /* tiles, local arrays, labels */
/* A source scalar of integer type (NONE only if `optional`).  `what` names it in messages: an
 * operand when v->insn is set, else a part of the declaration at `pos`. */
bool verify_int(struct verify *v, uint32_t pos, const struct pto_scalar *s, bool optional,
                const char *what);
/* Instructions of v->code in order. */
void verify_code(struct verify *v);

#endif

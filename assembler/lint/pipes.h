/* One run of a program as far as its pipes go: what each of them is given, in order, which flags
 * hold it back, and what it knows to be complete.  Internal to the lint. */
#ifndef PTO_LINT_PIPES_H
#define PTO_LINT_PIPES_H

#include "core.h"

struct lint_pipes;

/* Slots of tiles are numbered: those of tile t, which is no view, from first[t] on. */
struct lint_pipes *lint_pipes_new(const struct pto_profile *profile, uint32_t slots);
void lint_pipes_free(struct lint_pipes *pipes);
/* A new run, in which nothing has happened. */
void lint_pipes_begin(struct lint_pipes *pipes);

/* S gives a pipe a flag to set or to wait for. */
void lint_pipes_flag(struct lint_pipes *pipes, bool set, unsigned src, unsigned dst, unsigned id);
void lint_pipes_barrier(struct lint_pipes *pipes, unsigned pipe);
/* dsb; all knows all, as behind a cross-core flag, whose order is not looked at. */
void lint_pipes_publish(struct lint_pipes *pipes);
void lint_pipes_trust(struct lint_pipes *pipes);
/* S gives a pipe work, or does it itself, that touches slots: lint_pipes_touch for each. */
void lint_pipes_work(struct lint_pipes *pipes, unsigned pipe);
void lint_pipes_touch(struct lint_pipes *pipes, uint32_t slot, unsigned access);
void lint_pipes_done(struct lint_pipes *pipes);
/* The program ends: false: a token is left or missing, or something went wrong before. */
bool lint_pipes_end(struct lint_pipes *pipes);
/* Did something go wrong so far: a token, or an access that did not wait? */
bool lint_pipes_wrong(const struct lint_pipes *pipes);

#endif

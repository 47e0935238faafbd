/* Source text and positions: the levels of macro use and include that an instruction comes from,
 * lines of files, and disassembly where a file is missing. */
#ifndef PTO_DBG_SOURCE_H
#define PTO_DBG_SOURCE_H

#include "dbg/state.h"

/* Levels of a position: 0 is the text that no macro or include led to. */
unsigned source_levels(const struct pto_module *module, uint32_t pos);
/* Does the position come from the macro use or include that `parent` leads to? */
bool source_is_inside(const struct pto_module *module, uint32_t pos, int32_t parent);
/* The position at a level, or the innermost if there are not so many. */
const struct pto_pos *source_level(const struct pto_module *module, uint32_t pos, unsigned level);
/* Line of a file (1-based) with its length; NULL past the end or if the file cannot be read. */
const char *source_text(struct dbg *dbg, const char *path, uint32_t line, size_t *length);
uint32_t source_line_count(struct dbg *dbg, const char *path); /* 0: cannot be read */
/* Name of the macro whose text the line is part of, `*length` characters; NULL: none. */
const char *source_macro(struct dbg *dbg, const char *path, uint32_t line, size_t *length);
/* The same of the text at a level of a position, which a use of the macro has led to. */
const char *source_macro_at(struct dbg *dbg, const struct pto_module *module, uint32_t pos,
                            unsigned level, size_t *length);
/* "vadd.pto:17" */
void source_say_position(struct dbg *dbg, const struct pto_module *module,
                         const struct pto_pos *pos);
/* An instruction as text. */
void source_say_insn(struct dbg *dbg, const struct dbg_place *place);
/* The same with the values that its operands were issued with; NULL: their names. */
void source_say_issued(struct dbg *dbg, const struct dbg_place *place,
                       const struct dbg_issue *issue);
/* The same for the focused sub-core's next instruction, with position, time and event. */
void source_say_stop(struct dbg *dbg);
/* Program place of an instruction of an event, or false. */
bool source_place_of_insn(const struct dbg *dbg, const struct pto_insn *insn,
                          struct dbg_place *place);
void source_free(struct dbg *dbg);

#endif

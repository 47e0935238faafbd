/* Commands that show values and text: print, x, list, disassemble, backtrace. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "tool/number.h"
#include "dbg/expr.h"
#include "dbg/heat.h"
#include "dbg/place.h"
#include "dbg/source.h"
#include "dbg/value.h"
#include "dbg/variable.h"
#include "dbg/view.h"

/* ---- print ---- */

static bool print_value(struct dbg *dbg, const char *text, struct formula_standalone *s, bool hex)
{
    struct expr_scope scope = {dbg, dbg->rank, dbg->core, NULL};
    struct asm_value value;

    if (!expr_value_or_answer(&scope, s, s->expr, &value))
        return false;
    variable_show(dbg, &value);
    dbg_say(dbg, "%s = ", text);
    if (hex)
        dbg_say(dbg, "0x%llx",
                (unsigned long long)(value.is_float ? pto_f64_bits(value.scalar.f)
                                                    : (uint64_t)value.scalar.i));
    else
        value_say(dbg, &value);
    dbg_say(dbg, "\n");
    return true;
}

static bool print_window(struct dbg *dbg, struct formula_standalone *s, char format)
{
    struct dbg_view view = {0};
    bool good = view_find(dbg, s, &view);

    if (good && format == 'm' && view.rows > 0 && view.cols > 0)
        heat_say(dbg, &view);
    else if (good)
        view_say(dbg, &view, format == 'x');
    pto_buf_free(&view.title);
    return good;
}

/* A name is meant as a tile or an object unless there is something with a value that has it. */
static bool is_window(const struct dbg *dbg, const struct asm_expr *expr)
{
    return expr->kind == EX_REF &&
           (view_is_name(dbg, expr->token->text) ||
            (!expr->paren && !expr_is_name(dbg, expr->token->text)));
}

bool cmd_print(struct dbg *dbg, const char *args)
{
    struct formula_standalone *s;
    char format = *args == '/' ? args[1] : '\0';
    bool good;

    if (*args == '/' && format != 'x' && format != 'm')
        return dbg_error(dbg, "there are /x and /m", "'%.2s' is no format", args);
    args += format ? 2 : 0;
    args += strspn(args, " \t");
    if (*args == '\0')
        return dbg_error(dbg, "see 'help print'", "print what?");
    s = expr_read(dbg, args, NULL);
    if (s && format == 'm' && !is_window(dbg, s->expr))
        good = dbg_error(dbg, NULL, "only a window has a map");
    else
        good = s && (is_window(dbg, s->expr) ? print_window(dbg, s, format)
                                             : print_value(dbg, args, s, format == 'x'));
    formula_free(s);
    return good;
}

/* ---- x ---- */

/* Bytes by the name of a space of the focused sub-core, or of an object.  Of a space the machine
 * holds what lies in tiles: nobody can have written the others. */
static bool find_bytes(struct dbg *dbg, const char *name, size_t length, const uint8_t **data,
                       uint64_t *size, uint64_t *held)
{
    struct pto_object_info object;
    struct pto_buf spaces = {0};
    int space = dbg_find_space(name, length);
    uint32_t space_size;

    if (space >= 0 && dbg->launch.profile.capacity[space] > 0) {
        *data = pto_vm_space(dbg->launch.vm, dbg->rank, dbg->core, (enum pto_space)space,
                             &space_size);
        *size = dbg->launch.profile.capacity[space];
        *held = *data ? space_size : 0;
        return true;
    }
    for (unsigned i = 0; pto_vm_object(dbg->launch.vm, dbg->rank, i, &object); i++)
        if (dbg_is_name(object.name, name, length)) {
            *data = object.data;
            *size = *held = object.size;
            return true;
        }
    pto_buf_printf(&spaces, "spaces are ");
    pto_space_list(&spaces, pto_profile_spaces(&dbg->launch.profile,
                                               1u << PTO_AIC | 1u << PTO_AIV));
    dbg_error(dbg, pto_buf_text(&spaces), "no space or object '%.*s'", (int)length, name);
    pto_buf_free(&spaces);
    return false;
}

static bool take_int(struct dbg *dbg, const char **args, const char *what, int64_t *value)
{
    size_t length = dbg_word(args);

    if (!tool_parse_int(*args, length, value) || *value < 0)
        return dbg_error(dbg, "write x SPACE ADDRESS COUNT TYPE, for instance x ub 0x40 8 f32",
                         "'%.*s' is no %s", (int)length, *args, what);
    *args += length;
    return true;
}

static int take_dtype(struct dbg *dbg, const char *args)
{
    size_t length = dbg_word(&args);
    char *name;
    int dtype;

    if (length == 0)
        return PTO_U8;
    name = pto_xstrndup(args, length);
    dtype = pto_dtype_find(name);
    free(name);
    if (dtype < 0)
        dbg_error(dbg, "for instance f32, f16, bf16, i8, u32", "there is no type '%.*s'",
                  (int)length, args);
    else if (!dbg_at_end(dbg, args + length))
        return -1;
    return dtype;
}

/* Bytes behind those that are held are as they were in the beginning. */
static void take_element(const uint8_t *data, uint64_t held, uint64_t at, unsigned bytes,
                         uint8_t *element)
{
    memset(element, 0xff, bytes);
    if (at < held)
        memcpy(element, data + at, held - at < bytes ? held - at : bytes);
}

bool cmd_x(struct dbg *dbg, const char *args)
{
    enum { PER_LINE_BYTES = 32 };
    const uint8_t *data = NULL;
    uint64_t size = 0, held = 0, per_line;
    int64_t address, count;
    size_t length = dbg_word(&args);
    unsigned bytes;
    int dtype;

    if (length == 0)
        return dbg_error(dbg, "write x SPACE ADDRESS COUNT TYPE, for instance x ub 0x40 8 f32",
                         "raw memory of what?");
    if (!find_bytes(dbg, args, length, &data, &size, &held))
        return false;
    args += length;
    if (!take_int(dbg, &args, "address", &address) || !take_int(dbg, &args, "count", &count))
        return false;
    dtype = take_dtype(dbg, args);
    if (dtype < 0)
        return false;
    bytes = pto_dtype_size((enum pto_dtype)dtype);
    if ((uint64_t)address > size || (uint64_t)count > (size - (uint64_t)address) / bytes)
        return dbg_error(dbg, "x SPACE ADDRESS COUNT TYPE: the address counts bytes, the count "
                         "elements", "%lld elements of %s from 0x%llx on go beyond the end: there "
                         "are %llu bytes", (long long)count,
                         pto_dtype_name((enum pto_dtype)dtype), (unsigned long long)address,
                         (unsigned long long)size);
    if ((uint64_t)address >= held) {
        dbg_say(dbg, "never written\n");
        return true;
    }
    per_line = bytes == 1 ? PER_LINE_BYTES / 2 : PER_LINE_BYTES / bytes;
    for (uint64_t i = 0; i < (uint64_t)count; i++) {
        uint8_t element[sizeof(uint64_t)];
        char text[32];

        if (i % per_line == 0)
            dbg_say(dbg, "%s0x%06llx ", i > 0 ? "\n" : "",
                    (unsigned long long)((uint64_t)address + i * bytes));
        take_element(data, held, (uint64_t)address + i * bytes, bytes, element);
        view_cell(element, (enum pto_dtype)dtype, false, text);
        dbg_say(dbg, " %s", text);
    }
    dbg_say(dbg, "\n");
    return true;
}

/* ---- list ---- */

enum { LIST_LINES = 11 };

static bool say_lines(struct dbg *dbg, const struct pto_module *module, uint32_t file,
                      uint32_t first, uint32_t marked)
{
    const char *path = module->file[file];
    uint32_t count = source_line_count(dbg, path), line = first;

    if (count == 0)
        return dbg_error(dbg, "'disassemble' shows the program",
                         "the text of '%s' cannot be read", path);
    if (first > count)
        return dbg_error(dbg, NULL, "%s has %u lines", path, count);
    for (; line <= count && line < first + LIST_LINES; line++) {
        size_t length = 0;
        const char *text = source_text(dbg, path, line, &length);

        dbg_say(dbg, "%s %-4u %.*s\n", line == marked ? "=>" : "  ", line, (int)length, text);
    }
    dbg->list_line = line;
    dbg->list_module = module;
    dbg->list_file = file;
    return true;
}

/* The line of the focused sub-core's next instruction, 0 if there is none. */
static uint32_t current_line(const struct dbg *dbg)
{
    struct pto_core_info info;
    struct dbg_place place;
    const struct pto_pos *pos;

    dbg_focused(dbg, &info);
    if (!dbg_place_of(&info, &place) || info.ended)
        return 0;
    pos = source_level(info.module, info.code->code.insn[info.pc].pos, dbg->depth);
    return pos ? pos->line : 0;
}

static bool list_place(struct dbg *dbg, const char *args)
{
    struct place_request request;
    const struct pto_module *module;
    uint32_t file, line, middle = LIST_LINES / 2;
    int64_t number;
    size_t length = dbg_word(&args);
    bool good;

    if (tool_parse_int(args, length, &number) && number > 0 && number < UINT32_MAX) {
        module = place_current_file(dbg, &file);
        line = (uint32_t)number;
    } else {
        if (!place_resolve(dbg, args, length, &request))
            return false;
        good = request.places.count > 0;
        if (good) {
            const struct dbg_place *place = &request.places.item[0];
            const struct pto_pos *pos =
                source_level(place->module, place->code->code.insn[place->pc].pos, place->depth);

            good = pos && pos->file < place->module->files;
            module = place->module;
            file = good ? pos->file : 0;
            line = good ? pos->line : 0;
        }
        place_free(&request.places);
        if (!good)
            return dbg_error(dbg, NULL, "'%.*s' has no line", (int)length, args);
    }
    if (file >= module->files)
        return dbg_error(dbg, NULL, "the program has no lines");
    return dbg_at_end(dbg, args + length) &&
           say_lines(dbg, module, file, line > middle ? line - middle : 1, current_line(dbg));
}

bool cmd_list(struct dbg *dbg, const char *args)
{
    const struct pto_module *module;
    struct pto_core_info info;
    struct dbg_place place;
    uint32_t file, line = current_line(dbg), middle = LIST_LINES / 2;

    if (*args != '\0')
        return list_place(dbg, args);
    if (dbg->list_line > 0)
        return say_lines(dbg, dbg->list_module, dbg->list_file, dbg->list_line, line);
    module = place_current_file(dbg, &file);
    if (file < module->files && source_line_count(dbg, module->file[file]) > 0)
        return say_lines(dbg, module, file, line > middle ? line - middle : 1, line);
    dbg_focused(dbg, &info);
    if (!dbg_place_of(&info, &place))
        return dbg_error(dbg, NULL, "the text of the program cannot be read");
    dbg_say(dbg, "The text of the program cannot be read; its instructions:\n");
    return cmd_disassemble(dbg, "");
}

/* ---- disassemble, backtrace ---- */

bool cmd_disassemble(struct dbg *dbg, const char *args)
{
    enum { AROUND = 8 };
    struct pto_core_info info;
    struct dbg_place place;
    bool all = dbg_take(&args, "all");
    uint32_t first, end;

    if (!dbg_at_end(dbg, args) || !dbg_need_program(dbg, &info))
        return false;
    end = info.code->code.insns;
    first = !all && info.pc > AROUND ? info.pc - AROUND : 0;
    if (!all && end - first > 2 * AROUND)
        end = first + 2 * AROUND;
    place = (struct dbg_place){info.module, info.kernel, info.code, first, DBG_DEPTH_INNERMOST,
                               false};
    for (; place.pc < end; place.pc++) {
        for (uint32_t i = 0; i < info.code->labels; i++)
            if (info.code->label[i].insn == place.pc)
                dbg_say(dbg, "%s:\n", info.code->label[i].name);
        dbg_say(dbg, "%s %4u  ", place.pc == info.pc ? "=>" : "  ", place.pc);
        source_say_insn(dbg, &place);
        dbg_say(dbg, "  ; ");
        source_say_position(dbg, info.module,
                            source_level(info.module, info.code->code.insn[place.pc].pos,
                                         DBG_DEPTH_INNERMOST));
        dbg_say(dbg, "\n");
    }
    return true;
}

/* ---- levels ---- */

/* Work at another level of the macro uses and includes that the next instruction comes from. */
static bool select_level(struct dbg *dbg, unsigned levels, int64_t level)
{
    if (level < 0 || level >= levels)
        return dbg_error(dbg, "'backtrace' lists them",
                         level < 0 ? "nothing leads here from further out"
                                   : "there is nothing further inside");
    dbg->depth = level + 1 == levels ? DBG_DEPTH_INNERMOST : (unsigned)level;
    dbg->list_line = 0;
    source_say_stop(dbg);
    return true;
}

/* The number of levels, and the one that is worked at; false: answered. */
static bool find_levels(struct dbg *dbg, unsigned *levels, unsigned *level)
{
    struct pto_core_info info;
    struct dbg_place place;

    if (!dbg_need_place(dbg, &info, &place))
        return false;
    *levels = source_levels(info.module, info.code->code.insn[info.pc].pos);
    *level = dbg->depth < *levels ? dbg->depth : *levels - (*levels > 0);
    return true;
}

static bool move_level(struct dbg *dbg, const char *args, bool up)
{
    unsigned levels, level;
    uint64_t count;

    if (!dbg_count(dbg, args, &count) || !find_levels(dbg, &levels, &level))
        return false;
    count = count < UINT16_MAX ? count : UINT16_MAX;
    return select_level(dbg, levels, (int64_t)level + (up ? -(int64_t)count : (int64_t)count));
}

bool cmd_up(struct dbg *dbg, const char *args)
{
    return move_level(dbg, args, true);
}

bool cmd_down(struct dbg *dbg, const char *args)
{
    return move_level(dbg, args, false);
}

bool cmd_frame(struct dbg *dbg, const char *args)
{
    unsigned levels, level;
    size_t length = dbg_word(&args);
    int64_t number;

    if (!find_levels(dbg, &levels, &level))
        return false;
    if (length == 0)
        return select_level(dbg, levels, level);
    if (!tool_parse_int(args, length, &number) || number < 0 || number >= levels)
        return dbg_error(dbg, "'backtrace' lists them", "there is no level %.*s", (int)length,
                         args);
    return dbg_at_end(dbg, args + length) && select_level(dbg, levels, levels - 1 - number);
}

/* What leads from this level to the next: a macro, or an include. */
static void say_use(struct dbg *dbg, const struct dbg_place *place, unsigned level)
{
    size_t length;
    const char *macro = source_macro_at(dbg, place->module,
                                        place->code->code.insn[place->pc].pos, level + 1, &length);

    dbg_say(dbg, "  leads here");
    if (macro)
        dbg_say(dbg, " by a use of %.*s", (int)length, macro);
}

bool cmd_backtrace(struct dbg *dbg, const char *args)
{
    struct pto_core_info info;
    struct dbg_place place;
    uint32_t pos;
    unsigned levels;

    if (!dbg_at_end(dbg, args) || !dbg_need_place(dbg, &info, &place))
        return false;
    pos = info.code->code.insn[info.pc].pos;
    levels = source_levels(info.module, pos);
    for (unsigned level = levels; level-- > 0;) {
        dbg_say(dbg, "#%u  ", levels - 1 - level);
        source_say_position(dbg, info.module, source_level(info.module, pos, level));
        if (level + 1 == levels) {
            dbg_say(dbg, "  ");
            source_say_insn(dbg, &place);
        }
        if (level + 1 < levels)
            say_use(dbg, &place, level);
        dbg_say(dbg, "%s\n", level == dbg->depth && level + 1 < levels ? "  (selected)" : "");
    }
    dbg_say(dbg, "in kernel %s, launched on rank %d, %s\n", info.kernel->name, dbg->rank,
            info.name);
    return true;
}

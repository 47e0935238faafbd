/* What lies below variables and lines: bytes of memory, and the instructions of a program. */
#include <stdio.h>
#include <string.h>

#include "dap/adapter.h"
#include "dbg/assign.h"
#include "dbg/source.h"
#include "dbg/view.h"

enum { MOST_BYTES = 16 << 20, MOST_INSTRUCTIONS = 10000, /* in one answer */
       REFERENCE_BYTES = 400, PROGRAM_SHIFT = 32 };

/* ---- memory ---- */

/* A reference holds for the whole session: OBJECT@RANK+BYTE, SPACE@RANK.SUB-CORE+BYTE. */
json_t *dap_memory_reference(const struct dbg *dbg, const struct dbg_view *view)
{
    const struct pto_place *place = &view->place;
    uint64_t byte = view->offset + (uint64_t)view_distance(view, 0, 0);
    char text[REFERENCE_BYTES];
    struct pto_object_info object;
    struct pto_core_info info;

    if (place->core >= 0) {
        pto_vm_core(dbg->launch.vm, place->rank, (unsigned)place->core, &info);
        snprintf(text, sizeof text, "%s@%d.%s+%llu",
                 pto_space_name((enum pto_space)place->number), place->rank, info.name,
                 (unsigned long long)byte);
    } else {
        pto_vm_object(dbg->launch.vm, place->rank, place->number, &object);
        snprintf(text, sizeof text, "%.300s@%d+%llu", object.name, place->rank,
                 (unsigned long long)byte);
    }
    return dap_string(text);
}

struct memory {
    struct pto_place place;
    const uint8_t *data; /* NULL: nothing was written there yet */
    uint64_t size;
    int64_t byte;
};

/* The memory that `text` refers to; false: it is no reference of this program. */
static bool find_memory(const struct dbg *dbg, const char *text, struct memory *memory)
{
    const char *at = strchr(text, '@'), *plus = strrchr(text, '+');
    char name[REFERENCE_BYTES], core[64] = "", end;
    unsigned long long byte;
    int rank, number;

    if (!at || !plus || at - text >= (ptrdiff_t)sizeof name || at[1] < '0' || at[1] > '9' ||
        sscanf(plus, "+%18llu%c", &byte, &end) != 1)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)(at - text), text);
    if (sscanf(at, "@%9d.%63[a-z0-9.]", &rank, core) < 1 || rank < 0 ||
        rank >= pto_vm_ranks(dbg->launch.vm))
        return false;
    memory->byte = (int64_t)byte;
    if (core[0] != '\0') {
        int space = dbg_find_space(name, strlen(name));
        uint32_t size = 0;

        number = dbg_find_core(dbg, core, strlen(core));
        if (number < 0 || space < 0)
            return false;
        memory->data = pto_vm_space(dbg->launch.vm, rank, (unsigned)number,
                                    (enum pto_space)space, &size);
        memory->size = size;
        memory->place = (struct pto_place){rank, number, (unsigned)space};
    } else {
        struct pto_object_info object;

        number = pto_vm_find_object(dbg->launch.vm, name);
        if (number < 0 || !pto_vm_object(dbg->launch.vm, rank, (unsigned)number, &object))
            return false;
        memory->data = object.data;
        memory->size = object.size;
        memory->place = (struct pto_place){rank, -1, (unsigned)number};
    }
    return true;
}

static void add_base64(struct pto_buf *text, const uint8_t *data, uint64_t count)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (uint64_t i = 0; i < count; i += 3) {
        uint64_t left = count - i;
        uint32_t bits = (uint32_t)data[i] << 16 | (left > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
                        (left > 2 ? data[i + 2] : 0);
        char four[4] = {digit[bits >> 18], digit[bits >> 12 & 63],
                        left > 1 ? digit[bits >> 6 & 63] : '=', left > 2 ? digit[bits & 63] : '='};

        pto_buf_append(text, four, sizeof four);
    }
}

const char *dap_read_memory(struct dap *dap, const json_t *args, json_t **body)
{
    int64_t offset = dap_int(args, "offset", 0), count = dap_int(args, "count", -1), have = 0;
    struct memory memory;
    struct pto_buf data = {0};
    char address[32];

    if (!find_memory(dap->dbg, dap_text(args, "memoryReference", ""), &memory))
        return "\"memoryReference\" is none that a variable of this program has";
    if (count < 0 || count > MOST_BYTES)
        return dap_why(dap, "\"count\" is not a number from 0 to %d", MOST_BYTES);
    if (__builtin_add_overflow(memory.byte, offset, &memory.byte) || memory.byte < 0)
        return "\"offset\" leads to before the memory's first byte";
    if (memory.data && (uint64_t)memory.byte < memory.size)
        have = (uint64_t)count < memory.size - (uint64_t)memory.byte
                   ? count : (int64_t)(memory.size - (uint64_t)memory.byte);
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)memory.byte);
    *body = json_pack("{s:s}", "address", address);
    if (have > 0) {
        add_base64(&data, memory.data + memory.byte, (uint64_t)have);
        json_object_set_new(*body, "data", dap_string(pto_buf_text(&data)));
    }
    if (have < count)
        json_object_set_new(*body, "unreadableBytes", json_integer(count - have));
    pto_buf_free(&data);
    return NULL;
}

/* ---- writing ---- */

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* false: that is no base64. */
static bool take_base64(const char *text, struct pto_buf *bytes)
{
    size_t length = strlen(text), pad = 0;

    while (pad < 2 && pad < length && text[length - 1 - pad] == '=')
        pad++;
    if (length % 4 != 0 || length / 4 * 3 > MOST_BYTES)
        return false;
    for (size_t i = 0; i < length; i += 4) {
        unsigned count = i + 4 < length ? 3 : 3 - (unsigned)pad;
        uint32_t bits = 0;

        for (unsigned k = 0; k < 4; k++) {
            int digit = k <= count ? digit_of(text[i + k]) : 0;

            if (digit < 0)
                return false;
            bits = bits << 6 | (uint32_t)digit;
        }
        for (unsigned k = 0; k < count; k++)
            pto_buf_byte(bytes, (uint8_t)(bits >> (16 - 8 * k)));
    }
    return true;
}

/* How many of the bytes there is room for; all or, where that is good enough, those in front. */
static const char *write_bytes(struct dap *dap, const struct memory *memory, struct pto_buf *bytes,
                               bool partial)
{
    uint64_t room = memory->data && (uint64_t)memory->byte < memory->size
                        ? memory->size - (uint64_t)memory->byte : 0;
    struct pto_stretch stretch = {memory->place, (uint64_t)memory->byte, 0, 0, 1};
    char text[64];
    bool good;

    if (bytes->size > room && (!partial || room == 0))
        return dap_why(dap, "there are %llu bytes from there on", (unsigned long long)room);
    bytes->size = bytes->size < room ? bytes->size : room;
    if (bytes->size == 0)
        return NULL;
    stretch.length = stretch.step = bytes->size;
    snprintf(text, sizeof text, "%zu bytes of memory", bytes->size);
    dap->answer.size = 0;
    dap->capturing = true;
    good = assign_bytes(dap->dbg, &stretch, bytes->data, text);
    dbg_flush(dap->dbg);
    dap->capturing = false;
    return good ? NULL : dap_failure(dap);
}

const char *dap_write_memory(struct dap *dap, const json_t *args, json_t **body)
{
    struct memory memory;
    struct pto_buf bytes = {0};
    const char *why = NULL;

    if (!find_memory(dap->dbg, dap_text(args, "memoryReference", ""), &memory))
        return "\"memoryReference\" is none that a variable of this program has";
    if (__builtin_add_overflow(memory.byte, dap_int(args, "offset", 0), &memory.byte) ||
        memory.byte < 0)
        return "\"offset\" leads to before the memory's first byte";
    if (!take_base64(dap_text(args, "data", ""), &bytes))
        why = dap_why(dap, "\"data\" is no base64 of at most %d bytes", MOST_BYTES);
    why = why ? why : write_bytes(dap, &memory, &bytes, dap_bool(args, "allowPartial"));
    if (!why)
        *body = json_pack("{s:I}", "bytesWritten", (json_int_t)bytes.size);
    pto_buf_free(&bytes);
    return why;
}

/* ---- programs ---- */

/* An address is the number of a program (the kernels in the order of the command line, with the
 * kinds of sub-cores), from 1, and below it that of an instruction. */
static int64_t address_of(const struct dbg *dbg, const struct pto_core_code *code, int64_t insn)
{
    for (unsigned k = 0; k < dbg->launch.kernels; k++) {
        const struct pto_kernel *kernel = cli_kernel_of(&dbg->launch.kernel[k]);

        if (code >= kernel->core && code < kernel->core + PTO_CORE_KINDS)
            return ((int64_t)k * PTO_CORE_KINDS + (code - kernel->core) + 1) *
                       (1LL << PROGRAM_SHIFT) + insn;
    }
    return 0;
}

static json_t *address_text(int64_t address)
{
    char text[32];

    snprintf(text, sizeof text, "0x%llx", (unsigned long long)address);
    return json_string(text);
}

json_t *dap_instruction_reference(const struct dbg *dbg, const struct pto_core_info *info,
                                  uint32_t insn)
{
    return address_text(address_of(dbg, info->code, insn));
}

/* The program of an address, as the place of its first instruction. */
static bool find_program(const struct dbg *dbg, int64_t address, struct dbg_place *place)
{
    int64_t program = (address >> PROGRAM_SHIFT) - 1;
    const struct cli_kernel *kernel;
    const struct pto_kernel *k;

    if (program < 0 || program >= (int64_t)dbg->launch.kernels * PTO_CORE_KINDS)
        return false;
    kernel = &dbg->launch.kernel[program / PTO_CORE_KINDS];
    k = cli_kernel_of(kernel);
    *place = (struct dbg_place){&kernel->file->program.module, k,
                                &k->core[program % PTO_CORE_KINDS], 0, DBG_DEPTH_INNERMOST,
                                false};
    return place->code->present;
}

bool dap_instruction_place(const struct dbg *dbg, const char *reference, int64_t offset,
                           struct dbg_place *place)
{
    unsigned long long address;
    int64_t number;
    char end;

    if (sscanf(reference, "0x%15llx%c", &address, &end) != 1 ||
        !find_program(dbg, (int64_t)address, place) ||
        __builtin_add_overflow((int64_t)(address & UINT32_MAX), offset, &number) || number < 0 ||
        number >= place->code->code.insns)
        return false;
    place->pc = (uint32_t)number;
    return true;
}

static json_t *instruction(struct dap *dap, const struct dbg_place *place)
{
    const struct pto_pos *pos = source_level(
        place->module, place->code->code.insn[place->pc].pos, DBG_DEPTH_INNERMOST);
    json_t *row = json_object();

    json_object_set_new(row, "address", address_text(address_of(dap->dbg, place->code, place->pc)));
    source_say_insn(dap->dbg, place);
    json_object_set_new(row, "instruction", dap_string(dap_said(dap)));
    for (uint32_t i = 0; i < place->code->labels; i++)
        if (place->code->label[i].insn == place->pc)
            json_object_set_new(row, "symbol", dap_string(place->code->label[i].name));
    if (pos && pos->file < place->module->files) {
        json_object_set_new(row, "location", dap_source(place->module->file[pos->file]));
        json_object_set_new(row, "line", json_integer(dap_line(dap, pos->line)));
    }
    return row;
}

const char *dap_disassemble(struct dap *dap, const json_t *args, json_t **body)
{
    int64_t count = dap_int(args, "instructionCount", -1), first;
    const char *reference = dap_text(args, "memoryReference", "");
    unsigned long long address;
    struct dbg_place place;
    json_t *list;
    char end;

    if (sscanf(reference, "0x%15llx%c", &address, &end) != 1 ||
        !find_program(dap->dbg, (int64_t)address, &place))
        return "\"memoryReference\" is no instructionPointerReference of this program";
    if (count < 0 || count > MOST_INSTRUCTIONS)
        return dap_why(dap, "\"instructionCount\" is not a number from 0 to %d",
                       MOST_INSTRUCTIONS);
    first = (int64_t)(address & UINT32_MAX);
    if (__builtin_add_overflow(first, dap_int(args, "offset", 0), &first) ||
        __builtin_add_overflow(first, dap_int(args, "instructionOffset", 0), &first) ||
        first < -(1LL << (PROGRAM_SHIFT - 1)) || first >= 1LL << (PROGRAM_SHIFT - 1))
        return "\"offset\" and \"instructionOffset\" lead away from the program";
    list = json_array();
    for (int64_t i = first; i < first + count; i++) {
        if (i >= 0 && i < place.code->code.insns) {
            place.pc = (uint32_t)i;
            json_array_append_new(list, instruction(dap, &place));
            continue;
        }
        json_array_append_new(list, json_pack("{s:o, s:s, s:s}", "address",
                                              address_text(address_of(dap->dbg, place.code, i)),
                                              "instruction", "(no instruction)",
                                              "presentationHint", "invalid"));
    }
    *body = json_pack("{s:o}", "instructions", list);
    return NULL;
}

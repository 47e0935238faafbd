/* Messages about faults, and sizes as expressions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/faults.h"
#include "cli/info.h"
#include "file.h"

/* A source file in the working folder, removed at the end. */
static char path[64];

static int make_file(void **state)
{
    static const char text[] = "first\n\tTADD a, b\r\nthird\n";
    const char *why;
    (void)state;
    snprintf(path, sizeof path, "cli_faults_test_%d.pto", (int)getpid());
    return pto_file_write(path, text, sizeof text - 1, &why) == PTO_OK ? 0 : -1;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void shows_everything(void **state)
{
    const char *files[] = {path, "gone.pto"};
    struct pto_pos pos[] = {{1, 9, 4, PTO_NONE}, {0, 2, 2, 0}};
    struct pto_module module = {.file = files, .files = 2, .pos = pos, .positions = 2};
    struct pto_fault fault = {.status = PTO_EDEADLOCK, .message = "stuck", .hint = "go on",
                              .rank = 3, .core = "aiv7.1", .pipe = "MTE3", .time_ps = 12345678,
                              .module = &module, .pos = 1, .details = "one\ntwo\n"};
    struct pto_buf out = {0};
    char want[512];
    (void)state;
    cli_fault_text(&fault, NULL, false, &out);
    snprintf(want, sizeof want,
             "gone.pto:9:4: deadlock: stuck\n  in %s:2:2\n    \tTADD a, b\n    \t^\n"
             "  rank 3, aiv7.1, pipe MTE3, at 12.345 us\n  hint: go on\n  one\n  two\n", path);
    assert_string_equal(pto_buf_text(&out), want);
    pto_buf_free(&out);
}

static void does_without(void **state)
{
    struct pto_fault fault = {.status = PTO_ELIMIT, .message = "too long", .rank = -1,
                              .pos = PTO_NONE};
    struct pto_buf out = {0};
    (void)state;
    cli_fault_text(&fault, NULL, false, &out);
    assert_string_equal(pto_buf_text(&out), "limit: too long\n  at 0 ps\n");
    out.size = 0;
    cli_fault_text(&fault, "warning", true, &out);
    assert_string_equal(pto_buf_text(&out), "\033[1;35mwarning:\033[0m too long\n  at 0 ps\n");
    pto_buf_free(&out);
}

/* ---- expressions -------------------------------------------------------------------------- */

enum { N, M, T0, T1, T2 };

static struct pto_scalar reg(unsigned number)
{
    return (struct pto_scalar){.kind = PTO_S_REG, .reg = (uint16_t)number};
}

static struct pto_scalar literal(int64_t value)
{
    return (struct pto_scalar){.kind = PTO_S_INT, .i = value};
}

static struct pto_operand scalar(struct pto_scalar value)
{
    return (struct pto_operand){.kind = PTO_O_SCALAR, .scalar = value};
}

static void check_expression(struct pto_code setup, uint32_t before, unsigned of,
                             const char *want)
{
    struct pto_param param[] = {{.name = "n"}, {.name = "m"}};
    struct pto_register registers[] = {{.name = "n"}, {.name = "m"}, {.name = "_0"},
                                       {.name = "_1"}, {.name = "w"}};
    struct pto_kernel kernel = {.param = param, .params = 2, .setup = setup};
    struct pto_scalar what = reg(of);
    struct pto_buf out = {0};
    kernel.setup.reg = registers;
    kernel.setup.regs = 5;
    cli_expression_text(&kernel, &what, before, &out);
    assert_string_equal(pto_buf_text(&out), want);
    pto_buf_free(&out);
}

static void reads_set_up_code_backwards(void **state)
{
    struct pto_operand sum[] = {scalar(reg(T0)), scalar(reg(N)), scalar(literal(3))};
    struct pto_operand product[] = {scalar(reg(T1)), scalar(reg(T0)), scalar(reg(M))};
    struct pto_operand ceiling[] = {scalar(reg(T2)), scalar(reg(T1)), scalar(literal(16))};
    struct pto_operand again[] = {scalar(reg(T0)), scalar(reg(T0)), scalar(literal(1))};
    struct pto_insn insn[] = {{PTO_OP_IADD, 3, 0, sum}, {PTO_OP_IMUL, 3, 0, product},
                              {PTO_OP_CDIV, 3, 0, ceiling}, {PTO_OP_ISUB, 3, 0, again}};
    struct pto_operand jump[] = {{.kind = PTO_O_LABEL, .value = 1}};
    struct pto_insn loop[] = {{PTO_OP_IADD, 3, 0, sum}, {PTO_OP_JUMP, 1, 0, jump}};
    struct pto_code code = {.insn = insn, .insns = 4};
    (void)state;
    check_expression(code, 4, N, "n");
    check_expression(code, 4, T1, "(n + 3) * m");
    check_expression(code, 4, T2, "cdiv((n + 3) * m, 16)");
    check_expression(code, 3, T0, "n + 3");
    check_expression(code, 4, T0, "n + 3 - 1"); /* at the end, made from the earlier one */
    code = (struct pto_code){.insn = loop, .insns = 2};
    check_expression(code, 2, T0, "%_0"); /* with branches nothing is certain */
    code = (struct pto_code){.insn = insn, .insns = 0};
    check_expression(code, 0, T2, "%w");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_everything),
        cmocka_unit_test(does_without),
        cmocka_unit_test(reads_set_up_code_backwards),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}

#!/usr/bin/env python3
"""Texts with one mistake each, as those make them who come from other languages: the assembler
tells one error, at its line and column, and nothing that only follows from it."""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

HEAD = """.kernel k
.param n : i64
.in a : f32[n, 64]
.out c : f32[n, 64]
.sym acc : f32[n]
.signal s[4]
"""
VECTOR = HEAD + """.core aiv
.tile t[2] : ub f32[8, 64]
.tile u : ub f32[8, 64]
.tile h : ub f16[8, 64]
.local w : i64[8]
"""
# What is wrong: the line of the error, the text.
CASES = {
    "semicolon_c": (13, VECTOR + "    TADD t, t, u;\n    %x = 1 // hello\n"),
    "cblock": (12, VECTOR + "    /* c comment */\n    %x = 1\n"),
    "colon_eq": (12, VECTOR + "    %x := 1\n"),
    "plus_eq": (13, VECTOR + "    %x = 1\n    %x += 2\n"),
    "incr": (13, VECTOR + "    %x = 1\n    %x++\n"),
    "no_percent": (12, VECTOR + "    x = 1\n    %y = x + 1\n"),
    "reg_dollar": (12, VECTOR + "    $x = 1\n"),
    "brace_block": (12, VECTOR + "    if n > 3 {\n        %x = 1\n    }\n"),
    "for_c": (12, VECTOR + "    for (i = 0; i < n; i++)\n        %x = 1\n"),
    "for_in": (12, VECTOR + "    .for %i in 0..n\n        %x = %i\n    .endfor\n"),
    "for_noto": (12, VECTOR + "    .for %i = 0, n\n        %x = %i\n    .endfor\n"),
    "for_nopercent": (12, VECTOR + "    .for i = 0 to n\n        %x = 1\n    .endfor\n"),
    "for_le": (12, VECTOR + "    .for %i = 0 to <= n\n        %x = 1\n    .endfor\n"),
    "elseif": (14, VECTOR +
        "    .if n > 3\n        %x = 1\n    .elseif n > 2\n        %x = 2\n    .endif\n"),
    "else_if": (14, VECTOR +
        "    .if n > 3\n        %x = 1\n    .else if n > 2\n        %x = 2\n"
        "    .endif\n"),
    "end_if": (14, VECTOR + "    .if n > 3\n        %x = 1\n    .end if\n"),
    "missing_endif": (13, VECTOR +
        "    .for %i = 0 to n\n        .if %i > 2\n            %x = 1\n    .endfor\n"),
    "missing_endfor": (12, VECTOR + "    .for %i = 0 to n\n        %x = 1\n"),
    "extra_endfor": (13, VECTOR + "    %x = 1\n    .endfor\n"),
    "and_word": (12, VECTOR + "    .if n > 3 and n < 7\n        %x = 1\n    .endif\n"),
    "chain": (12, VECTOR + "    .if 1 < n < 7\n        %x = 1\n    .endif\n"),
    "single_eq": (12, VECTOR + "    .if n = 3\n        %x = 1\n    .endif\n"),
    "tern": (12, VECTOR + "    %x = n > 3 ? 1\n"),
    "mod_pct": (12, VECTOR + "    %x = n % 3\n"),
    "pow": (12, VECTOR + "    %x = n ** 2\n"),
    "idiv": (12, VECTOR + "    %x = n // 2\n"),
    "hexbad": (12, VECTOR + "    %x = 0xfg\n"),
    "bigint": (12, VECTOR + "    %x = 99999999999999999999999\n"),
    "octal": (12, VECTOR + "    %x = 0o17\n"),
    "float_f": (12, VECTOR + "    %x = 1.5f\n"),
    "suffix": (12, VECTOR + "    %x = 64KB\n"),
    "string_open": (12, VECTOR + "    print \"hello\n"),
    "string_sq": (12, VECTOR + "    print 'hello'\n"),
    "str_escape": (12, VECTOR + "    print \"a\\qb\"\n"),
    "curly_quotes": (12, VECTOR + "    print \u201chello\u201d\n"),
    "nbsp": (12, VECTOR + "    %x\xa0= 1\n"),
    "tile_noslots": (12, VECTOR + "    TADD t[, t, u\n"),
    "tile_paren": (12, VECTOR + "    TADD t(0), t, u\n"),
    "unclosed_brace": (12, VECTOR + "    TADD t{1, 64, t, u\n"),
    "extra_paren": (12, VECTOR + "    %x = (n + 1))\n"),
    "missing_comma": (12, VECTOR + "    TADD t t, u\n"),
    "trailing_comma": (12, VECTOR + "    TADD t, t, u,\n"),
    "too_many": (12, VECTOR + "    TADD t, t, u, u\n"),
    "too_few": (12, VECTOR + "    TADD t, t\n"),
    "case": (12, VECTOR + "    tadd t, t, u\n"),
    "typo_flag": (12, VECTOR + "    setflag MTE2, V, 0\n"),
    "pipe_num": (12, VECTOR + "    set_flag 2, 3, 0\n"),
    "flag_same": (12, VECTOR + "    set_flag V, V, 0\n"),
    "flag_id": (12, VECTOR + "    set_flag MTE2, V, 99\n"),
    "wrong_dir": (12, VECTOR + "    TLOAD a[0, 0], t\n"),
    "store_swap": (12, VECTOR + "    TSTORE t, c[0, 0]\n"),
    "one_index": (12, VECTOR + "    TLOAD t, a[0]{8, 64}\n"),
    "slot_big": (12, VECTOR + "    TADD t[2], t[0], u\n"),
    "types": (12, VECTOR + "    TADD t, t, h\n"),
    "undef_tile": (12, VECTOR + "    TADD tt, t, u\n    TMUL tt, tt, u\n    TSUB tt, u, tt\n"),
    "undef_reg": (12, VECTOR + "    %x = %y + 1\n    %z = %y\n    %w = %x\n"),
    "undef_label": (12, VECTOR + "    jump nowhere\n    jump nowhere\n"),
    "dup_label": (14, VECTOR + "    again:\n    %x = 1\n    again:\n    %x = 2\n    jump again\n"),
    "dup_tile": (12, VECTOR + ".tile t : ub f32[1, 64]\n    TADD t, t, u\n"),
    "tile_type": (12, VECTOR + ".tile q : ub float[8, 64]\n    TADD q, q, u\n    TMUL q, q, q\n"),
    "tile_mem": (12, VECTOR + ".tile q : UB f32[8, 64]\n    TADD q, q, u\n"),
    "tile_nomem": (12, VECTOR + ".tile q : f32[8, 64]\n    TADD q, q, u\n"),
    "tile_dims": (12, VECTOR + ".tile q : ub f32[64]\n    TADD q, q, u\n"),
    "tile_huge": (12, VECTOR + ".tile q : ub f32[8192, 64]\n    TADD q, q, u\n"),
    "tile_var": (12, VECTOR + ".tile q : ub f32[n, 64]\n    TADD q, q, u\n"),
    "tile_colon": (12, VECTOR + ".tile q ub f32[8, 64]\n    TADD q, q, u\n"),
    "tile_aic": (8, HEAD + ".core aiv\n.tile q : l1 f32[16, 64]\n    TLOAD q, a[0,0]\n"),
    "core_name": (7, HEAD + ".core vector\n    %x = 1\n"),
    "core_twice": (13, VECTOR + "    %x = 1\n.core aiv\n    %y = 2\n"),
    "param_late": (7, HEAD + ".param m : i64\n.core aiv\n    %x = m\n"),
    "param_type": (2, ".kernel k\n.param n : int\n.core aiv\n    %x = n\n"),
    "in_nodims": (2,
        ".kernel k\n.in a : f32\n.core aiv\n.tile t : ub f32[1, 8]\n    TLOAD t, a\n"),
    "in_undef": (2,
        ".kernel k\n.in a : f32[m]\n.core aiv\n.tile t : ub f32[1, 8]\n"
        "    TLOAD t, a[0]{1, 8}\n"),
    "kernel_noname": (1, ".kernel\n.core aiv\n    %x = 1\n"),
    "kernel_num": (1, ".kernel 3k\n.core aiv\n    %x = 1\n"),
    "func": (1, "func k(n) {\n    %x = 1\n}\n"),
    "no_dot": (1, "kernel k\ncore aiv\n    %x = 1\n"),
    "dot_space": (1, ". kernel k\n.core aiv\n    %x = 1\n"),
    "bom": (1, "\ufeff.kernel k\n.core aiv\n    %x = 1\n"),
    "macro_noend": (1, ".macro m x\n    %y = x\n.kernel k\n.core aiv\n    m 1\n"),
    "macro_rec": (2, ".macro m x\n    m x\n.endm\n.kernel k\n.core aiv\n    m 1\n"),
    "include_q": (1, ".include lib.inc\n.kernel k\n.core aiv\n    %x = 1\n"),
    "equ_noeq": (1, ".equ N 5\n.kernel k\n.core aiv\n    %x = N\n"),
    "equ_circ": (1, ".equ N = M\n.equ M = N\n.kernel k\n.core aiv\n    %x = N\n"),
    "equ_div0": (1, ".equ N = 5 / 0\n.kernel k\n.core aiv\n    %x = N\n    %y = N + 1\n"),
    "assign_param": (12, VECTOR + "    n = 5\n"),
    "assign_param2": (12, VECTOR + "    %n = 5\n"),
    "assign_fn": (12, VECTOR + "    rank() = 3\n"),
    "float_int": (13, VECTOR + "    %x = 1\n    %x = 1.5\n"),
    "local_oob": (12, VECTOR + "    %x = ld w[8]\n"),
    "ld_two": (12, VECTOR + "    %x = ld w\n"),
    "st_swap": (12, VECTOR + "    st 1, w[0]\n"),
    "remote_in": (12, VECTOR + "    TGET a[0,0], acc@1[0]\n"),
    "notify": (12, VECTOR + "    TNOTIFY s[0], 1, plus\n"),
    "wait": (12, VECTOR + "    TWAIT s[0] >= 1\n"),
    "break_out": (12, VECTOR + "    .break\n"),
    "cont_if": (13, VECTOR + "    .if n > 2\n        .continue\n    .endif\n"),
    "slots_noarrow": (12, VECTOR +
        "    .slots %s : 2 free MTE3, MTE2\n    .for %i = 0 to n\n        .take %s\n"
        "        TLOAD t[%s], a[%i, 0]{8, 64}\n        handoff MTE2 -> MTE3, %s\n"
        "        TSTORE c[%i, 0], t[%s]\n    .endfor\n"),
    "take_undecl": (13, VECTOR +
        "    .for %i = 0 to n\n        .take %s\n        TLOAD t[%s], a[%i, 0]{8, 64}\n"
        "    .endfor\n"),
    "handoff_comma": (12, VECTOR + "    handoff MTE2, V, 0\n"),
    "handoff_noev": (12, VECTOR + "    handoff MTE2 -> V\n"),
    "cont_line": (13, VECTOR + "    TADD t, \\\n    \n"),
    "cr_only": (1, ".kernel k\r.core aiv\r    %x = 1\r"),
    "at_local": (12, VECTOR + "    %x = ld w@1[0]\n"),
    "neg_dim": (12, VECTOR + ".tile q : ub f32[-8, 64]\n    TADD q, q, u\n"),
    "zero_slots": (12, VECTOR + ".tile q[0] : ub f32[8, 64]\n    TADD q, q, u\n"),
}


class OneError(unittest.TestCase):
    def test_each_mistake_is_told_once(self):
        for name, (line, text) in CASES.items():
            with self.subTest(name):
                done = pto.ptoas("-o", "/dev/null", "-", stdin=text)
                self.assertEqual(done.code, 1)
                place, = re.findall(r"^(.*?): error: ", done.err, re.M)
                self.assertRegex(place, rf"^<stdin>:{line}:[1-9]\d*$", done.err)


if __name__ == "__main__":
    unittest.main()

/* Jobs that the tests of the library have in common. */
#ifndef PTO_TEST_JOBS_H
#define PTO_TEST_JOBS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <pto.h>

enum { COUNT = 100 };

static const char COPY[] =
    ".kernel copy\n"
    ".param n : i64\n"
    ".param f : f64 = 1.0\n"
    ".in  a : f32[n]\n"
    ".out c : f32[n]\n"
    ".core aiv\n"
    ".tile t : ub f32[1, 1024]\n"
    "    .if vec_id() == 0\n"
    "        print \"hello\"\n"
    "        TLOAD t{1, %n}, a\n"
    "        handoff MTE2 -> MTE3, 0\n"
    "        TSTORE c, t{1, %n}\n"
    "    .endif\n";

static struct pto_job *job_of(const char *text)
{
    struct pto_job *job = pto_job_new();

    pto_job_option(job, "cores", "1");
    pto_job_text(job, "text.pto", text, strlen(text));
    return job;
}

#endif

/* The specs of the property tests. */
#include "tests/schedules/support/specs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

const char *const specs_texts[] = {
    "static",
    "static:min=3",
    "static,1",
    "static,7",
    "static,9223372036854775807",
    "ss",
    "ss,5",
    "css",
    "css,7",
    "css,9223372036854775807",
    "css:chunk=3,min=8",
    "gss",
    "gss,6",
    "gss,9223372036854775807",
    "tss",
    "tss,100,10",
    "tss,11",
    "tss,40,40",
    "tss:last=9",
    "tss:min=20",
    "tss,9223372036854775807,9223372036854775807",
    "tfss",
    "tfss,100,10",
    "tfss,11",
    "tfss:min=6",
    "fac2",
    "fac2,16",
    "fac",
    "fac:mu=100,sigma=0",
    "fac:mu=100,sigma=1000",
    "fac:mu=1e18,sigma=1",
    "fac:mu=0.001,sigma=1e18",
    "fac:min=9",
    "wf2",
    "wf2,10",
    "awf",
    "awf-b,3",
    "awf-c",
    "awf-c,7",
    "awf-d",
    "awf-e",
    "af",
    "af,20",
    "af,9223372036854775807",
    "maf",
    "maf:min=3",
    "aid",
    "aid,5",
    "aid:ratio=0",
    "aid:ratio=1",
    "aid:chunk=2,ratio=0.5,min=7",
    "rate",
    "rate,30",
    "rate,9223372036854775807",
    "afs",
    "lds",
    "lds,4",
    "afs,4",
    "steal",
    "steal,7",
    "steal,9223372036854775807",
    "steal:chunk=3,min=8",
    "auto",
    "auto,12",
    "binlpt",
    "binlpt,5",
    "binlpt:min=4",
    "lpt",
    "lpt:min=3",
    "ich",
    "ich,10",
    "fsc",
    "fsc:sigma=0,overhead=5",
    "fsc:sigma=5,overhead=0",
    "fsc:sigma=1e18,overhead=1e-3",
    "fsc:sigma=1e-9,overhead=1e18",
    "mfsc",
    "mfsc,30",
    "tap",
    "tap:mu=100,sigma=0",
    "tap:mu=1,sigma=1e18,alpha=1e6",
    "tap:alpha=0",
    "tap:min=5,mu=10,sigma=30,alpha=3",
    "bold",
    "bold:mu=100,sigma=0,overhead=0",
    "bold:mu=100,sigma=0,overhead=100",
    "bold:mu=100,sigma=30,overhead=0",
    "bold:mu=0.001,sigma=1e18,overhead=1e18",
    "bold:mu=1e18,sigma=1,overhead=1e-3",
    "bold:min=10,mu=100,sigma=100,overhead=1000",
    "fiss",
    "fiss:stages=2",
    "fiss:stages=1000000",
    "fiss:stages=5,min=12",
    "viss",
    "viss:stages=2",
    "viss:stages=1000000",
    "viss:stages=4,min=12",
    "pls",
    "pls:ratio=0",
    "pls:ratio=1",
    "pls:ratio=0.9,min=4",
    "rnd",
    "rnd:seed=0",
    "rnd:seed=18446744073709551615",
    "rnd:seed=7,min=20",
    NULL,
};

struct keel_spec specs_read(const char *text)
{
    struct keel_spec spec;
    char problem[KEEL_PROBLEM_MAX];

    if (keel_spec_read(text, strlen(text), &spec, problem) != KEEL_SPEC_GOOD) {
        fail_msg("%s: %s", text, problem);
    }
    unsigned missing = keel_spec_unmeasured(&spec);
    spec.given |= missing;
    spec.value[KEEL_MU].real = missing & KEEL_BIT(KEEL_MU) ? 100 : spec.value[KEEL_MU].real;
    spec.value[KEEL_SIGMA].real = missing & KEEL_BIT(KEEL_SIGMA) ? 50 : spec.value[KEEL_SIGMA].real;
    spec.value[KEEL_OVERHEAD].real =
        missing & KEEL_BIT(KEEL_OVERHEAD) ? 200 : spec.value[KEEL_OVERHEAD].real;
    return spec;
}

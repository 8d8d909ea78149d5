/* Feeds spec_fuzz with specs. */
#include "tests/fuzz/driver.h"

static const char *const seeds[] = {
    "static,7",
    "ss,5",
    "tss,100,10",
    "fac2,16",
    "fac:mu=100,sigma=30",
    "af,20",
    "aid:chunk=2,ratio=0.5,min=7",
    "rate,30",
    "afs",
    "steal:chunk=3,min=8",
    "tap:mu=1,sigma=1e18,alpha=1e6",
    "bold:min=10,mu=100,sigma=100,overhead=1000",
    "fiss:stages=1000000",
    "viss:stages=4,min=12",
    "pls:ratio=0.9,min=4",
    "rnd:seed=18446744073709551615",
    "monotonic:gss,4",
    "nonmonotonic : Static , 4 ",
    "gss,abc",
    "fac:sigm=1,mu=2",
    "tss,9223372036854775807,9223372036854775807",
    "gsx",
    "",
    ",:=",
};

static const char *const pieces[] = {
    "", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", ".", ",", ":", "=", "e", "-", " ",
};

const struct fuzz_texts fuzz_texts = {
    .seeds = seeds,
    .seed_count = sizeof seeds / sizeof seeds[0],
    .pieces = pieces,
    .piece_count = sizeof pieces / sizeof pieces[0],
    .separators = ",:= ",
    .text_max = 96,
    .edits_max = 6,
};

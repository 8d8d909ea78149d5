/* Feeds variables_fuzz with values of each variable. The first byte of a seed tells the variable,
 * as its place in the tables: '0' stands for 48, which is a variable, too. */
#include "tests/fuzz/driver.h"

#define VALUES(byte)                                                                    \
    byte "16", byte "gss; mandel.c:42=fac2,8; render=libgomp", byte "dynamic,guided",   \
        byte "1,2,0.5", byte "replace:/tmp/m", byte "trace.json,1000", byte "r%p.json", \
        byte "seed=7,others=one,folder=/x", byte "rate-local:period=3", byte "wait"

static const char *const seeds[] = {
    VALUES("\x01"), VALUES("\x02"), VALUES("\x03"), VALUES("\x04"), VALUES("\x05"), VALUES("\x06"),
    VALUES("\x07"), VALUES("\x08"), VALUES("\x09"), VALUES("\x0a"), VALUES("\x0b"), VALUES("\x0c"),
    VALUES("\x0d"), VALUES("\x0e"), VALUES("\x0f"), VALUES("\x10"), VALUES("\x11"), VALUES("\x12"),
    VALUES("\x13"), VALUES("\x14"), VALUES("\x15"), VALUES("\x16"), VALUES("\x17"), VALUES("\x18"),
};

static const char *const pieces[] = {
    ",",
    ";",
    ":",
    "=",
    "0",
    "-1",
    "1e9",
    "1e400",
    "nan",
    "inf",
    "-0.0",
    " ",
    "\xff",
    "18446744073709551616",
    "auto",
    "fac2",
    "libgomp",
    "grain=64",
    "min=3",
    "f=",
    "a.c:1=",
    ".json",
    ",1",
    "replace:",
    "seed=",
    "folder=",
    "%p",
    "steal:grain=64",
    "1e-320",
    "wf2",
    "mu=1,sigma=2",
    "random",
    "tree",
};

int main(int count, char **arguments)
{
    static const struct fuzz_texts texts = {
        .seeds = seeds,
        .seed_count = sizeof seeds / sizeof seeds[0],
        .pieces = pieces,
        .piece_count = sizeof pieces / sizeof pieces[0],
        .separators = ",:;= ",
        .text_max = 256,
        .edits_max = 4,
    };

    return fuzz_drive(&texts, count, arguments);
}

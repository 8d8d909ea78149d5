/* Where Keel goes in LD_PRELOAD. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "omp_ext/command/programs/programs.h"
#include "tests/support/unit.h"

static void check(const char *list, const char *wanted)
{
    char *got = keel_preload_list(list, "/k/libkeel.so");

    assert_string_equal(got, wanted);
    free(got);
}

TEST(keel_stands_alone_in_an_empty_list)
{
    check(NULL, "/k/libkeel.so");
}

TEST(keel_follows_other_libraries)
{
    check("/usr/lib/libasan.so.8", "/usr/lib/libasan.so.8:/k/libkeel.so");
    check("a.so b.so", "a.so b.so:/k/libkeel.so");
    check("a.so:", "a.so:/k/libkeel.so");
    check("/x/libgomp.so/a.so", "/x/libgomp.so/a.so:/k/libkeel.so");
    check("notlibgomp.so", "notlibgomp.so:/k/libkeel.so");
}

TEST(keel_precedes_every_libgomp)
{
    check("libgomp.so.1", "/k/libkeel.so:libgomp.so.1");
    check("a.so:/usr/lib/libgomp.so.1", "a.so:/k/libkeel.so:/usr/lib/libgomp.so.1");
    check("a.so libgomp.so.1 b.so", "a.so /k/libkeel.so:libgomp.so.1 b.so");
    check("libgomp.so.1:/x/libgomp.so.1", "/k/libkeel.so:libgomp.so.1:/x/libgomp.so.1");
}

TEST(keel_is_not_added_twice)
{
    check("/k/libkeel.so", "/k/libkeel.so");
    check("a.so:/k/libkeel.so:b.so", "a.so:/k/libkeel.so:b.so");
    check("/k/libkeel.so.old", "/k/libkeel.so.old:/k/libkeel.so");
}

/* Where Keel goes in LD_PRELOAD. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "omp_ext/command/programs/programs.h"

static void check(const char *list, const char *wanted)
{
    char *got = keel_preload_list(list, "/k/libkeel.so");

    assert_string_equal(got, wanted);
    free(got);
}

static void keel_stands_alone_in_an_empty_list(void **state)
{
    (void)state;
    check(NULL, "/k/libkeel.so");
}

static void keel_follows_other_libraries(void **state)
{
    (void)state;
    check("/usr/lib/libasan.so.8", "/usr/lib/libasan.so.8:/k/libkeel.so");
    check("a.so b.so", "a.so b.so:/k/libkeel.so");
    check("a.so:", "a.so:/k/libkeel.so");
    check("/x/libgomp.so/a.so", "/x/libgomp.so/a.so:/k/libkeel.so");
    check("notlibgomp.so", "notlibgomp.so:/k/libkeel.so");
}

static void keel_precedes_every_libgomp(void **state)
{
    (void)state;
    check("libgomp.so.1", "/k/libkeel.so:libgomp.so.1");
    check("a.so:/usr/lib/libgomp.so.1", "a.so:/k/libkeel.so:/usr/lib/libgomp.so.1");
    check("a.so libgomp.so.1 b.so", "a.so /k/libkeel.so:libgomp.so.1 b.so");
    check("libgomp.so.1:/x/libgomp.so.1", "/k/libkeel.so:libgomp.so.1:/x/libgomp.so.1");
}

static void keel_is_not_added_twice(void **state)
{
    (void)state;
    check("/k/libkeel.so", "/k/libkeel.so");
    check("a.so:/k/libkeel.so:b.so", "a.so:/k/libkeel.so:b.so");
    check("/k/libkeel.so.old", "/k/libkeel.so.old:/k/libkeel.so");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keel_stands_alone_in_an_empty_list),
        cmocka_unit_test(keel_follows_other_libraries),
        cmocka_unit_test(keel_precedes_every_libgomp),
        cmocka_unit_test(keel_is_not_added_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Names of loop sites: of the functions around a loop, the one that people write. */
#include <stddef.h>
#include <stdio.h>

#include "omp_ext/site/site.h"
#include "tests/support/unit.h"

static const char *name_of(unsigned count, const char *const *name)
{
    static struct keel_source source;

    source = (struct keel_source){.name_count = count};
    for (unsigned i = 0; i < count; i++) {
        snprintf(source.names[i], sizeof source.names[i], "%s", name[i]);
    }
    return keel_site_function(&source);
}

TEST(symbols_give_way_to_names)
{
    assert_string_equal(name_of(2, (const char *[]){"_ZN2ns6renderEv", "ns::render"}),
                        "ns::render");
    assert_string_equal(name_of(2, (const char *[]){"__grid_MOD_sweep", "sweep"}), "sweep");
    assert_string_equal(name_of(3, (const char *[]){"_Z4workv", "__x", "main"}), "main");
}

TEST(the_innermost_name_is_taken)
{
    assert_string_equal(name_of(2, (const char *[]){"render", "main"}), "render");
    assert_string_equal(name_of(2, (const char *[]){"_render", "main"}), "_render");
    assert_string_equal(name_of(2, (const char *[]){"render", "_Z4workv"}), "render");
}

TEST(a_symbol_is_better_than_nothing)
{
    assert_string_equal(name_of(2, (const char *[]){"_Z4workv", "__y"}), "_Z4workv");
    assert_string_equal(name_of(1, (const char *[]){"__grid_MOD_sweep"}), "__grid_MOD_sweep");
    assert_string_equal(name_of(0, NULL), "");
}

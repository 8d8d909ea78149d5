/* Addresses are traced back to the file they come from, by a name that is the same in every run. */
#define _GNU_SOURCE
#include "omp_ext/machine/module.h"
#include "tests/support/unit.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <stdio.h>
#include <string.h>

static void *load(const char *name)
{
    char path[200];
    void *handle;

    snprintf(path, sizeof path, "./tests/omp_ext/machine/%s", name);
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        print_error("%s\n", dlerror());
    }
    assert_non_null(handle);
    return handle;
}

static struct keel_module module_of(const void *address)
{
    struct keel_module module;

    memset(&module, 'x', sizeof module);
    assert_true(keel_module_of(address, &module));
    assert_non_null(memchr(module.name, '\0', sizeof module.name));
    return module;
}

/* The module of a library's symbol; its base is the dynamic linker's. */
static struct keel_module module_in(void *handle, const char *symbol)
{
    struct link_map *map;
    struct keel_module module = module_of(dlsym(handle, symbol));

    assert_int_equal(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
    assert_true(module.base == map->l_addr);
    return module;
}

TEST(the_program_has_one_module)
{
    static int data;
    struct keel_module code = module_of((const void *)module_of);
    struct keel_module variable = module_of(&data);
    Dl_info info;

    assert_true(dladdr((const void *)&data, &info) != 0);
    assert_string_equal(code.name, variable.name);
    assert_true(code.base == variable.base);
    /* an executable at a fixed address counts from 0 */
    assert_true(code.base == 0 || code.base == (uintptr_t)info.dli_fbase);
    assert_true(code.name[0] != '\0');
}

TEST(libraries_are_known_by_their_build_id)
{
    void *handle = load("anchor_with_id.so");
    struct keel_module function = module_in(handle, "anchor");
    struct keel_module variable = module_in(handle, "anchored");

    assert_string_equal(function.name, "0123456789abcdef0123456789abcdef01234567");
    assert_string_equal(variable.name, function.name);
    assert_string_not_equal(function.name, module_of((const void *)module_of).name);
    dlclose(handle);
}

TEST(without_a_build_id_their_name_and_size_serve)
{
    void *handle = load("anchor_without_id.so");
    struct keel_module module = module_in(handle, "anchor");
    unsigned long size = 0;
    int end = 0;

    assert_int_equal(sscanf(module.name, "anchor_without_id.so:%lu%n", &size, &end), 1);
    assert_int_equal(module.name[end], '\0');
    assert_in_range((uintptr_t)dlsym(handle, "anchored"), module.base, module.base + size - 1);
    assert_in_range(size, 1000, 100000);
    dlclose(handle);
}

TEST(notes_may_be_aligned_to_eight_bytes)
{
    void *handle = load("anchor_eight_aligned.so");

    assert_string_equal(module_in(handle, "anchor").name, "abcdef012345");
    dlclose(handle);
}

TEST(other_addresses_are_in_no_module)
{
    struct keel_module module;
    int local = 0;
    char *heap = test_malloc(100);
    char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(page, MAP_FAILED);
    assert_false(keel_module_of(NULL, &module));
    assert_false(keel_module_of((const void *)UINTPTR_MAX, &module));
    assert_false(keel_module_of(&local, &module));
    assert_false(keel_module_of(heap, &module));
    assert_false(keel_module_of(page, &module));
    munmap(page, 4096);
    test_free(heap);
}

TEST(unloaded_addresses_are_in_no_module)
{
    void *handle = load("anchor_without_id.so");
    const void *address = dlsym(handle, "anchor");
    struct keel_module module;

    assert_true(keel_module_of(address, &module));
    dlclose(handle);
    assert_false(keel_module_of(address, &module));
}

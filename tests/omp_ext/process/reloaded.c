/* reloaded FILE...: loads, runs and unloads shared objects in turn, each of which comes to where
 * the first one was. Compiled with -DPART=NAME, it is such an object, whose loop is in a function
 * of that name. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/check.h"

#ifdef PART

__attribute__((noinline)) static void PART(struct marks *marks)
{
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 100; i++) {
        marks_hit(marks, (uint64_t)i);
    }
}

int part_run(void)
{
    struct marks marks;

    check_any_order = true;
    marks_begin(&marks, 100);
    PART(&marks);
    marks_end(&marks, "loop");
    return (int)check_failures;
}

#else

static uintptr_t load_and_run(const char *file)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *symbol = handle != NULL ? dlsym(handle, "part_run") : NULL;
    int (*run)(void);

    CHECK(symbol != NULL, "%s", dlerror());
    if (symbol != NULL) {
        memcpy(&run, &symbol, sizeof run);
        CHECK(run() == 0, "%s", file);
        dlclose(handle);
        CHECK(dlopen(file, RTLD_NOW | RTLD_NOLOAD) == NULL, "%s stays loaded", file);
    }
    return (uintptr_t)symbol;
}

int main(int argc, char **argv)
{
    uintptr_t first = 0;

    for (int i = 1; i < argc; i++) {
        uintptr_t address = load_and_run(argv[i]);
        first = i == 1 ? address : first;
        CHECK(address == first, "%s is not where the first one was", argv[i]);
    }
    return check_status();
}

#endif

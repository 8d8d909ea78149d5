/* reloaded ROUNDS FILE...: loads, runs and unloads shared objects in turn, each of which, in a
 * single round, comes to where the first one was. Compiled with -DPART=NAME, it is such an object,
 * whose loop is in a function of that name. */
#include <dlfcn.h>

#include "tests/support/checks.h"

#ifdef PART

__attribute__((noinline)) static void PART(struct marks *marks, int threads)
{
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (int i = 0; i < 100; i++) {
        marks_hit(marks, (uint64_t)i);
    }
}

int part_run(int threads)
{
    struct marks marks;

    check_any_order = true;
    marks_begin(&marks, 100);
    PART(&marks, threads);
    marks_end(&marks, "loop");
    return (int)check_failures;
}

#else

static uintptr_t load_and_run(const char *file, int threads)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *symbol = handle != NULL ? dlsym(handle, "part_run") : NULL;
    int (*run)(int);

    CHECK(symbol != NULL, "%s", dlerror());
    if (symbol != NULL) {
        memcpy(&run, &symbol, sizeof run);
        CHECK(run(threads) == 0, "%s", file);
        dlclose(handle);
        CHECK(dlopen(file, RTLD_NOW | RTLD_NOLOAD) == NULL, "%s stays loaded", file);
    }
    return (uintptr_t)symbol;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 0;
    uintptr_t first = 0;

    for (int k = 0; k < rounds; k++) {
        for (int i = 2; i < argc; i++) {
            uintptr_t address = load_and_run(argv[i], 2 + k % 2);
            first = first == 0 ? address : first;
            CHECK(rounds > 1 || address == first, "%s is not where the first one was", argv[i]);
        }
    }
    return check_status();
}

#endif

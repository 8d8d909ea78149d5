/* Loads, runs and unloads shared objects in turn, so that one comes where another was:
 * unloaded FILE... . Compiled with -DPART, it is such an object. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/check.h"

#ifdef PART

int part_run(int threads)
{
    struct marks marks, separate;

    check_any_order = true;
    marks_begin(&marks, 200 + PART);
    marks_begin(&separate, 100);
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (int i = 0; i < 200 + PART; i++) {
        marks_hit(&marks, (uint64_t)i);
    }
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(runtime)
        for (int i = 0; i < 100; i++) {
            marks_hit(&separate, (uint64_t)i);
        }
    }
    marks_end(&marks, "combined");
    marks_end(&separate, "separate");
    return (int)check_failures;
}

#else

enum { ROUNDS = 50 };

static void load_and_run(const char *file, int threads)
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
}

int main(int argc, char **argv)
{
    for (int k = 0; k < ROUNDS; k++) {
        for (int i = 1; i < argc; i++) {
            load_and_run(argv[i], 2 + k % 2);
        }
    }
    return check_status();
}

#endif

/* A program that is compiled in several ways by late_libgomp_test: loops FILE... loads each FILE
 * and runs its extension_run if it has one, between loops of its own, and prints `fine`. With
 * WITH_KEEL it is linked with libkeel.so and prints its schedule first. */
#include <dlfcn.h>

#ifdef WITH_KEEL
#include "omp_ext/include/keel.h"
#endif
#include "tests/support/checks.h"

static void own_loops(void)
{
    struct marks combined = marks_of(150), separate = marks_of(90);

    MARKED_LOOP("omp parallel for schedule(runtime) num_threads(3)", combined, int, 150)
#pragma omp parallel num_threads(3)
        {MARKED_LOOP("omp for schedule(runtime)", separate, unsigned long long, 90)} marks_end(
            &combined, "combined");
    marks_end(&separate, "separate");
}

int main(int argc, char **argv)
{
#ifdef WITH_KEEL
    char text[100];
    keel_get_schedule(text, sizeof text);
    puts(text);
#endif
    own_loops();
    for (int i = 1; i < argc; i++) {
        void *handle = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        CHECK(handle != NULL, "%s", dlerror());
        void *symbol = handle != NULL ? dlsym(handle, "extension_run") : NULL;
        int (*run)(void) = NULL;
        memcpy(&run, &symbol, sizeof run);
        CHECK(run == NULL || run() == 0, "the extension fails");
        own_loops();
    }
    if (check_failures == 0) {
        puts("fine");
    }
    return check_status();
}

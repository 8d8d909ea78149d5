/* Uses the thread-local storage up that the dynamic loader keeps for libraries which come late,
 * then loads libkeel.so, by its path: it is refused in words, or fits; loops are right in any case.
 *
 *   static_tls LIBKEEL LIBRARY...     each library takes some of that storage */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "tests/support/checks.h"

static void loop(void)
{
    struct marks marks = marks_of(500);

    MARKED_LOOP("omp parallel for schedule(runtime)", marks, int, 500)
    marks_end(&marks, "with libkeel.so or without");
}

int main(int count, char **arguments)
{
    int taken = 0;

    while (taken < count - 2 && dlopen(arguments[2 + taken], RTLD_NOW) != NULL) {
        taken++;
    }
    CHECK(taken < count - 2, "there is more thread-local storage than %d libraries take", taken);
    dlerror();
    void *keel = dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL);
    const char *reason = keel == NULL ? dlerror() : "";
    printf("%s\n", keel != NULL ? "loaded" : reason != NULL ? reason : "refused without a word");
    check_any_order = true;
    loop();
    return check_status();
}

/* prove FILE...: prints for each region of the files that has a symbol whether its loop can be
 * taken, or why not. */
#include <stdio.h>

#include "omp_ext/shares/shares.h"

static void print(const char *name, const struct keel_shares_verdict *verdict, void *context)
{
    (void)context;
    if (verdict->why == NULL) {
        printf("%s: taken\n", name);
    } else {
        printf("%s: refused: %s, at %s\n", name, verdict->why, verdict->where);
    }
}

int main(int count, char **files)
{
    for (int i = 1; i < count; i++) {
        if (keel_shares_list(files[i], print, NULL) < 0) {
            fprintf(stderr, "prove: %s: no program or library of this machine\n", files[i]);
            return 1;
        }
    }
    return 0;
}

/* How far a comparison is. */
#include "omp_ext/command/compare/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "omp_ext/support/message.h"

#define NAME_MAX_SHOWN 30

struct keel_progress keel_progress_begin(void)
{
    return (struct keel_progress){.terminal = isatty(STDERR_FILENO) == 1};
}

void keel_progress_round(struct keel_progress *progress, size_t round, double left_s)
{
    left_s = left_s > 0 ? left_s : 0;
    if (progress->terminal) {
        return;
    }
    if (round == 0) {
        keel_message("warming up, each schedule once; at most %.0f s are left", left_s);
    } else {
        keel_message("round %zu; at most %.0f s are left", round, left_s);
    }
}

void keel_progress_run(struct keel_progress *progress, size_t round, size_t run, size_t runs,
                       const char *candidate, double left_s)
{
    char where[32] = "warming up";

    if (!progress->terminal) {
        return;
    }
    if (round > 0) {
        snprintf(where, sizeof where, "round %zu", round);
    }
    fprintf(stderr, "\r\033[K%s, %zu of %zu: %.*s; at most %.0f s left", where, run, runs,
            NAME_MAX_SHOWN, candidate, left_s > 0 ? left_s : 0);
    fflush(stderr);
    progress->shown = true;
}

void keel_progress_end(struct keel_progress *progress)
{
    if (progress->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    progress->shown = false;
}

/* Keel's interface for programs, and OpenMP's own call that it has to know about. */
#include <stdio.h>
#include <string.h>

#include "omp_ext/entry.h"
#include "omp_ext/keel.h"
#include "omp_ext/loop.h"
#include "schedules/loop/spec.h"

static _Thread_local char problem[KEEL_PROBLEM_MAX];

static int note(const struct keel_policy *asked)
{
    keel_thread.asked = asked;
    if (asked != NULL) {
        atomic_store(&keel_activity, KEEL_ON);
    }
    return asked != NULL && keel_settings()->choices.standard != NULL ? KEEL_OVERRULED : KEEL_OK;
}

KEEL_ENTRY int keel_set_schedule(const char *schedule)
{
    bool mended;

    problem[0] = '\0';
    if (schedule == NULL) {
        return note(NULL);
    }
    const struct keel_policy *policy =
        keel_policy_read(schedule, strlen(schedule), keel_settings()->min_chunk, &mended, problem);
    if (policy == NULL) {
        return mended ? KEEL_NO_ROOM : KEEL_UNREADABLE;
    }
    return mended ? KEEL_UNREADABLE : note(policy);
}

KEEL_ENTRY int keel_get_schedule(char *text, size_t size)
{
    const struct keel_policy *policy = keel_loop_standard();

    return keel_policy_write(policy != NULL ? policy : &keel_policy_libgomp, text, size);
}

KEEL_ENTRY const char *keel_problem(void)
{
    return problem;
}

KEEL_ENTRY const char *keel_version(void)
{
    return KEEL_VERSION;
}

/* --- omp_set_schedule --- */

/* A program that sets libgomp's schedule means it: OMP_SCHEDULE and keel_set_schedule() no longer
 * hold for this thread. KEEL_SCHEDULE does. */
static void libgomp_was_asked(void)
{
    if (keel_loop_active()) {
        keel_thread.asked = &keel_policy_libgomp;
    }
}

KEEL_ENTRY void omp_set_schedule(int kind, int chunk)
{
    libgomp_was_asked();
    keel_libgomp(KEEL_CALLER)->omp_set_schedule(kind, chunk);
}

KEEL_ENTRY void omp_set_schedule_(const int32_t *kind, const int32_t *chunk)
{
    libgomp_was_asked();
    keel_libgomp(KEEL_CALLER)->omp_set_schedule_(kind, chunk);
}

KEEL_ENTRY void omp_set_schedule_8_(const int32_t *kind, const int64_t *chunk)
{
    libgomp_was_asked();
    keel_libgomp(KEEL_CALLER)->omp_set_schedule_8_(kind, chunk);
}

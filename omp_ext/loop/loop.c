/* The state of a thread's loop, and its end. */
#include "omp_ext/loop/loop.h"

#include "omp_ext/loop/modes.h"
#include "omp_ext/site/site.h"

/* Aligned so that libkeel.so moves the thread-local data of the libraries behind it by whole cache
 * lines. libgomp's threads write into each other's, and a loop start takes a tenth longer where
 * they lie across one line more. */
_Alignas(64) _Thread_local struct keel_thread keel_thread
    __attribute__((tls_model("initial-exec")));

/* The state of the region that the thread is in. Outside of every region that Keel has seen, the
 * thread has one for good. */
static struct keel_loop *current_loop(void)
{
    static _Thread_local struct keel_loop outermost;

    if (keel_thread.loop == NULL) {
        keel_thread.loop = &outermost;
    }
    return keel_thread.loop;
}

/* The team is the same for all loops of a region, so libgomp is asked once. */
static void find_team(struct keel_loop *loop, const struct keel_libgomp *libgomp)
{
    if (loop->threads == 0 || loop->libgomp != libgomp) {
        loop->libgomp = libgomp;
        loop->threads = (uint32_t)libgomp->omp_get_num_threads();
        loop->thread = (uint32_t)libgomp->omp_get_thread_num();
    }
}

struct keel_loop *keel_loop_of_team(const struct keel_libgomp *libgomp)
{
    struct keel_loop *loop = current_loop();

    find_team(loop, libgomp);
    return loop;
}

struct keel_loop *keel_loop_begin(const struct keel_libgomp *libgomp,
                                  const struct keel_space *space)
{
    struct keel_loop *loop = current_loop();

    keel_loop_close(loop);
    find_team(loop, libgomp);
    keel_loop_needs_keel();
    loop->space = *space;
    loop->without_libgomp = false;
    loop->chunk_start = 0;
    loop->measurement = NULL;
    return loop;
}

bool keel_loop_team_known(const struct keel_libgomp *libgomp)
{
    return (keel_thread.loop != NULL && !keel_thread.loop->before_activity) ||
           (keel_thread.passed_on == 0 && libgomp->omp_get_num_threads() == 1);
}

/* --- the end --- */

/* Once for each instance. */
static void report_costs(struct keel_loop *loop)
{
    keel_measurement_add(loop->measurement, &loop->cost, loop->space.units, loop->threads, 0);
    loop->measurement = NULL;
}

bool keel_loop_finish(struct keel_loop *loop)
{
    if (loop->mode == KEEL_LOOP_LEARNING) {
        keel_learning_finish(loop);
    }
    if (loop->measurement != NULL && loop->mode != KEEL_LOOP_ADAPTIVE) {
        report_costs(loop);
    }
    loop->finished = true;
    keel_loop_close(loop);
    return false;
}

void keel_loop_close(struct keel_loop *loop)
{
    if (__builtin_expect(loop->mode == KEEL_LOOP_INSTRUMENTED, 0)) {
        loop->mode = loop->own_mode; /* left before its end, or its last `next` did not come */
    }
    if (loop->shared_state != NULL) {
        keel_adaptive_leave(loop);
    }
    if (loop->kept != NULL) {
        keel_plan_cache_release(loop->kept);
        loop->kept = NULL;
    }
    if (__builtin_expect(loop->mode == KEEL_LOOP_LENT, 0)) {
        keel_lent_loop_leave(loop);
    }
    loop->mode = KEEL_LOOP_LIBGOMP;
}

void keel_loop_pass_to_libgomp(void)
{
    if (keel_thread.loop != NULL) {
        keel_loop_close(keel_thread.loop);
        keel_thread.loop->without_libgomp = false;
    }
}

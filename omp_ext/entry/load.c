/* What libkeel.so does when it is loaded: end what libkeel_early.so began, see
 * settings/settings.h, and note which process it is; and what it does when the program ends. */
#include <stdatomic.h>
#include <stdlib.h>

#include "omp_ext/explain/live_report.h"
#include "omp_ext/gomp/libgomp.h"
#include "omp_ext/recorder/recorder.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/site/site.h"
#include "omp_ext/trace/trace_writer.h"

/* Once, whatever ends the program. */
static void report_all(bool quickly)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&told)) {
        keel_libgomp_check_order(true);
        keel_live_report(quickly);
        keel_trace_writer_end(quickly);
        keel_slow_lock();
        keel_save_sites();
        keel_slow_unlock();
    }
}

static void report_quickly(void)
{
    report_all(true);
}

/* quick_exit() calls functions in the reverse order: the program's come first, and may run loops.
 */
__attribute__((constructor)) static void loaded(void)
{
    keel_hidden_omp_schedule_restore();
    keel_remember_begin();
    keel_recorder_begin();
    keel_trace_writer_loaded();
    at_quick_exit(report_quickly);
    keel_libgomp_check_order(false);
}

__attribute__((destructor)) static void unloaded(void)
{
    report_all(false);
}

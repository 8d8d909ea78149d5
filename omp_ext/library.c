/* What libkeel.so does when it is loaded: end what libkeel_early.so began, see early.h, and note
 * which process it is; and what it does when the program ends. */
#include "omp_ext/early.h"
#include "omp_ext/explain.h"
#include "omp_ext/remember.h"
#include "omp_ext/trace.h"

__attribute__((constructor)) static void loaded(void)
{
    keel_early_restore();
    keel_remember_begin();
    keel_trace_begin();
}

__attribute__((destructor)) static void unloaded(void)
{
    keel_explain();
    keel_trace_write();
    keel_slow_lock();
    keel_remember_save();
    keel_slow_unlock();
}

/* The counter of this processor is the clock, at the rate of the kernel's; waiting goes on. */
#include "omp_ext/machine/clock.h"
#include "omp_ext/machine/pause.h"
#include "tests/support/checks.h"

#define SPAN_NS 20000000u
#define TOLERANCE 0.05

/* However long the thread is kept off its core, the span lies between the kernel's. */
static void check_span(void)
{
    uint64_t outer = keel_clock_ns(), from = keel_clock_ticks(), inner = keel_clock_ns(), now;

    while ((now = keel_clock_ns()) - inner < SPAN_NS) {
        keel_pause();
    }
    double span_ns = keel_clock_span_ns(from, keel_clock_ticks());
    double most_ns = (double)(keel_clock_ns() - outer), least_ns = (double)(now - inner);

    CHECK(span_ns > least_ns * (1 - TOLERANCE), "span of %g ns, of at least %g", span_ns, least_ns);
    CHECK(span_ns < most_ns * (1 + TOLERANCE), "span of %g ns, of at most %g", span_ns, most_ns);
}

int main(void)
{
    uint64_t before = keel_clock_counter(), ticks = keel_clock_ticks();

    CHECK(atomic_load(&keel_clock.source) == KEEL_CLOCK_COUNTER, "the counter is not the clock");
    CHECK(before > 0 && before <= ticks && ticks <= keel_clock_counter(), "it goes back");
    for (int i = 0; i < 10; i++) {
        check_span();
    }
    return check_status();
}

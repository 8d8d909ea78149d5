/* A program with more loops than the 4096 that Keel keeps notes about, under schedules that have
 * to be measured at each. 5000 loops stand for it that differ in nothing but the address of
 * their body. */
#include <stdbool.h>

#include "tests/support/counted_memory.h"
#include "tests/support/schedules.h"

#ifdef __x86_64__

enum { SITES = 5000, ITERATIONS = 40, JUMP = 5 /* bytes of a jump with a 32-bit distance */ };

extern void GOMP_parallel_loop_runtime(void (*)(void *), void *, unsigned, long, long, long,
                                       unsigned);
extern bool GOMP_loop_runtime_next(long *, long *);
extern void GOMP_loop_end_nowait(void);

extern char many_sites_body[];

__asm__(".text\n"
        ".globl many_sites_body\n"
        "many_sites_body:\n"
        ".rept 5000\n"
        ".byte 0xe9\n"
        ".long run_body - . - 4\n"
        ".endr\n");

__attribute__((used)) static void run_body(void *marks) __asm__("run_body");

static void run_body(void *marks)
{
    long start, end;

    while (GOMP_loop_runtime_next(&start, &end)) {
        for (long i = start; i < end; i++) {
            marks_hit(marks, (uint64_t)i);
        }
    }
    GOMP_loop_end_nowait();
}

static void run_site(unsigned site)
{
    struct marks marks = marks_of(ITERATIONS);
    void (*body)(void *) = (void (*)(void *))(many_sites_body + site * JUMP);

    GOMP_parallel_loop_runtime(body, &marks, 2, 0, ITERATIONS, 1, 0);
    marks_end(&marks, "one of many loops");
}

int main(void)
{
    static const char *const measured[] = {"fac", "fsc", "tap", "bold", "rate", "auto", "af"};

    /* by day three of them */
    for (unsigned i = 0; i < COUNT(measured); i += check_nightly() ? 1 : 3) {
        long before = 0;
        set_schedule(measured[i]);
        snprintf(check_context, sizeof check_context, ", %s", measured[i]);
        for (unsigned site = 0; site < SITES; site++) {
            if (site == 4200) {
                before = in_use();
            }
            run_site(site);
        }
        long grown = in_use() - before;
        CHECK(grown < 50000, "%ld bytes more after 800 loops", grown);
        for (unsigned site = 0; site < SITES; site++) {
            run_site(site);
        }
    }
    return check_status();
}

#else

int main(void)
{
    return 77;
}

#endif

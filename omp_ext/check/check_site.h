/* What `keel check` knows of each loop of the program, and what it is told.
 *
 *   keel check -> folder/active, folder/barriers -> [loops by name] -> folder/report -> keel check
 *
 * Loops go by the names that people know them by ("eos.cc:53 (update)"), parallel regions by that
 * with KEEL_CHECK_REGION before it, one a line. Without a list `active` all loops run under
 * adversarial schedules, and threads come late to all regions; without `barriers` no loop gets
 * another barrier.
 * The report is appended to line by line when something is seen for the first time in a process,
 * so that it is there also when the program crashes:
 *
 *   loop TAB name TAB size of the team
 *   after TAB name TAB name          the second begins with no barrier since the first has ended
 *   region TAB name                  a parallel region
 *   reached TAB name                 and a loop in it has come to Keel
 */
#ifndef OMP_EXT_CHECK_CHECK_SITE_H
#define OMP_EXT_CHECK_CHECK_SITE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct keel_call_site;
struct keel_check_site;

#define KEEL_CHECK_BEFORE_MAX 4
#define KEEL_CHECK_REGION "parallel region "

/* A loop, or a parallel region. Never freed. Fields without a note never change. */
struct keel_check_site {
    char *name;
    uint64_t hash; /* of the name: the same in each run, wherever the program is loaded */
    bool active;   /* it runs under adversarial schedules; a region: threads come late */
    bool barrier;  /* waits at its end even if the program does not ask for that */
    atomic_bool reported, reached; /* written by who is first */
    _Atomic uint64_t instances;    /* that have begun */
    _Atomic uint32_t vain_waits;   /* in which a thread has waited in vain for the others */
    _Atomic(const struct keel_check_site *) before[KEEL_CHECK_BEFORE_MAX]; /* told in the report */
};

/* Where a thread is, as part of what is restored when it leaves a region. Its own. */
struct keel_check_thread {
    struct keel_check_site *loop;        /* that it is in */
    const struct keel_check_site *ended; /* that has ended with no barrier since; NULL: none */
    struct keel_check_site *region;
};

/* The site of a loop, or of a region that begins there; NULL: no room, or names can't be looked up
 * right now. Any thread. */
struct keel_check_site *keel_check_site(const struct keel_call_site *place, bool is_region);

/* Reports a loop and its team of `threads`, once. */
void keel_check_report_loop(struct keel_check_site *site, unsigned threads);

/* Reports that `site` begins with no barrier since `before` has ended, once. */
void keel_check_report_after(struct keel_check_site *site, const struct keel_check_site *before);

void keel_check_report_region(struct keel_check_site *region);
void keel_check_report_reached(struct keel_check_site *region);

#endif

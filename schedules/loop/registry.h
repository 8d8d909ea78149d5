/* The schedules that Keel knows. Adding one: its file, its line here and in registry.c, tests. */
#ifndef SCHEDULES_LOOP_REGISTRY_H
#define SCHEDULES_LOOP_REGISTRY_H

#include <stddef.h>

#include "schedules/loop/schedule.h"

extern const struct keel_schedule keel_schedule_static, keel_schedule_ss, keel_schedule_css;
extern const struct keel_schedule keel_schedule_gss, keel_schedule_tss, keel_schedule_tfss;
extern const struct keel_schedule keel_schedule_fac2, keel_schedule_fac, keel_schedule_wf2;
extern const struct keel_schedule keel_schedule_awf, keel_schedule_awf_b, keel_schedule_awf_c;
extern const struct keel_schedule keel_schedule_awf_d, keel_schedule_awf_e;
extern const struct keel_schedule keel_schedule_af, keel_schedule_maf, keel_schedule_aid;
extern const struct keel_schedule keel_schedule_rate, keel_schedule_rate_in_order;
extern const struct keel_schedule keel_schedule_auto;
extern const struct keel_schedule keel_schedule_afs, keel_schedule_lds, keel_schedule_steal;
extern const struct keel_schedule keel_schedule_ich;
extern const struct keel_schedule keel_schedule_binlpt, keel_schedule_lpt;
extern const struct keel_schedule keel_schedule_fsc, keel_schedule_mfsc, keel_schedule_tap;
extern const struct keel_schedule keel_schedule_bold, keel_schedule_fiss, keel_schedule_viss;
extern const struct keel_schedule keel_schedule_rnd, keel_schedule_pls;

/* All schedules in the order of `keel list`, ended by NULL. */
extern const struct keel_schedule *const keel_registry[];

/* The schedule of that name or alias (case is ignored), or NULL. */
const struct keel_schedule *keel_registry_find(const char *name, size_t length);

struct keel_nearest;

/* Considers all names and aliases. */
void keel_registry_consider_all(struct keel_nearest *nearest);

/* keel_nearest_hint() of the name or alias with the spelling nearest to `name`; lasts as long as
 * `nearest`. */
const char *keel_registry_nearest(const char *name, size_t length, struct keel_nearest *nearest);

#endif

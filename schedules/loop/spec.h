/* The parameters of schedules, one table of names, kinds, ranges and units; and specs, the text
 * form of a schedule and its parameters. */
#ifndef SCHEDULES_LOOP_SPEC_H
#define SCHEDULES_LOOP_SPEC_H

#include <stddef.h>

#include "schedules/loop/schedule.h"

enum keel_parameter_kind { KEEL_COUNT, KEEL_REAL };

struct keel_parameter_info {
    const char *name;
    enum keel_parameter_kind kind;
    union keel_value lowest, highest; /* inclusive */
    union keel_value standard;        /* value when not given; 0: see struct keel_spec */
    const char *summary;
};

/* Indexed by enum keel_parameter. */
extern const struct keel_parameter_info keel_parameters[KEEL_PARAMETERS];

/* The value of the parameter if it is not given: `standard`, or the schedule's own. */
union keel_value keel_parameter_standard(const struct keel_schedule *schedule,
                                         enum keel_parameter parameter);

/* Schedule specs: text that is read into a schedule and its parameters, and written back.
 *
 *   spec      = [modifier ":"] name { ("," | ":") parameter }
 *   parameter = value | key "=" value          values by position come before those by key
 *   modifier  = "monotonic" | "nonmonotonic"   monotonic: each thread's iterations increase;
 *                                              without it, too, under most schedules
 *
 * Examples: "gss", "fac2,16", "tss,100,10", "fac:mu=120,sigma=30", "rnd:min=4,seed=7". Blanks
 * around words are ignored. */

#define KEEL_SPEC_TEXT_MAX \
    256 /* bytes that hold any spec written by keel_spec_write, terminator included */
#define KEEL_PROBLEM_MAX 256

enum keel_spec_result {
    KEEL_SPEC_GOOD,      /* read as written */
    KEEL_SPEC_CORRECTED, /* schedule known; wrong parts have been replaced or dropped, see
                          the problem */
    KEEL_SPEC_UNKNOWN,   /* no such schedule; the spec is untouched */
};

/* Reads `length` bytes of `text`. `problem`, KEEL_PROBLEM_MAX bytes, gets the first error and the
 * value that is used instead, or "". Pure; any thread. */
enum keel_spec_result keel_spec_read(const char *text, size_t length, struct keel_spec *spec,
                                     char *problem);

/* Writes the spec in the shortest form that reads back to it: the given parameters, by key if they
 * cannot be given by position. Returns the length, as snprintf does. */
int keel_spec_write(const struct keel_spec *spec, char *text, size_t size);

/* Length of the modifier that `text` begins with, with its colon and the blanks around it; without
 * one, of the leading blanks. Needs no initialised libc. */
size_t keel_spec_modifier(const char *text, size_t length);

/* KEEL_BIT of each parameter that this schedule takes. */
unsigned keel_spec_accepts(const struct keel_schedule *schedule);

/* KEEL_BIT of each parameter that must be measured before the schedule can run. */
unsigned keel_spec_unmeasured(const struct keel_spec *spec);

/* A spec with the schedule's defaults. */
struct keel_spec keel_spec_of(const struct keel_schedule *schedule);

/* Same schedule, same parameters. */
bool keel_spec_equal(const struct keel_spec *a, const struct keel_spec *b);

#endif

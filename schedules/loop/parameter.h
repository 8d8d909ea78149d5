/* The parameters of schedules: one table of names, kinds, ranges and units. */
#ifndef SCHEDULES_LOOP_PARAMETER_H
#define SCHEDULES_LOOP_PARAMETER_H

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

/* What the parameter is when it is not given: `standard`, or what this schedule has instead. */
union keel_value keel_parameter_standard(const struct keel_schedule *schedule,
                                         enum keel_parameter parameter);

#endif

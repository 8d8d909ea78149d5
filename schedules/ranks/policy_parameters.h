/* Reading what people write of policies: their parameters.
 *
 *   policy.c, rows_policy.c -> [reading] -> values, and what was wrong with them
 *
 * Pure; any thread. */
#ifndef SCHEDULES_RANKS_POLICY_PARAMETERS_H
#define SCHEDULES_RANKS_POLICY_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>

#include "schedules/loop/schedule.h"
#include "schedules/loop/spec.h"
#include "schedules/text/text.h"

/* A parameter of some policies. */
struct keel_reading_parameter {
    const char *name;
    unsigned policies; /* KEEL_BIT of each policy that takes it */
    unsigned first;    /* of each that takes it by position */
    /* Sets it in what is being read. False: `word` is not `holds`. */
    bool (*set)(void *into, const char *word);
    const char *holds;   /* what it may be: "a number from 0 to 1" */
    const char *instead; /* what happens where it is not that, or not given: "using 1" */
    const char *meaning;
};

/* A text whose policy is known. */
struct keel_reading {
    struct keel_text rest;
    const char *policy;                              /* its name */
    unsigned bit;                                    /* KEEL_BIT of it */
    const struct keel_reading_parameter *parameters; /* ended by one whose name is NULL */
    void *into;
    bool positional; /* a value by position has been read */
    unsigned given;  /* KEEL_BIT of each of `parameters` */
    char *problem;   /* the first thing that was wrong, KEEL_PROBLEM_MAX bytes */
};

/* Reads { ("," | ":") parameter } to the end of reading->rest. What is wrong is left out. */
void keel_reading_parameters(struct keel_reading *reading);

/* The same word, upper and lower case alike: those of the C locale between keel_number_enter() and
 * keel_number_leave(). */
bool keel_reading_is(struct keel_text word, const char *text);

#endif

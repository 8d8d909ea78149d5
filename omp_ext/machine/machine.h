/* What the machine costs the models: one table of costs, and the file that holds measured ones.
 *
 *   `keel model calibrate` --> file --> keel_machine_load() --> models of schedules/model/
 *
 * The file has lines `name = value` in the units of the table; '#' begins a comment. What it does
 * not tell keeps its standard value, a plausible one for a present-day machine. */
#ifndef OMP_EXT_MACHINE_MACHINE_H
#define OMP_EXT_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "schedules/forecast/predict.h"

/* In the order of keel_machine_costs. */
enum keel_machine_cost {
    KEEL_MACHINE_MESSAGE_STARTUP,
    KEEL_MACHINE_MESSAGE_BYTE,
    KEEL_MACHINE_POLL,
    KEEL_MACHINE_PACK_ROW,
    KEEL_MACHINE_PACK_BYTE,
    KEEL_MACHINE_UNPACK_ROW,
    KEEL_MACHINE_UNPACK_BYTE,
    KEEL_MACHINE_CONTEXT_SWITCH,
    KEEL_MACHINE_INTERACTION,
    KEEL_MACHINE_CLAIM_STEP,
    KEEL_MACHINE_CLAIM_OWN,
    KEEL_MACHINE_CLAIM_WEIGHTED,
    KEEL_MACHINE_CLAIM_TIMED,
    KEEL_MACHINE_CLAIM_START,
    KEEL_MACHINE_COSTS /* their number */
};

struct keel_machine_cost_info {
    const char *name;
    const char *unit; /* "s" or "s/B" */
    const char *text; /* what takes that long */
    double standard;  /* where nothing was measured */
};

extern const struct keel_machine_cost_info keel_machine_costs[KEEL_MACHINE_COSTS];

#define KEEL_MACHINE_COST_MAX 1e3 /* highest value of a cost; the lowest is 0 */

struct keel_machine {
    double value[KEEL_MACHINE_COSTS];
    uint32_t stated; /* bit i: value i, which is not the standard one */
};

/* Standard values. */
void keel_machine_begin(struct keel_machine *machine);

/* Takes the value of a cost from text; false: it is no number from 0 to KEEL_MACHINE_COST_MAX, and
 * nothing changes. */
bool keel_machine_set(struct keel_machine *machine, enum keel_machine_cost cost, const char *text);

/* Takes a value that is one. */
void keel_machine_state(struct keel_machine *machine, enum keel_machine_cost cost, double value);

static inline bool keel_machine_states(const struct keel_machine *machine,
                                       enum keel_machine_cost cost)
{
    return (machine->stated >> cost & 1) != 0;
}

/* The cost of that name; KEEL_MACHINE_COSTS: there is none. */
enum keel_machine_cost keel_machine_find(const char *name, size_t length);

/* keel_nearest_hint() of the known name that is nearest to an unknown one; until the next call. */
const char *keel_machine_nearest(const char *name, size_t length);

/* What claims of loops cost, as the loop model wants it. */
struct keel_claim_costs keel_machine_claim_costs(const struct keel_machine *machine);

/* $XDG_CACHE_HOME/keel/machine, or $HOME/.cache/keel/machine; false: neither is set, or the name is
 * too long. */
bool keel_machine_place(char *path, size_t size);

/* Adds what the file tells. One message says what cannot be used of it, or that it cannot be read;
 * false: nothing could be read. */
bool keel_machine_read(struct keel_machine *machine, const char *path);

/* The same from an open stream, which `name` stands for in the message. */
void keel_machine_read_stream(struct keel_machine *machine, FILE *stream, const char *name);

/* Standard values, and what the file in the standard place tells; no message where there is none.
 * Returns whether there was one. */
bool keel_machine_load(struct keel_machine *machine);

/* Writes the stated costs as lines of such a file. */
void keel_machine_print(const struct keel_machine *machine, FILE *stream);

/* Replaces the file at once, with the folders that lead to it; false: it could not, and a message
 * has told why. */
bool keel_machine_write(const struct keel_machine *machine, const char *path);

#endif

/* Events whose text is written when they are noted: names and values, members of a JSON object. */
#ifndef OMP_EXT_TRACE_TEXT_EVENT_MEMBERS_H
#define OMP_EXT_TRACE_TEXT_EVENT_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "omp_ext/trace/text/event.h"
#include "omp_ext/trace/text/json_text.h"

/* The text of one event: "name":...,"cat":...,"ph":...,"args":{...}. What has no room is left out
 * as a whole; strings are cut. */
struct keel_members {
    struct keel_json_text json;
    bool any; /* a member of args is there */
    char memory[KEEL_EVENT_TEXT_MAX];
};

/* kind: "X", "i" or "C", as the Trace Event Format has it; category NULL: none. id: a string of
 * JSON, which tells a counter from others of the name; NULL: none. */
void keel_members_begin(struct keel_members *members, const char *name, const char *category,
                        const char *kind, const char *id);

/* Members of args: strings, what is a value of JSON already, and numbers. */
void keel_members_string(struct keel_members *members, const char *name, const char *value);
void keel_members_json(struct keel_members *members, const char *name, const char *json);
void keel_members_whole(struct keel_members *members, const char *name, uint64_t value);
void keel_members_real(struct keel_members *members, const char *name, double value);

/* Nothing follows. Returns the number of bytes in members->memory. */
uint64_t keel_members_end(struct keel_members *members);

#endif

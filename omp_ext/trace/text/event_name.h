/* What the trace calls regions and loops. */
#ifndef OMP_EXT_TRACE_TEXT_EVENT_NAME_H
#define OMP_EXT_TRACE_TEXT_EVENT_NAME_H

struct keel_site;

/* Never change, and stay valid for ever. */
struct keel_event_name {
    const char *whole; /* "mandel.c:42 (render)", without commas */
    /* JSON strings, with their quotes. */
    const char *place;    /* "mandel.c:42"; without debug information as `function`, or where it
                             stands in its module */
    const char *function; /* "render"; as `place` where that is not known */
};

/* The name of a site, found the first time, which reads debug information and takes
 * keel_slow_lock; of NULL, "a loop". Any thread, without that lock. */
const struct keel_event_name *keel_event_name_of(struct keel_site *site);

#endif

/* What `keel doctor` finds in one respect. */
#ifndef OMP_EXT_COMMAND_DOCTOR_FINDING_H
#define OMP_EXT_COMMAND_DOCTOR_FINDING_H

enum keel_finding_state {
    KEEL_FINDING_WORKS,
    KEEL_FINDING_BETTER, /* works, and something could be better */
    KEEL_FINDING_ABSENT, /* is not there, and only some need it */
    KEEL_FINDING_FAILS,
};

struct keel_finding {
    enum keel_finding_state state;
    char text[1024];  /* what there is */
    char repair[512]; /* the line that repairs it or makes it better; "": there is none */
};

/* Fills `finding`; texts are cut to what has room. */
void keel_finding_set(struct keel_finding *finding, enum keel_finding_state state,
                      const char *repair, const char *text, ...)
    __attribute__((format(printf, 4, 5)));

#endif

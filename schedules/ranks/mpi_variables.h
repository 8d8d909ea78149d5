/* The environment variables of MPI jobs: one table, which yields the fields, their
 * parsing, `keel env` and the README's section. Reads no environment itself, see settings.h; no
 * MPI. */
#ifndef SCHEDULES_RANKS_MPI_VARIABLES_H
#define SCHEDULES_RANKS_MPI_VARIABLES_H

#include "schedules/ranks/policies.h"

#define KEEL_RANKS_WEIGHTS_MAX 65536
#define KEEL_RANKS_PROBLEM_MAX (KEEL_PROBLEM_MAX + 64)

/* What a rank does after waiting too long for others. */
enum keel_ranks_on_late {
    KEEL_RANKS_ON_LATE_AUTO, /* waits on, unless one of them is known to be stopped */
    KEEL_RANKS_ON_LATE_WAIT, /* waits on */
    KEEL_RANKS_ON_LATE_FAIL, /* returns an error */
    KEEL_RANKS_ON_LATE_END   /* ends those that are known to be stopped, otherwise waits on */
};

struct keel_ranks_settings {
    bool prints_common; /* prints messages that are equal on all ranks of a node; no variable */
    struct keel_ranks_schedule schedule;
    uint64_t grain;     /* of shared loops whose schedule among ranks has none; no variable of this
                       table: it is KEEL_GRAIN */
    const char *report; /* KEEL_REPORT, no variable of this table either; NULL: none is wanted */
    bool measurements;  /* KEEL_REPORT or KEEL_EXPLAIN wants measured times; as above */
    bool traces;        /* KEEL_TRACE wants a trace of libkeel.so; as above */
    bool schedule_stated;                  /* by KEEL_MPI_SCHEDULE, which has priority over
                                            keel_mpi_set_schedule() */
    unsigned weights;                      /* number of weights; 0: none set */
    double weight[KEEL_RANKS_WEIGHTS_MAX]; /* of each rank, scaled to sum `weights` */
    uint64_t poll_us;                      /* KEEL_MPI_POLL */
    double poll_ns;      /* time within which a rank answers others, iterations permitting */
    bool poll_stated;    /* by KEEL_MPI_POLL */
    bool sleeps;         /* KEEL_MPI_WAIT=sleep */
    bool progress;       /* a thread answers for a rank whose iterations are long */
    unsigned node_ranks; /* most ranks that share memory; 0: all of a machine */
    struct keel_rows_policy balance;    /* of rows */
    bool balance_stated;                /* by KEEL_MPI_BALANCE, which has priority over
                                      keel_mpi_rows_set_balance() */
    struct keel_objects_policy objects; /* of objects, by the same variable */
    bool objects_stated;                /* the name is not one of rows only */
    double deadline_s;                  /* how long ranks wait for others before a message */
    const char *trace_file;             /* of rows, without the rank; NULL: no trace */
    enum keel_ranks_on_late on_late;    /* KEEL_MPI_ON_LATE */
    bool aborts;                        /* errors of shared loops end the job */
    uint64_t copies; /* balance calls from one copy of rows to the next; 0: no copies */
    uint64_t block;  /* elements in a block of pipelined sweeps; 0: not set */
};

struct keel_ranks_variable {
    const char *name;
    const char *form;     /* valid values */
    const char *standard; /* behaviour without it */
    const char *summary;
    /* Reads `value`. `problem`, which is "" before, gets the error in it and the value that is used
     * instead. NULL: `field` does. */
    void (*read)(struct keel_ranks_settings *settings, const char *value,
                 char problem[KEEL_RANKS_PROBLEM_MAX]);
    struct keel_parameters_field field; /* of the settings, for values of `form` */
    const char *instead;                /* effect of an invalid value; NULL: "using STANDARD" */
    bool names_file;                    /* its value does */
};

/* Ended by an entry whose name is NULL; read in this order. */
extern const struct keel_ranks_variable keel_ranks_variables[];

/* Reads the value of a variable of the table, which may be empty. `problem` as above. */
void keel_ranks_variable_read(struct keel_ranks_settings *settings,
                              const struct keel_ranks_variable *variable, const char *value,
                              char problem[KEEL_RANKS_PROBLEM_MAX]);

/* Sets the defaults without any variable, in settings that are all zero. */
void keel_ranks_variables_begin(struct keel_ranks_settings *settings);

#endif

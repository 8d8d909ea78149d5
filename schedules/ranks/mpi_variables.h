/* The environment variables of MPI jobs: one table, which yields the fields, their
 * parsing, `keel env` and the README's section. Reads no environment itself, see settings.h; no
 * MPI. */
#ifndef SCHEDULES_RANKS_MPI_VARIABLES_H
#define SCHEDULES_RANKS_MPI_VARIABLES_H

#include "schedules/ranks/policies.h"

#define KEEL_RANKS_WEIGHTS_MAX 65536
#define KEEL_RANKS_PROBLEM_MAX (KEEL_PROBLEM_MAX + 64)

/* What a rank does that has waited too long for others. */
enum keel_ranks_on_late {
    KEEL_RANKS_ON_LATE_AUTO, /* waits on, unless one of them is known to be stopped */
    KEEL_RANKS_ON_LATE_WAIT, /* waits on */
    KEEL_RANKS_ON_LATE_FAIL, /* returns an error */
    KEEL_RANKS_ON_LATE_END   /* ends those that are known to be stopped, else waits on */
};

struct keel_ranks_settings {
    bool prints_common; /* prints messages that are equal on all ranks of a node; no variable */
    struct keel_ranks_schedule schedule;
    uint64_t grain; /* of shared loops whose schedule among ranks states none; no variable of this
                       table: it is KEEL_GRAIN */
    const char *report; /* KEEL_REPORT, likewise no variable of this table; NULL: none is wanted */
    bool measurements;  /* it, or KEEL_EXPLAIN, wants to know how time passed; likewise */
    bool traces;        /* KEEL_TRACE wants a trace of libkeel.so; likewise */
    bool schedule_stated;                  /* by KEEL_MPI_SCHEDULE, which has priority over
                                            keel_mpi_set_schedule() */
    unsigned weights;                      /* number of weights; 0: none stated */
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
    bool objects_stated;                /* it is no name that rows alone have */
    double deadline_s;                  /* how long ranks wait for others before they say so */
    const char *trace_file;             /* of rows, less the rank; NULL: nothing is traced */
    enum keel_ranks_on_late on_late;    /* KEEL_MPI_ON_LATE */
    bool aborts;                        /* errors of shared loops end the job */
    uint64_t copies; /* balance calls from one copy of rows to the next; 0: none are taken */
    uint64_t block;  /* elements in a block of pipelined sweeps; 0: not stated */
};

struct keel_ranks_variable {
    const char *name;
    const char *form;     /* what it may hold */
    const char *standard; /* what happens without it */
    const char *summary;
    /* Reads `value`. `problem`, which is "" before, gets what is wrong with it and what is used
     * instead. NULL: `field` does. */
    void (*read)(struct keel_ranks_settings *settings, const char *value,
                 char problem[KEEL_RANKS_PROBLEM_MAX]);
    struct keel_parameters_field field; /* of the settings, which holds `form` */
    const char *instead; /* what happens where it is not that; NULL: "using STANDARD" */
    bool names_file;     /* what it holds does */
};

/* Ended by an entry whose name is NULL; read in this order. */
extern const struct keel_ranks_variable keel_ranks_variables[];

/* Reads what a variable of the table holds, which may be nothing. `problem` as above. */
void keel_ranks_variable_read(struct keel_ranks_settings *settings,
                              const struct keel_ranks_variable *variable, const char *value,
                              char problem[KEEL_RANKS_PROBLEM_MAX]);

/* What holds where no variable is set: in settings that are all zero. */
void keel_ranks_variables_begin(struct keel_ranks_settings *settings);

#endif

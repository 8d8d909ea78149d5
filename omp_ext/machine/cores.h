/* The cores that a process may use. A team with more threads than that takes turns.
 *
 *   online processors of the machine >= those that affinity allows; the quota of a control group
 *   limits the processor time of all threads together, on whichever of them they run */
#ifndef OMP_EXT_MACHINE_CORES_H
#define OMP_EXT_MACHINE_CORES_H

/* "Core" stands for what the operating system calls a processor: with SMT, a hardware thread. */
struct keel_cores {
    unsigned online;  /* of the machine, >= 1 */
    unsigned allowed; /* to the process by affinity, >= 1 */
    double quota;     /* of the control group, cores; 0: none */
};

/* What holds now. Where libgomp has bound the initial thread to one of its places, `allowed` counts
 * the processors of all places. Reads a few files: not for hot paths. Any thread; errno is kept. */
struct keel_cores keel_cores_of_process(void);

#endif

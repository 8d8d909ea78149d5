/* How a report ends that can't be made. */
#ifndef BENCH_SUPPORT_GIVE_UP_H
#define BENCH_SUPPORT_GIVE_UP_H

/* Ends the program with exit status 1 and the message `keel: FOLDER/PROGRAM: WHY; no
 * report`. */
void give_up(const char *why) __attribute__((noreturn));

#endif

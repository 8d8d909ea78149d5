/* What libgomp's or Keel's `next` functions gave to the threads of this program. */
#ifndef TESTS_OMP_EXT_SITE_CHUNK_LOG_H
#define TESTS_OMP_EXT_SITE_CHUNK_LOG_H

enum { CHUNK_LOG_MAX = 4096 };

/* First values of the chunks since the last chunk_log_clear, in the order of their arrival. A
 * loop of its own, as opposed to a combined one, gets its first chunk from its start function:
 * that one is missing. */
extern long chunk_log_start[CHUNK_LOG_MAX];
extern unsigned chunk_log_count;

void chunk_log_clear(void);

#endif

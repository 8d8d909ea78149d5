/* What the rows of a picture of the Mandelbrot set cost: the tasks of PAPERS.md K8. */
#ifndef BENCH_SIM_SET_ROWS_H
#define BENCH_SIM_SET_ROWS_H

/* Writes the cost of each row of a picture of size * size points; all together cost `total`. The
 * window [0.5, -1.8] to [1.2, -1.2] is read as the intervals of the real and of the imaginary part,
 * which hold the set; as two corners it would hold none of it. */
void set_rows(unsigned size, double total, double *cost);

#endif

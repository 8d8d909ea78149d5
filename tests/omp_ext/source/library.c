/* A loop in a shared library, for source_lines_test.sh. */
void fill(int n, double *v)
{
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < n; i++)
        v[i] = i;
}

/* Loops for source_lines_test.sh, as C and as C++. Every line marked @X must mean loop X and no
 * other, whatever the compiler's options. */
/* clang-format off */
double v[1000], s;
int n = 1000, i0;

void with_variable_bounds(void)
{
#pragma omp parallel for \
    schedule(runtime) /* @A */
    for (int i = 0; /* @A */
         i < n; i++)
        v[i] += i;
}

void with_constant_bounds(double *p)
{
    p[0] = 1;
    #pragma omp parallel for schedule(runtime) /* @B */ \
        num_threads(p[0] > 2 ? 2 : 1)
    for (int i = 0; i < 1000; i++) /* @B */
        p[i] += i;
    p[1] = 1;
}

void several_in_one_region(double *p)
{
    #pragma omp parallel
    {
        p[0] = 1;
        #pragma omp for schedule(runtime) nowait /* @C */

        for (int i = 0; i < n; i++) { /* @C */
            v[i] += i;
            v[i] /= 2;
        }
        #pragma omp for schedule(runtime) reduction(+:s) /* @D */
        for (int i = 0; i < 1000; i++) v[i]++; /* @D */
        #pragma omp for schedule(runtime) /* @E */
        for (int i = 0; i < 1000; i++) v[i]++; /* @E */
        #pragma omp for schedule(runtime) collapse(2) /* @F */
        for (int i = 0; i < n; i++) /* @F */
            for (int j = 0; j < 10; j++)
                v[i] += j;
    }
}

static inline void orphaned(void)
{
    #pragma omp for schedule(runtime) lastprivate(s) /* @G */
    for (int i = 0; i < n; i++) { /* @G */
        s = v[i];
    }
}

void calls_orphaned(void)
{
    #pragma omp parallel
    orphaned();
}

void nested(int m)
{
    #pragma omp parallel for schedule(runtime) /* @H */
    for (int i = 0; i < m; i++) { /* @H */
        #pragma omp parallel for schedule(runtime) /* @I */
        for (int j = 0; j < m; j++) /* @I */
            v[i] += j;
    }
}

void side_by_side(int m)
{
    #pragma omp parallel for schedule(runtime) /* @J */
    for (int i = 0; i < m; i++) v[i]++; /* @J */
    #pragma omp parallel for schedule(runtime) /* @K */
    for (int i = 0; i < m; i++) v[i]++; /* @K */
}

void variable_declared_before(int m)
{
    int i;
    #pragma omp parallel for schedule(runtime) /* @L */
    for (i = 0; i < m; i++) /* @L */
        v[i]++;
    #pragma omp parallel
    {
        #pragma omp for schedule(runtime) /* @M */
        for (i0 = 0; i0 < n; i0++) /* @M */
            v[i0]++;
    }
}

int main(void)
{
    with_variable_bounds();
    with_constant_bounds(v);
    several_in_one_region(v);
    calls_orphaned();
    nested(10);
    side_by_side(100);
    variable_declared_before(100);
    return 0;
}

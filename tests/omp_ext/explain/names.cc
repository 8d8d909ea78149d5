/* A loop in a method of a class template, for KEEL_EXPLAIN to name. */
#include <cstdio>
#include <vector>

namespace tissue {

template <class T> struct Grid {
    std::vector<T> value;

    void relax(long count)
    {
#pragma omp parallel for schedule(runtime) num_threads(2)
        for (long i = 0; i < count; i++) {
            T sum = 0;
            for (long k = 0; k < 100; k++) {
                sum = sum * T(0.5) + T(k + i);
            }
            value[(size_t)i] = sum;
        }
    }
};

} // namespace tissue

int main()
{
    tissue::Grid<double> grid;

    grid.value.resize(2000);
    for (int k = 0; k < 200; k++) {
        grid.relax(2000);
    }
    std::printf("%g\n", grid.value[7]);
}

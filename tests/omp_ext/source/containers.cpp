// Functions for source_lines_test.sh: headers of loops call functions of the C++ library and of the program.
#include <algorithm>
#include <vector>
//
namespace ns {

template <typename T, typename F> void each(T &items, F body)
{
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < (int)items.size(); i++) // @A
        body(items[i]);
}

struct field {
    std::vector<double> v;
    int n;
    int count() const
    {
        return n;
    }
    void update()
    {
#pragma omp parallel for schedule(runtime)
        for (auto it = v.begin(); it < v.end(); ++it)
            *it += 1;
    }
    void scale()
    {
#pragma omp parallel
        {
#pragma omp for schedule(runtime) nowait
            for (int i = 0; i < count(); i++) // @B
                v[i] *= 2;
#pragma omp for schedule(runtime)
            for (int i = 0; i < count(); i++) // @C
                v[i] += 2;
        }
    }
    void shift() // by a function with a loop of its own
    {
#pragma omp parallel
#pragma omp for schedule(runtime)
        for (int i = 0; i < std::count(v.begin(), v.end(), v[0]); i++) // @D
            v[i] += 3;
    }
};

} // namespace ns

int main()
{
    ns::field field{std::vector<double>(1000), 1000};

    ns::each(field.v, [](double &x) { x += 1; });
    field.update();
    field.scale();
    field.shift();
}

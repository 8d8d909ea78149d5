// Every iteration of a bare C++ loop is executed exactly once, under any OMP_SCHEDULE. Prints
// errors.

#include <atomic>
#include <deque>
#include <functional>
#include <numeric>
#include <omp.h>
#include <stdexcept>
#include <stdio.h>
#include <vector>

static int failures;

static void expect(const char *what, long got, long wanted)
{
    if (got != wanted) {
        printf("%s: %ld, wanted %ld\n", what, got, wanted);
        failures++;
    }
}

template <typename Sequence> static void expect_each(const char *what, const Sequence &s, int value)
{
    long wrong = 0;

    for (int x : s) {
        wrong += x != value;
    }
    expect(what, wrong, 0);
}

template <typename Index, int step> static long sum_down(Index first)
{
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (Index i = first; i > 0; i -= step) {
        sum += i;
    }
    return sum;
}

static void iterators()
{
    std::vector<int> v(1000);
    std::deque<int> d(1000);
    std::vector<int> hits(100);

#pragma omp parallel for
    for (int &x : v) {
        x++;
    }
    expect_each("a range for", v, 1);
#pragma omp parallel for
    for (auto i = d.rbegin(); i != d.rend(); ++i) {
        ++*i;
    }
    expect_each("reverse iterators of a deque", d, 1);
#pragma omp parallel for collapse(2)
    for (auto i = v.begin(); i < v.begin() + 10; ++i) {
        for (auto j = d.begin(); j < d.end(); j += 100) {
#pragma omp atomic
            hits[(i - v.begin()) * 10 + (j - d.begin()) / 100]++;
        }
    }
    expect_each("two iterators collapsed", hits, 1);
}

static void templates()
{
    expect("a template over unsigned char", sum_down<unsigned char, 1>(100), 5050);
    expect("a template over unsigned", sum_down<unsigned, 2>(100), 2550);
    expect("a template over long", sum_down<long, 2>(100), 2550);
    expect("a template over size_t", sum_down<size_t, 1>(1000), 500500);
}

static void exceptions()
{
    int caught = 0;

    try {
#pragma omp parallel for reduction(+ : caught)
        for (int i = 0; i < 1000; i++) {
            try {
                if (i % 3 == 0) {
                    throw std::runtime_error("a third");
                }
            } catch (const std::runtime_error &) {
                caught++;
            }
        }
        throw 1;
    } catch (int) {
        caught += 1000;
    }
    expect("exceptions in the body", caught, 1334);
}

struct scaled {
    int scale;
    long sum;

    void add_up(int n)
    {
#pragma omp parallel for firstprivate(scale) reduction(+ : sum)
        for (int i = 0; i < n; i++) {
            sum += scale * i;
        }
    }
};

#pragma omp declare reduction(append : std::vector<int> : omp_out.insert(                          \
        omp_out.end(), omp_in.begin(), omp_in.end()))

static void classes()
{
    scaled s = {3, 0};
    std::vector<int> all;
    std::function<void()> body = [&] {
#pragma omp for reduction(append : all)
        for (int i = 0; i < 1000; i++) {
            all.push_back(i);
        }
    };

    s.add_up(1000);
    expect("members as private variables", s.sum, 3 * 499500);
#pragma omp parallel
    body();
    expect("a declared reduction in a lambda: elements", all.size(), 1000);
    expect("a declared reduction in a lambda: sum", std::accumulate(all.begin(), all.end(), 0L),
           499500);
}

int main()
{
    iterators();
    templates();
    exceptions();
    classes();
    if (failures == 0) {
        puts("exact");
    }
    return failures != 0;
}

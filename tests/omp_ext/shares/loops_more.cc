/* Static loops in C++: cases that may be taken over, as in taken_loops.c, and cases that may not,
 * as in refused_loops.c. A region is the case's own, or that of a template or member function with
 * the name of the case. */
#include "tests/omp_ext/shares/share_cases.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <omp.h>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#define HELPER __attribute__((noinline)) static

/* Containers, iterators, references. */
CASE(taken_vector)
{
    std::vector<double> from(x, x + n), to(n);
#pragma omp parallel for
    for (size_t i = 0; i < from.size(); i++) {
        to[i] = from[i] * 2;
    }
    std::copy(to.begin(), to.end(), y);
}

CASE(taken_range)
{
    std::vector<double> numbers(x, x + n);
#pragma omp parallel for
    for (double &each : numbers) {
        each = std::sqrt(each);
    }
    std::copy(numbers.begin(), numbers.end(), y);
}

CASE(taken_iterator)
{
    std::vector<double> numbers(x, x + n);
#pragma omp parallel for
    for (auto i = numbers.begin(); i < numbers.end(); ++i) {
        *i += 4;
    }
    std::copy(numbers.begin(), numbers.end(), y);
}

CASE(taken_reverse_iterator)
{
    std::vector<double> numbers(x, x + n);
#pragma omp parallel for
    for (auto i = numbers.rbegin(); i < numbers.rend(); i += 2) {
        *i *= *i;
    }
    std::copy(numbers.begin(), numbers.end(), y);
}

CASE(taken_vector_of_vectors)
{
    std::vector<std::vector<double>> grid(rows, std::vector<double>(columns, factor));
#pragma omp parallel for collapse(2)
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            grid[i][j] += i * w[i][j];
        }
    }
    for (int i = 0; i < rows; i++) {
        std::copy(grid[i].begin(), grid[i].end(), m[i]);
    }
}

CASE(taken_scratch_vector)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        std::vector<int> t(a + i, a + i + a[i] % 9 + 1);
        c[i] = std::accumulate(t.begin(), t.end(), 0);
    }
}

/* Templates and members. */
template <typename Number> HELPER void taken_template(Number *to, const Number *from, Number times)
{
#pragma omp parallel for
    for (int i = 0; i < limit; i++) {
        to[i] = from[i] * times + 1;
    }
}

CASE(taken_template)
{
    taken_template(y, x, factor);
    taken_template(f, g, 3.0f);
    taken_template(c, a, 5);
}

template <int width> HELPER void taken_stencil()
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < width; k++) {
            sum += x[i + k];
        }
        y[i] = sum / width;
    }
}

CASE(taken_stencil)
{
    taken_stencil<3>();
    taken_stencil<11>();
}

class grid {
public:
    explicit grid(double times) : times(times), numbers(x, x + n) {}

    __attribute__((noinline)) void taken_member()
    {
#pragma omp parallel for
        for (int i = 0; i < n; i++) {
            numbers[i] = scaled(numbers[i]);
        }
    }

    __attribute__((noinline)) double taken_member_sum() const
    {
        double sum = 0;
#pragma omp parallel for reduction(+ : sum)
        for (size_t i = 0; i < numbers.size(); i++) {
            sum += called(i) * times;
        }
        return sum;
    }

    __attribute__((noinline)) double called(size_t i) const
    {
        return numbers[i] > 4 ? numbers[i] : 2;
    }

    double scaled(double number) const
    {
        return number * times;
    }

    double times;
    std::vector<double> numbers;
};

CASE(taken_member)
{
    grid one(factor);
    one.taken_member();
    std::copy(one.numbers.begin(), one.numbers.end(), y);
}

CASE(taken_member_sum)
{
    rounded[0] = grid(factor).taken_member_sum();
}

struct pair_of {
    double first, second;

    pair_of &operator+=(const pair_of &other)
    {
        first += other.first;
        second += other.second;
        return *this;
    }
};

CASE(taken_complex)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        std::complex<double> t(x[i], z[i]);
        t = t * t + std::complex<double>(1, 2);
        y[i] = t.real();
        z[i] = t.imag();
    }
}

CASE(taken_algorithms)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        a[i] = std::clamp(std::max(c[i], i % 7), -2, 5);
        y[i] = std::accumulate(z + i, z + i + 5, 0.5);
        std::swap(x[2 * i], x[2 * i + 1]);
    }
}

#pragma omp declare reduction(add:pair_of : omp_out += omp_in) initializer(omp_priv = {0, 0})

CASE(taken_declared_reduction)
{
    pair_of sum = {0, 0};
#pragma omp parallel for reduction(add : sum)
    for (int i = 0; i < n; i++) {
        sum += pair_of{x[i], y[i]};
    }
    rounded[0] = sum.first, rounded[1] = sum.second;
}

HELPER int not_throwing(int k) noexcept
{
    return k % 3 ? k : -k;
}

EACH(taken_call_noexcept, , a[i] = not_throwing(a[i]))

/* --- refused --- */

/* Exceptions. */
CASE(refused_catch)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        try {
            if (a[i] > 500) {
                throw i;
            }
            y[i] = 1;
        } catch (int caught) {
            c[i] = caught;
        }
    }
}

HELPER int throws_some(int k)
{
    if (k % 3 == 0) {
        throw std::runtime_error("a third");
    }
    return k;
}

CASE(refused_catch_counts)
{
#pragma omp parallel
    {
        int caught = 0;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            try {
                c[i] = throws_some(a[i]);
            } catch (const std::exception &) {
                c[i] = caught++;
            }
        }
    }
}

struct unwound {
    explicit unwound(int &count) : count(count) {}
    ~unwound()
    {
        count++;
    }
    int &count;
};

CASE(refused_unwinding_counts)
{
#pragma omp parallel
    {
        int t = 0;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            try {
                unwound guard(t);
                c[i] = throws_some(a[i]) + t;
            } catch (const std::runtime_error &) {
                c[i] = -t;
            }
        }
    }
}

/* Objects of each thread. */
struct counted {
    counted() = default;
    counted(const counted &other) : number(other.number)
    {
        __atomic_fetch_add(&value[1], 1, __ATOMIC_RELAXED);
    }
    ~counted()
    {
        __atomic_fetch_add(&value[2], 1, __ATOMIC_RELAXED);
    }
    int number = 0;
};

CASE(refused_firstprivate_object)
{
    counted object;
    object.number = few;
#pragma omp parallel for firstprivate(object)
    for (int i = 0; i < n; i++) {
        a[i] = object.number;
    }
}

CASE(refused_generator)
{
#pragma omp parallel
    {
        std::mt19937 random(few);
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            u[i] = random();
        }
    }
}

CASE(refused_firstprivate_generator)
{
    std::minstd_rand random(few);
#pragma omp parallel for firstprivate(random)
    for (int i = 0; i < n; i++) {
        u[i] = random();
    }
}

CASE(refused_distribution)
{
#pragma omp parallel
    {
        std::minstd_rand random(few);
        std::normal_distribution<double> normal;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            y[i] = normal(random);
        }
    }
}

CASE(refused_vector_of_thread)
{
#pragma omp parallel
    {
        std::vector<int> found;
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            if (a[i] > 500) {
                found.push_back(i);
            }
        }
#pragma omp critical
        value[0] += (long)(found.size() * found.size());
    }
}

CASE(refused_unique_pointer)
{
#pragma omp parallel
    {
        auto counts = std::make_unique<int[]>(8);
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            c[i] = counts[a[i] & 7]++;
        }
    }
}

CASE(refused_lock_guard)
{
    std::mutex mutex;
#pragma omp parallel
    {
        long sum = 0;
        std::lock_guard<std::mutex> guard(mutex);
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            sum += a[i];
        }
        value[0] += sum * sum;
    }
}

/* Threads' own variables, whose first use calls their constructors. */
struct from_memory {
    int number = few;
};

static thread_local from_memory of_thread;

HELPER void reset_threads()
{
#pragma omp parallel num_threads(8)
    of_thread.number = few;
#pragma omp parallel
    of_thread.number = few;
}

CASE(refused_thread_local_object)
{
    reset_threads();
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        a[i] = of_thread.number++;
    }
}

CASE(refused_thread_local_in_loop)
{
    static int runs;
    runs++;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        static thread_local int run = runs, count = few;
        if (run != runs) {
            run = runs;
            count = few;
        }
        a[i] = count++;
    }
}

CASE(refused_thread_id)
{
    static std::vector<std::thread::id> owner(n);
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        owner[i] = std::this_thread::get_id();
    }
    for (int i = 1; i < n; i++) {
        a[i] = owner[i] == owner[i - 1];
    }
}

/* The number of the thread. */
CASE(refused_function_object)
{
    std::function<int()> query = omp_get_thread_num;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        a[i] = query();
    }
}

CASE(refused_accumulators)
{
    std::vector<long> sums(64);
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        sums[omp_get_thread_num()] += a[i];
    }
    std::copy(sums.begin(), sums.begin() + 16, value);
}

template <typename Number> HELPER void refused_template(Number *to)
{
    Number t = 0;
#pragma omp parallel for firstprivate(t)
    for (int i = 0; i < limit; i++) {
        to[i] = t;
        t += 2;
    }
}

CASE(refused_template)
{
    refused_template(y);
    refused_template(g);
    refused_template(a);
    refused_template(h);
}

class sums {
public:
    __attribute__((noinline)) void refused_member()
    {
#pragma omp parallel firstprivate(last)
        {
#pragma omp for nowait
            for (int i = 0; i < n; i++) {
                last += a[i];
                c[i] = (int)(last * times);
            }
        }
    }

    long last = 0, times = few;
};

CASE(refused_member)
{
    sums().refused_member();
}

template <int threads> HELPER void refused_spmd_template()
{
#pragma omp parallel num_threads(threads)
    {
        int me = omp_get_thread_num(), low = me * n / threads, high = (me + 1) * n / threads;
        std::transform(x + low, x + high, y + low, [](double v) { return v * 2; });
        a[low] = high;
    }
}

CASE(refused_spmd_template)
{
    refused_spmd_template<3>();
}

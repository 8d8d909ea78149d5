/* C++: loops over random access iterators and classes of the program's, and exceptions that stay
 * in the loop body. */
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/schedules.h"

namespace {

/* An iterator that the program wrote. */
class Stepping {
public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = long;
    using difference_type = std::ptrdiff_t;
    using pointer = const long *;
    using reference = const long &;

    explicit Stepping(long at) : at_(at) {}
    long operator*() const
    {
        return at_;
    }
    Stepping &operator++()
    {
        return *this += 1;
    }
    Stepping &operator--()
    {
        return *this += -1;
    }
    Stepping &operator+=(std::ptrdiff_t n)
    {
        at_ += n;
        return *this;
    }
    Stepping &operator-=(std::ptrdiff_t n)
    {
        return *this += -n;
    }
    friend Stepping operator+(Stepping a, std::ptrdiff_t n)
    {
        return a += n;
    }
    friend Stepping operator-(Stepping a, std::ptrdiff_t n)
    {
        return a -= n;
    }
    friend std::ptrdiff_t operator-(Stepping a, Stepping b)
    {
        return a.at_ - b.at_;
    }
    friend bool operator<(Stepping a, Stepping b)
    {
        return a.at_ < b.at_;
    }
    friend bool operator>(Stepping a, Stepping b)
    {
        return a.at_ > b.at_;
    }

private:
    long at_;
};

void iterators()
{
    std::vector<int> values(203);
    marks up, down, own;

    marks_begin(&up, 203);
    marks_begin(&down, 41);
    marks_begin(&own, 50);
#pragma omp parallel for schedule(runtime)
    for (auto i = values.begin(); i < values.end(); ++i) {
        marks_hit(&up, static_cast<uint64_t>(i - values.begin()));
    }
#pragma omp parallel
    {
#pragma omp for schedule(runtime) nowait
        for (auto i = values.rbegin(); i < values.rend(); i += 5) {
            marks_hit(&down, static_cast<uint64_t>(i - values.rbegin()) / 5);
        }
#pragma omp for schedule(runtime) nowait
        for (Stepping i = Stepping(100); i > Stepping(50); --i) {
            marks_hit(&own, static_cast<uint64_t>(100 - *i));
        }
    }
    marks_end(&up, "vector iterator");
    marks_end(&down, "reverse iterator");
    marks_end(&own, "own iterator");
}

void range_for()
{
    std::vector<uint64_t> values(77);
    marks marks;

    for (uint64_t i = 0; i < values.size(); i++) {
        values[i] = i;
    }
    marks_begin(&marks, values.size());
#pragma omp parallel for schedule(runtime)
    for (const auto &value : values) {
        marks_hit(&marks, value);
    }
    marks_end(&marks, "range for");
}

void exceptions()
{
    marks marks;
    unsigned caught = 0;

    marks_begin(&marks, 90);
#pragma omp parallel for schedule(runtime) reduction(+ : caught)
    for (int i = 0; i < 90; i++) {
        try {
            marks_hit(&marks, static_cast<uint64_t>(i));
            if (i % 3 == 0) {
                throw std::runtime_error(std::to_string(i));
            }
        } catch (const std::runtime_error &error) {
            caught += error.what() == std::to_string(i);
        }
    }
    CHECK(caught == 30, "caught %u exceptions of 30", caught);
    marks_end(&marks, "exceptions");
}

/* The nested region's loop is left by an exception before the region's end; the loop around it
 * goes on. */
void exceptions_out_of_nested_loops()
{
    marks marks;

    marks_begin(&marks, 20);
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 20; i++) {
#pragma omp parallel for schedule(runtime) num_threads(2)
        for (int j = 0; j < 9; j++) {
            try {
                throw j;
            } catch (int thrown) {
                CHECK(thrown == j, "threw %d, caught %d", j, thrown);
            }
        }
        marks_hit(&marks, static_cast<uint64_t>(i));
    }
    marks_end(&marks, "exceptions in a nested region");
}

template <typename Integer> void typed_loop()
{
    marks marks;

    marks_begin(&marks, 60);
#pragma omp parallel for schedule(runtime)
    for (Integer i = 0; i < static_cast<Integer>(60); i++) {
        marks_hit(&marks, static_cast<uint64_t>(i));
    }
    marks_end(&marks, "template");
}

void every_loop()
{
    iterators();
    range_for();
    exceptions();
    exceptions_out_of_nested_loops();
    typed_loop<signed char>();
    typed_loop<unsigned short>();
    typed_loop<unsigned long>();
}

} // namespace

int main()
{
    each_schedule_and_team(every_loop);
    return check_status();
}

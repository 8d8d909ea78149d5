// Functions for source_lines_test.sh: a member, a template, a lambda, an unnamed namespace.
namespace ns {

struct image {
    double *v;
    void render(int n)
    {
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < n; i++)
            v[i] += i;
    }
    template <typename T> void scale(T factor, int n)
    {
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < n; i++)
            v[i] *= factor;
    }
};

void outer(double *v, int n)
{
    auto body = [&](int m) {
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < m; i++)
            v[i] += 1;
    };
    body(n);
}

template <typename F> void run(F body)
{
#pragma omp parallel
    body();
}

void writer(double *v, int n)
{
    run([=]() {
#pragma omp for schedule(runtime)
        for (int i = 0; i < n; i++)
            v[i] += 1;
    });
}

namespace {
void hidden(double *v, int n)
{
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < n; i++)
        v[i] += 1;
}
} // namespace

void calls_hidden(double *v, int n)
{
    hidden(v, n);
}

} // namespace ns

int main()
{
    static double v[1000];
    ns::image image{v};

    image.render(1000);
    image.scale(2.0, 1000);
    ns::outer(v, 1000);
    ns::writer(v, 1000);
    ns::calls_hidden(v, 1000);
}

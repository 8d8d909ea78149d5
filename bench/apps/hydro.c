/* A hydrodynamics-like code with many short loops: a gas in a tube, on zones that move with it, of
 * several materials.
 *
 *   OMP_NUM_THREADS=2 hydro [ZONES [STEPS [HOLD]]]
 *
 * As in codes of that kind, zones of one material are listed by index; the equation of state
 * gathers its input of them, works on dense arrays, and scatters its output. That makes forty-four
 * loops a step, of a microsecond or some. Materials differ in cost. In pairs of loops without a
 * barrier between, the second one reads the values that the same thread has written in the first:
 * the shares of GCC's static loops of equal length are the same.
 *
 * Prints the time of a step, and the energy with all its digits, which the number of threads and
 * the order of iterations do not change. HOLD: in each fiftieth step, the thread in the middle of a
 * pair's first loop sleeps for this many microseconds, as if another program had its processor. */
#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { materials = 8, least_zones = 8 * materials };

/* Of zones. Nodes are between them: node z is to the left of zone z. */
static struct {
    double *mass, *volume, *change, *energy, *pressure, *viscosity, *sound;
} zone;

static struct {
    double *place, *speed, *force, *mass;
} node;

/* The zones of one material, and its dense arrays. */
static struct material {
    int zones, rounds; /* rounds: cost of the equation of state */
    int *list;
    double *energy, *change, *pressure, *work;
} material[materials];

static int zones;
static unsigned hold_us;
static bool held_up; /* in this step */

static double *numbers(int count)
{
    double *memory = calloc((size_t)count, sizeof *memory);

    if (memory == NULL) {
        fputs("keel: hydro: there is no memory for so many zones\n", stderr);
        exit(1);
    }
    return memory;
}

/* --- nodes --- */

static void push_nodes(void)
{
#pragma omp parallel
    {
#pragma omp for nowait
        for (int n = 1; n < zones; n++) {
            node.force[n] =
                zone.pressure[n - 1] + zone.viscosity[n - 1] - zone.pressure[n] - zone.viscosity[n];
        }
#pragma omp for
        for (int n = 1; n < zones; n++) {
            node.force[n] /= node.mass[n];
        }
    }
}

static void move_nodes(double dt)
{
#pragma omp parallel
    {
#pragma omp for nowait
        for (int n = 1; n < zones; n++) {
            node.speed[n] += node.force[n] * dt;
        }
#pragma omp for
        for (int n = 1; n < zones; n++) {
            node.place[n] += node.speed[n] * dt;
        }
    }
}

/* --- zones --- */

static void stretch_zones(void)
{
#pragma omp parallel for
    for (int z = 0; z < zones; z++) {
        double volume = node.place[z + 1] - node.place[z];
        zone.change[z] = volume / zone.volume[z] - 1;
        zone.volume[z] = volume;
    }
}

static void resist_shocks(void)
{
#pragma omp parallel for
    for (int z = 0; z < zones; z++) {
        double closing = node.speed[z] - node.speed[z + 1];
        double density = zone.mass[z] / zone.volume[z];
        zone.viscosity[z] =
            closing > 0 ? density * closing * (2 * closing + 0.5 * zone.sound[z]) : 0;
    }
}

/* --- the equation of state of one material --- */

static void hold(int i, int count)
{
    if (held_up && i == count / 2) {
        usleep(hold_us);
    }
}

static double solve(double energy, double density, int rounds)
{
    double pressure = 0.4 * density * energy;

    for (int round = 0; round < rounds; round++) {
        pressure = 0.5 * (pressure + 0.4 * density * energy / (1 + 1e-3 * sqrt(fabs(pressure))));
    }
    return pressure;
}

static void gather(struct material *m)
{
    int count = m->zones;

#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < count; i++) {
            hold(i, count);
            m->energy[i] = zone.energy[m->list[i]];
            m->change[i] = zone.change[m->list[i]];
        }
#pragma omp for
        for (int i = 0; i < count; i++) {
            m->work[i] = m->energy[i] * (1 - 0.4 * m->change[i]);
        }
    }
}

static void work_out(struct material *m)
{
    int count = m->zones, rounds = m->rounds;

#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < count; i++) {
            int z = m->list[i];
            m->pressure[i] = solve(m->work[i], zone.mass[z] / zone.volume[z], rounds);
        }
#pragma omp for
        for (int i = 0; i < count; i++) {
            double q = zone.viscosity[m->list[i]];
            m->energy[i] -= 0.5 * (m->pressure[i] * 0.02 + q) * m->change[i];
        }
    }
}

static void scatter(struct material *m)
{
    int count = m->zones;

#pragma omp parallel for
    for (int i = 0; i < count; i++) {
        int z = m->list[i];
        zone.energy[z] = m->energy[i] > 1e-9 ? m->energy[i] : 1e-9;
        zone.pressure[z] = m->pressure[i];
        zone.sound[z] = sqrt(1.4 * m->pressure[i] * zone.volume[z] / zone.mass[z]);
    }
}

/* --- the whole --- */

/* The largest step in which no wave crosses a zone. A minimum is the same in every order. */
static double time_step(void)
{
    double dt = 1e-4;

#pragma omp parallel for reduction(min : dt)
    for (int z = 0; z < zones; z++) {
        dt = fmin(dt, 0.2 * zone.volume[z] / (zone.sound[z] + 1e-12));
    }
    return dt;
}

static void step(int number)
{
    held_up = hold_us > 0 && number % 50 == 0;
    double dt = time_step();
    push_nodes();
    move_nodes(dt);
    stretch_zones();
    resist_shocks();
    for (int m = 0; m < materials; m++) {
        gather(&material[m]);
        work_out(&material[m]);
        scatter(&material[m]);
    }
}

/* Materials are mixed, and of different extent: number m has 1 + m / 2 parts of them. */
static int material_of(int z)
{
    static const int parts[] = {0, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7};

    return parts[(unsigned)z * 2654435761u / 7 % (sizeof parts / sizeof *parts)];
}

static void make_materials(void)
{
    for (int m = 0; m < materials; m++) {
        material[m] = (struct material){.rounds = m == 7 ? 12 : 1 + m / 2,
                                        .list = malloc((size_t)zones * sizeof(int)),
                                        .energy = numbers(zones),
                                        .change = numbers(zones),
                                        .pressure = numbers(zones),
                                        .work = numbers(zones)};
    }
    for (int z = 0; z < zones; z++) {
        struct material *m = &material[material_of(z)];
        m->list[m->zones++] = z;
    }
}

/* A dense, hot left half. */
static void make_mesh(void)
{
    double **of_zones[] = {&zone.mass,     &zone.volume,    &zone.change, &zone.energy,
                           &zone.pressure, &zone.viscosity, &zone.sound};
    double **of_nodes[] = {&node.place, &node.speed, &node.force, &node.mass};

    for (size_t i = 0; i < sizeof of_zones / sizeof *of_zones; i++) {
        *of_zones[i] = numbers(zones);
    }
    for (size_t i = 0; i < sizeof of_nodes / sizeof *of_nodes; i++) {
        *of_nodes[i] = numbers(zones + 1);
    }
    for (int z = 0; z < zones; z++) {
        bool dense = z < zones / 2;
        zone.volume[z] = 1.0 / zones;
        zone.mass[z] = (dense ? 1 : 0.125) * zone.volume[z];
        zone.energy[z] = dense ? 2.5 : 2;
        zone.pressure[z] = dense ? 1 : 0.1;
        zone.sound[z] = 1.2;
        node.place[z + 1] = (z + 1.0) / zones;
        node.mass[z + 1] = node.mass[z] = zone.mass[z];
    }
}

static double total_energy(void)
{
    double sum = 0;

    for (int z = 0; z < zones; z++) {
        sum += zone.mass[z] * zone.energy[z] + 0.5 * node.mass[z] * node.speed[z] * node.speed[z];
    }
    return sum;
}

static int number(int count, char **argument, int which, int least, int usual)
{
    char *end = NULL;
    long value = which < count ? strtol(argument[which], &end, 10) : usual;

    if ((end != NULL && *end != '\0') || value < least || value > 100000000) {
        fprintf(stderr, "keel: hydro: '%s' is not a whole number from %d; nothing is run\n",
                argument[which], least);
        exit(2);
    }
    return (int)value;
}

int main(int count, char **argument)
{
    zones = number(count, argument, 1, least_zones, 2400);
    int steps = number(count, argument, 2, 1, 2000);
    hold_us = (unsigned)number(count, argument, 3, 0, 0);
    make_mesh();
    make_materials();
    step(1); /* creates threads, and touches memory */
    double start_s = omp_get_wtime();
    for (int s = 0; s < steps; s++) {
        step(s);
    }
    printf("%.3f us a step\n", (omp_get_wtime() - start_s) / steps * 1e6);
    printf("energy %.17g\n", total_energy());
    return 0;
}

# Siegell and Steenkiste 1997 (PAPERS.md S1-S17): pipelines, and rows that move beside competing loads.
#
#   bench/sim/pipeline, turns, bench/sim/simulated_rows (simulated), model -> lines -> tables
use strict;
use warnings;
use lib 'bench/papers_dir';
use Paper;

# A quantum of the paper's machines, in s.
my $quantum = 0.1;

# MB/s from machine to machine. The paper's network carries 12.5 on its fibres; how much of that its
# machines could use is not stated, and a bus of that time passed about a quarter.
my $bandwidth = 3;

# Programs of bench/sim/simulated_rows. A point of SOR takes 10 us, a multiplication and addition 2 us: the paper does not say;
# its machines (25 MHz) took about that. Hooks are within sweeps, as the paper's do, after every 0.5 s of sequential
# time. SOR in red and black, which the model of S16 describes; and the paper's, in Gauss-Seidel order, pipelined, with
# hooks in strip-mined sweeps.
my %program = ('sor 1000' => '40x10 10', 'sor 2000' => '10x40 10', 'mm 500' => '500 2', 'gs 1000' => '40x10 10',
    'gs 2000' => '10x40 10');
$program{'sor 1000, 80 iterations'} = '80x10 10';
$program{'sor 1000, hooks within a quantum'} = '40x100 10';

# The paper's method: a master, a period of 10 quanta, rates filtered, a threshold of 0.1, movements
# cancelled whose costs greatly exceed what they save (S12, as published; the paper does not say how
# greatly: twice). It counts all phases alike, so a quantum of 1 ms is stated: of phases that are
# shorter than one, Keel leaves out those that were interrupted.
my $method = 'rate:period=1,quantum=1,gain=0.1';
my $anyway = "$method,greatly=inf"; # without S12
my $paper = "$method,greatly=2,profit=published";

# Keel's default, on a machine with such quanta.
my $default = 'auto:quantum=100';

# Published methods, to the letter; rows that stay are one of them. And Keel's own.
my @old = (['stay', 'off'], ['ss97', $paper], ['ss97-anyway', $anyway],
    ['at-once', 'rate:period=0.5,quantum=10,gain=0.1,greatly=inf'],
    ['tree', 'tree:period=1,quantum=1,gain=0.1,greatly=inf'],
    map { [$_, "$_:period=1,quantum=1,greatly=inf"] } qw(diffusion redistribute gradient));
my @own = (['default', $default], ['rate-local', 'rate-local:quantum=100'], ['tree-weighed', 'tree:quantum=100']);
my @main = ($old[0], $old[1], $own[0]);

# Those of pipelined sweeps, whose simulation takes 40 times as long.
my @swept = ((grep { $_->[0] =~ /^(stay|ss97|at-once|tree|redistribute)$/ } @old), @own[0, 1]);

my @seeds = seeds($short ? 2 : 10);

# --- programs on rows beside a load, simulated and by the model ---

# A load on the first host: lines of SimGrid, what part of the machine is left from when on. It begins with ON s of each
# PERIOD, and either gets half of the machine or takes turns of a quantum with the program; or begins at a drawn time.
sub load
{
    my ($kind, $period, $on) = @_;
    return "PERIODICITY $period\n0 0.5\n$on 1\n" if $kind eq 'half';
    return drawn_load($1, $period, $on) if $kind =~ /^half@(.*)/;
    my $text = "PERIODICITY $period\n";
    for (my $i = 0; 2 * $i * $quantum < $on - $quantum / 2; $i++) {
        $text .= sprintf "%.3f 0.001\n%.3f 1\n", 2 * $i * $quantum, (2 * $i + 1) * $quantum;
    }
    return $text;
}

# Where in its period a load is when the program begins, s, and how long its period is: up to 5 % more or less than it
# is meant to be.
sub drawn
{
    my ($state, $period) = @_;
    my $draw = sub { ($state = $state * 16807 % 2147483647) / 2147483647 };
    $draw->() for 1 .. 10;
    $period *= 0.95 + 0.1 * $draw->();
    return map { sprintf '%.3f', $_ } $period * $draw->(), $period;
}

sub drawn_load
{
    my ($seed, $period, $on) = @_;
    my $part = calculated($on / $period);
    (my $at, $period) = drawn($seed, $period);
    $on = $part * $period;
    my $changes = $at < $on ? sprintf "0 0.5\n%.3f 1\n%.3f 0.5\n", $on - $at, $period - $at
        : sprintf "0 1\n%.3f 0.5\n%.3f 1\n", $period - $at, $period - $at + $on;
    return "PERIODICITY $period\n$changes";
}

# Inputs of programs have five digits.
sub calculated
{
    return sprintf '%.5g', $_[0];
}

# Fields of a line of bench/sim/simulated_rows: FLAGS, POLICY, WORKERS, none|half|half@SEED|turns, PERIOD, ON, PROGRAM, then
# NAME => VALUE of variables. Ends it all where rows are not complete.
sub fields_of_rows
{
    my ($flags, $policy, $workers, $kind, $period, $on, $program, %set) = @_;
    my $load = $kind eq 'none' ? '' : load($kind, $period, $on);
    my ($line) = simulate(platform => ['250us', "${bandwidth}MBps", ('1M') x $workers], flags => $flags,
        set => {KEEL_MPI_BALANCE => $policy, %set},
        prepare => $load eq '' ? '' : "sim_load_of n0 '$load'", run => ['sim/simulated_rows', split ' ',
            ($program =~ s/,.*//r) . " $program{$program}"]);
    my @printed = split ' ', $line;
    $printed[10] eq 'once' or die "keel: ss97: rows were not computed as often as they had to be: @_\n";
    return @printed;
}

# The same without flags: time, movements, rows moved.
sub rows
{
    my @printed = fields_of_rows('', @_);
    return (sprintf('%.2f', $printed[3]), @printed[5, 6]);
}

# The part of its time that the worker that spends most on balancing spends on it, movements apart. A message takes the
# sender and the receiver half a millisecond each.
sub in_balancing
{
    my @printed = fields_of_rows(join(' ', map { "--cfg=smpi/$_:0:5e-4:0" } qw(os ois or)), @_);
    return $printed[8] / $printed[3];
}

# What a program takes one worker, s.
sub alone
{
    my ($kind, $size, $times, $flops) = split ' ', "$_[0] $program{$_[0]}";
    $times =~ s/x.*//;
    return six($size ** 2 * ($kind eq 'mm' ? $size : $times) * $flops / 1e6);
}

# By S1, beside a load that begins with ON s of each PERIOD; 0: without load.
sub efficiency
{
    my ($workers, $period, $on, $time, $program) = @_;
    my $full = $period > 0 ? int($time / $period) : 0;
    my $taken = $period > 0 ? six(0.5 * ($full * $on + min($time - $full * $period, $on))) : 0;
    return sprintf '%.4f', alone($program) / ($workers * $time - $taken);
}

# Without load and balancing.
sub dedicated
{
    my ($workers, $program) = @_;
    my ($time) = rows('off', $workers, 'none', 0, 0, $program);
    return efficiency($workers, 0, 0, $time, $program);
}

sub model
{
    return map { [split] } ask('papers_dir/ss97/ss97_model', @_);
}

# Efficiency by the model of an oscillating load; WORD: about the balancing.
sub oscillation
{
    my ($workers, $period, $on, $program, @words) = @_;
    my ($kind, $size) = split ' ', $program;
    my $row_bytes = 8 * ($kind eq 'mm' ? 2 : 1) * $size; # of products two matrices move
    return (model('oscillation', "workers=$workers", "period=$period", "on=$on",
        'dedicated=' . dedicated($workers, $program), 'sequential=' . alone($program), "quantum=$quantum", "rows=$size",
        "row_bytes=$row_bytes", 'alpha=1e-3', 'beta=' . calculated(1e-6 / $bandwidth), @words))[0][1];
}

# What the model gets of balancing that looks every PERIOD s. First figures come with the first hook, and decisions
# HOOKS later: 2 if they go to the master and back while computing goes on. Hooks are 0.5 s of sequential time apart: on
# the loaded machine, which has an equal share and half of its processor, 1 s over the workers.
sub how
{
    my ($workers, $period, $hooks) = @_;
    return ("interact=$period", 'begin=' . calculated((1 + $hooks) / $workers));
}

# Of the paper's method. A rate counts as followed when the filtered one is as near as the threshold.
sub paper_how
{
    return (how($_[0], 1, 2), qw(filtered=1 pipelined=1 near=0.1 gain=0.1));
}

# --- rows whose model is to agree with the simulation ---

my @differences;

sub checked_row
{
    my (undef, undef, $model, $simulated) = @_;
    row(@_);
    push @differences, difference($model, $simulated) =~ s/^[+-]//r;
}

# The largest difference since the last bar.
sub agreement
{
    my ($text, $limit) = @_;
    bar("$text: largest difference of model and simulation, %", (sort { $a <=> $b } @differences)[-1], $limit);
    @differences = ();
}

# The paper's method beside the one efficiency that the paper states.
sub missed
{
    bar("the paper's method beside 77.7 % as stated, difference in %", difference($_[0], 0.777) =~ s/^[+-]//r, 5);
}

# --- the grain of pipelined sweeps (Figures 8 and 9) ---

# A point of SOR takes 10 us. A message takes each side half of its FIXED cost, and 40 ns a byte,
# whatever else happens; on its way it takes 50 us.
my ($point, $element_cost) = (1e-5, '6.4e-7');

# Fields of bench/sim/pipeline for each BLOCK, of SOR in Gauss-Seidel order.
sub sweeps
{
    my ($workers, $size, $fixed, $sweeps, $mode, @blocks) = @_;
    my $half = calculated($fixed / 2) . ':4e-8';
    my %line = map { $_->[2] => $_ } map { [split] } simulate(platform => ['25us', '12.5MBps', ('1M') x $workers],
        flags => join(' ', qw(--cfg=smpi/lat-factor:0:1 --cfg=smpi/bw-factor:0:1),
            map { "--cfg=smpi/$_:0:$half" } qw(os ois or)),
        run => ['sim/pipeline', $size, $size, 10, 0, $sweeps, $mode, 1, @blocks]);
    return @line{@blocks};
}

# By `keel model`: efficiency with each BLOCK, 0: the best.
sub sweep_model
{
    my ($workers, $size, $fixed, @blocks) = @_;
    my $alone = calculated($size * $size * $point);
    return map {
        my %is = map { (split /,/)[0, 1] } ask('../keel', qw(model predict --csv pipeline), "workers=$workers",
            "elements=$size", "sequential=$alone", "startup=$fixed", 'bytes=1', "per-byte=$element_cost",
            'block=' . ($_ || 1));
        sprintf '%.4f', $_ > 0 ? $is{efficiency} : $alone / ($workers * $is{'best-time'});
    } @blocks;
}

# Of a sweep of so many ms.
sub sweep_efficiency
{
    my ($workers, $size, $ms) = @_;
    return sprintf '%.4f', calculated(1e3 * $size * $size * $point) / ($workers * $ms);
}

# A row of a block; its efficiency, simulated.
sub fixed_row
{
    my ($name, $workers, $size, $model, $simulated) = @_;
    my $efficiency = sweep_efficiency($workers, $size, $simulated->[3]);
    checked_row($name, '-', $model, $efficiency, '-');
    return $efficiency;
}

# Rows of the chosen block: of the last five of ten sweeps, in which it is known, and of all. The first, simulated.
sub chosen_rows
{
    my ($name, $workers, $size, $fixed) = @_;
    my ($isolated, $chained) = map { (sweeps($workers, $size, $fixed, 10, $_, 0))[0] } qw(isolated chained);
    my ($model) = sweep_model($workers, $size, $fixed, 0);
    my @columns = map { my $field = $_; map { sweep_efficiency($workers, $size, $_->[$field]) } $isolated, $chained } 4,
        3;
    checked_row("$name, chosen ($isolated->[5])", '-', $model, @columns[0, 1]);
    row('  and all ten sweeps', '-', '-', @columns[2, 3]);
    return $columns[0];
}

# Figure 8.
sub grain
{
    my @blocks = $short ? (5, 20, 80, 250) : (1, 2, 5, 10, 20, 40, 80, 125, 250, 500, 1000);
    title('Efficiency of pipelined SOR by block size (Figure 8): 1000 x 1000, 4 workers');
    head('message cost, elements');
    my $behind = 0;
    for my $fixed (0.001, 0.005, 0.025) {
        my $ms = calculated(1000 * $fixed) . ' ms';
        my @model = sweep_model(4, 1000, $fixed, @blocks);
        my @fixed = map { fixed_row("$ms, $_->[2]", 4, 1000, shift @model, $_) } sweeps(4, 1000, $fixed, 2, 'isolated',
            @blocks);
        $behind = max($behind, 100 * (1 - chosen_rows($ms, 4, 1000, $fixed) / max(@fixed)));
    }
    $behind = sprintf '%.1f', $behind;
    agreement('pipeline', 5);
    conclusion($behind <= 2, "the chosen block is about the best, whatever messages cost: $behind % behind at most",
        "It is up to $behind % behind.");
    note('Model: S4, and S5 where the block is chosen. Simulated: sweeps of the real pipeline, with a barrier after',
        'each, as the model has them. Best: without one, with blocks chosen for that. Two sweeps try blocks; they',
        'count in the rows of all ten.');
    note('The paper draws its figures, and does not state its message costs and times of a point. Here: 1, 5 and 25 ms',
        'of processor time for an empty message on both sides together, 10 us a point.');
}

# Figure 9: blocks of 1.5 quanta, and chosen ones.
sub fixed_grain
{
    title('Efficiency of pipelined SOR with a grain of 150 ms and the chosen one (Figure 9)');
    head('size, workers');
    my %over; # efficiency with the chosen block over that with the fixed one, by workers
    for my $size ($short ? 1000 : (1000, 2000)) {
        for my $workers ($short ? (2, 16) : (2, 4, 8, 16)) {
            my $block = int(1.5 * $quantum * $workers / ($size * $point) + 0.5);
            my $fixed = fixed_row("$size, $workers, 150 ms ($block)", $workers, $size,
                sweep_model($workers, $size, 0.001, $block), sweeps($workers, $size, 0.001, 2, 'isolated', $block));
            push @{$over{$workers}}, sprintf '%.2f', chosen_rows("$size, $workers", $workers, $size, 0.001) / $fixed;
        }
    }
    agreement('pipeline', 5);
    my ($few, $many) = (max(@{$over{2}}), min(@{$over{16}}));
    conclusion($few < 1.05 && $many > $few, "a fixed grain is as good as the chosen one on few workers and worse on "
        . "many: the chosen one reaches $few times its efficiency on 2, and $many on 16", "$few and $many times.");
    note('An empty message takes 1 ms. The paper has two sizes and does not say which; these are those of its',
        'evaluation.');
}

# --- loops on machines that let processes run in turns (Figures 11 and 13) ---

# What the paper states; "-": nothing.
sub turns_paper
{
    my ($kind, $loads, $grain, $bound) = @_;
    return $bound if $kind eq 'pipelined';
    my $period = 1 + max(split /,/, $loads);
    my $beyond = $grain / $period - int($grain / $period + 0.5);
    return $grain > $period / 2 && abs($beyond) < 0.001 ? 1 : '-';
}

# 200 quanta of work on 4 workers. In the simulation 4000 elements are cut, so grains are rounded to these.
sub turns
{
    my @grains = $short ? (0.25, 1, 4) : (0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8);
    for my $kind (qw(pipelined barrier)) {
        title("Efficiency of loops under round-robin scheduling, $kind (Figure " . ($kind eq 'pipelined' ? 11 : 13)
            . '): 200 quanta, 4 workers');
        head('loads on each; grain, quanta');
        my ($apart, @short, @long) = (0);
        for my $loads ('1,0,0,0', $short ? () : ('1,1,0,0', '2,0,0,0')) {
            my $available = sum0(map { 1 / (1 + $_) } split /,/, $loads);
            my @elements = map { int($_ * 4000 / 200 * $available + 0.5) } @grains;
            my @simulated = map { [split] } simulate(platform => ['1us', '1GBps', ('1M') x 4],
                run => ['papers_dir/ss97/turns', $kind, $quantum, 200, $loads, @elements]);
            for my $model (model('turns', $kind, 200, $loads, map { $_->[1] } @simulated)) {
                my ($grain, $efficiency, $bound) = @$model;
                my $simulated = (shift @simulated)->[2];
                checked_row("$loads; $grain", turns_paper($kind, $loads, $grain, $bound), $efficiency, $simulated, '-');
                $apart = max($apart, sprintf '%.1f', 100 * abs($bound - $simulated)) if $kind eq 'pipelined';
                push @{$grain < 1 ? \@short : \@long}, $simulated;
            }
        }
        agreement($kind, 5);
        if ($kind eq 'pipelined') {
            conclusion($apart < 5, "pipelines stay close to S3's bound whatever the grain: $apart points away at most",
                "They are up to $apart points away.");
        } else {
            conclusion(max(@short) < max(@long), 'with barriers the grain should be large: at most ' . max(@short)
                . ' with grains below a quantum, up to ' . max(@long) . ' with longer ones', '');
        }
    }
    note('Paper: for pipelines the bound that efficiencies stay close to (S3); with barriers 1 where grains are',
        'multiples of the scheduling period, as it states. Efficiency is of what loads leave that get their part of',
        'the turns and no more.');
    note('Grain: computing from one synchronisation to the next on a machine without load. Simulated: messages of the',
        'real pipeline, and turns that the program plays: who waits gives its turn away, and waits for those of others',
        'when it is back.');
}

# --- when rows move: period, filter, threshold, costs and benefits (Figures 19, 22, 24, and section 6.3) ---

sub movements
{
    my @case = ('turns', 60, 30, 'sor 1000');
    my $raw = 'rate:quantum=1,gain=0,filter=no,pipelined=no,greatly=inf';
    my @filtered = qw(filtered=1 pipelined=1 near=0.05);
    my $best = efficiency(4, 60, 30, (rows($default, 4, @case))[0], 'sor 1000');
    my ($simulated, $model, %off);
    my $rows = sub {
        my ($name, $published, $policy, @how) = @_;
        my ($time, $movements, $moved) = rows($policy, 4, @case);
        $simulated = efficiency(4, 60, 30, $time, 'sor 1000');
        $model = oscillation(4, 60, 30, 'sor 1000', @how);
        row($name, $published, $model, $simulated, $best);
        row('  movements', '-', '-', $movements, '-');
        row('  rows moved', '-', '-', $moved, '-');
    };
    title('Efficiency beside a load for 30 of 60 s: 1000 x 1000 SOR, 40 iterations, 4 workers');
    head('period (Figure 19), quanta');
    for my $quanta ($short ? (2, 10) : (2, 5, 10, 20, 50)) {
        my $period = calculated($quanta * $quantum);
        $rows->($quanta, '-', "$raw,period=$period", how(4, $period, 0));
        $off{$quanta} = abs(difference($model, $simulated));
    }
    head('filter (Figure 22)');
    $rows->('raw rates', '-', "$raw,period=1", how(4, 1, 0));
    $rows->('filtered rates', '-', $raw =~ s/filter=no/filter=yes/r . ',period=1', how(4, 1, 0), 'filtered=1',
        'near=0.05');
    head('threshold (Figure 24)');
    $rows->('none', '-', $paper =~ s/gain=0.1/gain=0/r, how(4, 1, 2), @filtered);
    $rows->("0.05 (Keel's)", '-', $paper =~ s/gain=0.1/gain=0.05/r, how(4, 1, 2), @filtered, 'gain=0.05') if !$short;
    $rows->('0.1', 0.777, $paper, paper_how(4));
    missed($simulated);
    my $short_off = delete $off{2};
    bar('model beside simulation at periods of 5 quanta or more, difference in %', max(values %off), 5);
    conclusion($short_off <= 5, 'the model holds where a period is two quanta, too',
        "It is $short_off % off there: rates that are measured over two turns of a quantum are wrong by up to half, so"
            . ' rows move by mistake, of which the model knows nothing.');
    note("Best: Keel's default. Parameters are as in the paper's footnotes 4, 6 and 7. The load and the program take",
        'turns of a quantum, which a waiting program keeps; rates that are measured over few quanta vary, of which the',
        'model knows nothing.');
    note('The paper states 77.7 % and, in a run in which an imbalance under the threshold stayed, 75.6 %. Its sweeps',
        'are pipelined and lose some time without any load, which is not stated: these movements would leave 77.7 % of',
        'sweeps that are', int(77.7 / $simulated + 0.5), '% efficient, which Figure 8 has between 5 and 25 ms a',
        'message.');
}

# --- a constant load (section 7, Figures 18 and 23) ---

# A load that takes turns of a quantum with the program all the time, or half of the machine.
my %constant = (turns => ['turns', 2 * $quantum, 2 * $quantum], half => ['half', 1e6, 1e6]);

sub constant
{
    my $format = "%-37s %9s %9s %9s %9s %9s\n";
    my $worst = 0;
    title('Efficiency beside a constant load on one machine, and with none (section 7, no figures)');
    printf $format, '', 'none', 'stay', "paper's", 'default', 'movements';
    for my $program ($short ? () : 'mm 500', 'sor 1000', 'sor 2000') {
        for my $workers ($short ? 4 : (4, 16)) {
            my @load = @{$constant{half}};
            my @runs = map { [rows($_, $workers, @load, $program)] } 'off', $paper, $default;
            my @efficiencies = map { efficiency($workers, @load[1, 2], $_->[0], $program) } @runs;
            my $none = efficiency($workers, 0, 0, (rows($paper, $workers, 'none', 0, 0, $program))[0], $program);
            printf $format, label($program, $workers, 'constant') =~ s/ s$//r, $none, @efficiencies, $runs[1][1];
            $worst = max($worst, sprintf '%.1f', 100 * (1 - $efficiencies[1] / $none)) if $program ne 'sor 2000';
        }
    }
    conclusion($worst <= 5, "beside a constant load efficiencies are very similar to those without one: $worst % below",
        "The paper's method is up to $worst % below them.");
    my @turns = @{$constant{turns}};
    printf $format, 'Figure 23: movements', '', '', 'threshold', 'none', '';
    my @of = map {
        my $program = $_;
        my @movements = map { (rows($_, 4, @turns, $program))[1] } $paper, $paper =~ s/gain=0.1/gain=0/r;
        printf $format, $program, '', '', @movements, '';
        $movements[0];
    } 'sor 1000', 'sor 1000, 80 iterations';
    conclusion($of[0] > 0 && $of[1] == $of[0],
        'with a threshold of 0.1 the work stays where it is after a time of instability',
        "$of[0] movements in 40 iterations, $of[1] in 80.");
    note("None: without load, by the paper's method. By halves: the load has half of the machine. Figure 23: it takes",
        'turns of a quantum with the program, so that rates vary with what a period catches of them.');
}

# How far rates of the loaded machine are from their mean, raw and filtered: half of the range over the mean, in %, in a
# run in which rows stay and it looks every so many quanta.
sub variation
{
    my ($quanta) = @_;
    my $trace = "$folder/rates";
    fields_of_rows('', "$method,greatly=inf" =~ s/period=1/'period=' . calculated($quanta * $quantum)/er
        =~ s/gain=0.1/gain=0.9/r, 4, @{$constant{turns}}, 'sor 1000, hooks within a quantum',
        KEEL_MPI_TRACE => $trace);
    open my $file, '<', "$trace.0" or die "keel: ss97: $trace.0: $!\n";
    my @rates = map { [(split /,/)[3, 4]] } grep { /^\d/ } <$file>;
    splice @rates, 0, 3; # of the first interactions, before the filter has settled
    return map {
        my $field = $_;
        my @some = map { $_->[$field] } @rates;
        sprintf '%.1f', 50 * (max(@some) - min(@some)) / (sum0(@some) / @some)
    } 0, 1;
}

# What a period of few quanta measures (Figure 18).
sub measured
{
    my $format = "%-37s %16s %16s %16s\n";
    my %found;
    title('Rates beside a constant load, apart from their mean by up to, % (Figure 18): 1000 x 1000 SOR, 4 workers');
    printf $format, 'period, quanta', 'model', 'raw', 'filtered';
    for my $quanta ($short ? (1, 10) : (1, 2, 3, 5, 10, 20)) {
        $found{$quanta} = [variation($quanta)];
        printf $format, $quanta, (sprintf '%.1f', 100 / $quanta), @{$found{$quanta}};
    }
    note('The load and the program take turns of a quantum. Model: a period of n quanta catches up to half a quantum',
        'more or less of the n / 2 that the program gets. Simulated: of runs in which rows stay, the rates of all',
        'interactions but the first three; periods end at hooks. The paper draws rates, without numbers.');
    my ($ten, $one) = map { $found{$_}[1] } 10, 1;
    conclusion($ten <= 10 && $one > 10, 'from periods of 10 quanta on filtered rates are as near as the threshold: '
        . "$ten %, $one at one quantum", "$ten % at 10 quanta, $one at one.");
}

# Figure 20: what balancing costs the master.
sub master
{
    my $format = "%-37s %16s %16s %16s\n";
    my %load = (none => ['none', 0, 0], constant => $constant{half}, oscillating => ['half', 60, 30]);
    my ($most, $apart) = (0, 0);
    title('Part of the master in balancing, % (Figure 20): 500 x 500 products, a period of 5 quanta');
    printf $format, 'workers', map { "$_ load" } qw(no constant oscillating);
    for my $workers ($short ? (4, 16) : (2, 4, 8, 16)) {
        my @parts = map {
            100 * in_balancing($paper =~ s/period=1/period=0.5/r, $workers, @{$load{$_}}, 'mm 500')
        } qw(none constant oscillating);
        printf $format, $workers, map { sprintf '%.2f', $_ } @parts;
        $most = sprintf '%.2f', max($most, @parts);
        $apart = sprintf '%.2f', max($apart, max(@parts) - min(@parts));
    }
    note('Stand-in: simulated decisions take no time, so what is counted is the messages of the worker that spends',
        'most in balancing, at 1 ms each; the paper has a master of its own and measures its processor time.');
    conclusion($most < 5, "balancing takes a small part of the master up to 16 workers: $most %",
        "It takes up to $most %.");
    conclusion($apart < 1, "loads change that part only slightly: by $apart % of the time",
        "By up to $apart % of the time.");
}

# S12, where movements cost much and loads change soon: as published, and in Keel's way.
sub profitability
{
    my $format = "%-44s %9s %24s %10s %11s\n";
    title('Costs and benefits (S12): 2000 x 2000 SOR, load for 10 of 20 s; fitted: MB/s; seeds', @seeds);
    my %median;
    printf $format, 'workers; cancelled where cost exceeds', 'time, s', 'of seeds', 'movements', 'rows moved';
    for my $workers (4, 16) {
        for (['rows stay', 'off'], ['never', $anyway],
            (map { ["$_->[0], published", "$method,profit=published,greatly=$_->[1]"] } ['4 times the benefit', 4],
                ['2 times the benefit', 2], ['the benefit', 1]),
            ['the benefit, as Keel weighs it', "$method,greatly=1"]) {
            my ($name, $policy) = @$_;
            my ($time, @moved) = rows($policy, $workers, 'half', 20, 10, 'sor 2000');
            my $runs = methods_runs([['one', $policy]], $workers, 20, 10, 'sor 2000', @seeds);
            $median{"$workers $name"} = spread($runs, 'one')->[0];
            printf $format, "$workers; $name", $time, shown(spread($runs, 'one'), 1), @moved;
        }
    }
    my @gains = map { sprintf '%.1f', 100 * (1 - $median{"$_ 2 times the benefit, published"} / $median{"$_ never"}) }
        4, 16;
    my $gains = "$gains[0] % of the time on 4 workers, $gains[1] on 16";
    conclusion(min(@gains) > 0, "cancelling movements that cost too much is a small improvement: $gains",
        "It saves $gains, at twice the benefit.");
    note('Published: past costs against the gain times how long rates have stayed. As Keel weighs it: no longer than',
        'what is left of the run. The paper says "greatly exceeds" and no number.');
    note("Times: the load is there from the beginning; of seeds: it begins as drawn (medians and ranges over @seeds).");
}

# --- loads that come and go: the model (Figures 32 to 34) ---

my %label = (gs => 'pipelined SOR', sor => 'red-black SOR', mm => 'MM');

sub label
{
    my ($program, $workers, $period) = @_;
    my ($kind, $size) = split ' ', $program;
    return "$label{$kind} $size, $workers workers, $period s";
}

# With a load that is there from the beginning.
sub oscillations
{
    my $stated;
    title('Efficiency beside an oscillating load on one machine (S16, Figures 32-34); MB/s: fitted');
    head('load for half of each period');
    for my $program ($short ? () : 'mm 500', 'sor 1000', 'sor 2000') {
        for my $workers ($short ? (4, 16) : (2, 4, 8, 16)) {
            for my $period (60, 20) {
                my @case = ($workers, $period, $period / 2);
                my ($follows, $published, $own) = map {
                    efficiency(@case, (rows($_, $workers, 'half', $period, $period / 2, $program))[0], $program)
                } $anyway, $paper, $default;
                my $is_stated = "$program $workers $period" eq 'sor 1000 4 60';
                checked_row(label($program, $workers, $period), $is_stated ? 0.777 : '-',
                    oscillation(@case, $program, paper_how($workers)), $follows, $own);
                $stated = $published if $is_stated;
            }
        }
    }
    agreement('oscillating load', 5);
    missed($stated);
    note("Simulated: rows follow whatever it costs, as the model has it. Best: Keel's default.");
    note('The model has what S16 has and two things more that follow from the method: a load that is there from the',
        'beginning is seen with the first figures, and a change that gains less than the threshold, as its going does',
        'on 8 and 16 workers, is not followed.');
}

# --- every method beside loads that begin at drawn times (Figures 25 to 30) ---

# Runs [NAME, SEED, SECONDS] of [NAME, POLICY] pairs.
sub methods_runs
{
    my ($methods, $workers, $period, $on, $program, @some) = @_;
    my @runs = map { my $method = $_; map { [@$method, $_] } @some } @$methods;
    my @seconds = beside(sub {
        my (undef, $policy, $seed) = @{$_[0]};
        print +(rows($policy, $workers, "half\@$seed", $period, $on, $program))[0];
    }, @runs);
    return [map { [@$_[0, 2], shift @seconds] } @runs];
}

my %compared; # runs by "PROGRAM WORKERS PERIOD"

# Red-black SOR and, in the long form, products: all loads on 4 and 16 workers; in the long form the paper's method and
# the default on 2 and 8, too. The paper's SOR, pipelined: three seeds for the smaller one on 4 workers and the first
# one for others, as these take simulations long; in the short form the paper's method and the default alone, of the
# smaller one on 4, a load of 60 s and the first seed.
sub run_all
{
    my $run = sub {
        my ($methods, $program, $workers, $period, @some) = @_;
        $compared{"$program $workers $period"} = methods_runs($methods, $workers, $period, $period / 2, $program,
            @some);
    };
    for my $program ('sor 1000', 'sor 2000', $short ? () : 'mm 500') {
        for my $period (60, 20) {
            $run->([@old, @own], $program, $_, $period, @seeds) for 4, 16;
            $run->(\@main, $program, $_, $period, @seeds) for $short ? () : (2, 8);
        }
    }
    return $run->(\@main, 'gs 1000', 4, 60, 1) if $short;
    for my $program ('gs 1000', 'gs 2000') {
        for my $period (60, 20) {
            $run->(\@swept, $program, $_, $period, "$_ $program" eq '4 gs 1000' ? 1 .. 3 : 1) for 4, 16;
        }
    }
}

# Of those that were run: [PROGRAM, WORKERS, PERIOD].
sub cases
{
    my ($programs, @workers) = @_;
    return grep { $compared{"@$_"} } map {
        my $program = $_;
        map { my $period = $_; map { [$program, $_, $period] } @workers } 60, 20;
    } @$programs;
}

my @all = ('mm 500', 'gs 1000', 'gs 2000', 'sor 1000', 'sor 2000');

# Medians of the one over those of the other.
sub medians_over
{
    my ($runs, $one, $other) = @_;
    return sprintf '%.3f', median(spread($runs, $one)) / median(spread($runs, $other));
}

# The least and the largest of these in some cases.
sub range_over
{
    my ($one, $other, @cases) = @_;
    my @over = map { medians_over($compared{"@$_"}, $one, $other) } @cases;
    return (min(@over), max(@over));
}

sub compared_row
{
    my ($case) = @_;
    my $runs = $compared{"@$case"};
    my ($old, $own) = (best_of($runs, names(@old)), best_of($runs, names(@own)));
    my %seen;
    my @some = grep { !$seen{$_}++ } map { $_->[1] } @$runs;
    compare(label(@$case), 2, 'fitted: MB/s' . ($case->[0] =~ /^gs/ ? "; seeds @some" : ''), '-', spread($runs, 'ss97'),
        spread($runs, 'default'), [spread($runs, $old), $old], [spread($runs, $own), $own]);
}

sub conclusions
{
    my ($kind, $words) = @_;
    print "  The paper's conclusions, for $words sweeps:\n";
    for my $size (1000, 2000) {
        my ($least, $most) = range_over('ss97', 'stay', grep { $_->[2] == 60 } cases(["$kind $size"], 2, 4, 8, 16));
        conclusion($most < 1, "with loads of 60 s following pays for SOR $size: $least to $most of staying",
            "With some workers it takes up to $most.");
    }
    my ($least, $most) = range_over('ss97', 'stay', grep { $_->[2] == 20 } cases(["$kind 2000"], 2, 4, 8, 16));
    conclusion($least > 1, "with loads of 20 s SOR 2000 gets considerably slower than rows that stay: $least to $most",
        'Tested: numbers of workers and seeds here, its pipelined sweeps below, bandwidths of 1, 3 and 12.5 MB/s in the'
            . ' long form; the paper does not state its own.');
}

# What the bandwidth does, which the paper leaves open.
sub bandwidths
{
    title('SOR 2000, load for 10 of 20 s: time over that of rows that stay, by the bandwidth; seeds', @seeds);
    printf "%-37s %16s %16s\n", 'MB/s, workers', "paper's method", "Keel's default";
    for my $other (1, 3, 12.5) {
        for my $workers (4, 16) {
            $bandwidth = $other;
            my $runs = methods_runs(\@main, $workers, 20, 10, 'sor 2000', @seeds);
            printf "%-37s %16s %16s\n", "$other, $workers", map {
                calculated(median(spread($runs, $_)) / median(spread($runs, 'stay')))
            } qw(ss97 default);
        }
    }
    $bandwidth = 3;
}

sub methods
{
    run_all();
    for my $workers (4, 16) {
        title("Time in s beside an oscillating load on one machine (Figures 25-30), $workers workers");
        compare_head();
        compared_row($_) for cases(\@all, $workers);
    }
    bar("Keel's default, time over that of the paper's method: highest", (range_over('default', 'ss97', cases(\@all, 4,
        16)))[1],
        1.04);
    bar("Keel's default, time over that of rows that stay: highest", (range_over('default', 'stay', cases(\@all, 4,
        16)))[1],
        1.02);
    compare_note("Keel's rows with KEEL_MPI_BALANCE=$paper", "KEEL_MPI_BALANCE=$default",
        join(' ', names(@old)) . ", which are Keel's", join(' ', names(@own)));
    seeds_note(@seeds);
    note('Drawn are where in its period the load is when the program begins, and 5 % of the length of its period. The',
        'paper draws its figures without numbers. Its SOR is the pipelined one, whose seeds stand in its rows (a',
        'simulation takes 40 times as long); red-black SOR stands beside it. Of pipelined sweeps, best ones are picked',
        'from fewer methods:',
        join(' ', names(@swept)) . '.');
    title('Whether following a load pays: time over that of rows that stay (fitted: MB/s); seeds', @seeds);
    printf "%-37s %10s %16s %16s\n", '', 'paper', "paper's method", "Keel's default";
    for (cases([@all[1 .. 4, 0]], 2, 4, 8, 16)) {
        my ($program, $workers, $period) = @$_;
        printf "%-37s %10s %16s %16s\n", label(@$_), "$program $period" =~ / 2000 20$/ ? 'above 1' : 'below 1',
            map { medians_over($compared{"$program $workers $period"}, $_, 'stay') } qw(ss97 default);
    }
    conclusions('sor', 'red-black');
    return if $short;
    conclusions('gs', "the paper's pipelined");
    bandwidths();
}

# --- the paper's SOR, pipelined and with rows that move within sweeps, beside the same in red and black (Figure 27) ---

sub sweeps_table
{
    my $format = "%-44s %9s %10s %10s %11s\n";
    my %time;
    title('Pipelined SOR beside red-black SOR: 4 workers, a load for half of each period');
    for my $size ($short ? 1000 : (1000, 2000)) {
        for my $period (60, 20, 0) {
            printf $format, "SOR $size, " . ($period > 0 ? "$period s" : 'no load'), 'time, s', 'efficiency',
                'movements',
                'rows moved';
            for (['pipelined', 'gs'], ['red-black', 'sor']) {
                my ($words, $kind) = @$_;
                for (['rows stay', 'off'], ["the paper's method", $paper], ["Keel's default", $default]) {
                    my ($name, $policy) = @$_;
                    my ($time, @moved) = rows($policy, 4, $period > 0 ? 'half' : 'none', $period, $period / 2,
                        "$kind $size");
                    printf $format, "  $words, $name", $time, efficiency(4, $period, $period / 2, $time, "$kind $size"),
                        @moved;
                }
            }
        }
    }
    note('The paper states 77.7 % and 75.6 % for its pipelined SOR 1000 at 60 s. Bandwidth, the time of a point and',
        'message times are not stated: these here are chosen.');
    print "  The paper's conclusions, for its pipelined sweeps:\n";
    my ($longer, $shorter) = map {
        my ($period, $program) = @$_;
        my ($stays, $follows) = map { (rows($_, 4, 'half', $period, $period / 2, $program))[0] } 'off', $paper;
        sprintf '%.3f', $follows / $stays;
    } [60, 'gs 1000'], [20, 'gs 2000'];
    conclusion($longer < 1, "with loads of 60 s following pays for SOR 1000: $longer of staying", '');
    conclusion($shorter > 1, "with loads of 20 s SOR 2000 gets considerably slower than rows that stay: $shorter",
        'Tested: 4 workers, a load that is there from the beginning, 3 MB/s. The paper states no bandwidth.');
}

run_parts(grain => \&grain, fixed => \&fixed_grain, turns => \&turns, movements => \&movements, constant => \&constant,
    measured => \&measured, master => \&master, profitability => \&profitability, oscillations => \&oscillations,
    methods => \&methods, sweeps => \&sweeps_table);

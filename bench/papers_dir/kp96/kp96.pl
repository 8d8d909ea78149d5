# Kim & Purtilo 1996 (PAPERS.md K1 to K9): loops shared by workstations of different speed.
#
#   loops (simulated), model -> lines -> tables
use strict;
use warnings;
use lib 'bench/papers_dir';
use Paper;

# Seconds that each of the 16 machines of K8 needs for the whole picture. The paper gives their kinds, the
# range of 250 to 2000 s and that two of them take 692 and 693 s; the others are ours: a SPARCstation 20, three
# SPARCstation 5, two SPARCstation 10, two DECstation 5000/25, four SPARCstation IPX, two DECstation 2/3100, two
# SPARCstation IPC.
my @k8_seconds = qw(250 400 405 410 330 340 900 910 688 692 693 700 1400 1420 1950 2000);

# Migrations of so many tasks, as published.
my %k8_sizes = (1 => 13, 2 => 6, 3 => 3, 4 => 3, 5 => 3, 6 => 1, 7 => 4, map { $_ => 1 } qw(10 11 12 17 19 20 30));

my $within = 10;                      # where ranks answer within rows: so often a mean row
my $per_row = 50;                     # and in small pictures
my ($alpha, $beta) = qw(0.004527 2.4e-6); # a message of PVM with datagrams, by the paper: s, and s a byte
my $result_bytes = 1600;              # of a row of 400 points
my $mean_s = 576;                     # that a machine needs for 800 rows of 800: K8's average speed

# Slow machines keep others waiting for minutes of simulated time, which is no fault.
$ENV{KEEL_MPI_DEADLINE} = 1000000;

# Looking for a message in vain takes 0.1 ms here, so that simulated waits of minutes take few steps.
my $looks = '--cfg=smpi/test:1e-4 --cfg=smpi/iprobe:1e-4';

# The published tree: equal shares, its paths alone and both ways, higher ones only where lower ones
# gave nothing.
my $tree = 'tree:shares=equal,links=paths,order=lowest';

# Methods that know the speeds; published ones, and Keel's own. Others that can't take back what they have
# given a slow machine end much later: bench/sim has them.
my @old = (['ss', 'ss'], ['wf2', 'wf2'], ['steal', 'steal:shares=equal'], ['diffuse', 'diffuse:shares=equal'],
    ['tree', $tree], ['tree-one-way', $tree =~ s/paths/one-way/r], ['tree-half', "$tree,gamma=0.5"]);
my @own = (['tree-all', 'tree:shares=equal'], ['tree-speed', 'tree'], ['rate-speed', 'rate']);
my $default = 'rate'; # as where KEEL_MPI_SCHEDULE is not set

# --- lines of programs ---

# Of lines that begin with `loop`: {SCHEDULE => [instance]}; what follows in a line of `sizes` and of `ends`, too.
sub loops_in
{
    my (%loops, @order, $last);
    for my $line (@_) {
        my ($word, @rest) = split ' ', $line;
        if ($word eq 'loop') {
            my %loop;
            @loop{qw(schedule instance time work ideal migrations migrated messages)} = @rest;
            $last = \%loop;
            push @order, $last;
            $loops{$loop{schedule}} //= $last; # its first instance
        } elsif ($word eq 'sizes') {
            $last->{sizes} = {map { split /:/ } @rest};
        } elsif ($word eq 'ends') {
            $last->{ends} = \@rest;
        }
    }
    return (\%loops, @order);
}

sub model
{
    return ask('papers_dir/kp96/kp96_model', @_);
}

# --- K7 ---

sub example
{
    my $tasks = 60;
    my ($model) = loops_in(model('example', $tasks));
    my ($played) = loops_in(simulate(platform => [qw(1us 1GBps 1e6 2e6 3e6 4e6)],
        set => {KEEL_MPI_WEIGHTS => '1,2,3,4'},
        run => ['sim/simulated_loops', 'even', 4 * $tasks, 4 * $tasks . 'e6', 'rows', 1, 'tree:shares=equal', 'tree']));
    my @columns = ($model->{tree}, @$played{'tree:shares=equal', 'tree'});
    title("K7: throughputs 1 to 4 tasks a second, $tasks tasks each");
    head();
    row('migrations', 2, map { $_->{migrations} } @columns);
    for my $size (3 * $tasks / 5, 3 * $tasks / 15) {
        row("of $size tasks", 1, map { $_->{sizes}{$size} // 0 } @columns);
    }
    row('finish, s', 2 * $tasks / 5, map { figure('%.2f', $_->{time}) } @columns);
    note('Simulated: tree:shares=equal, speeds known beforehand (KEEL_MPI_WEIGHTS), 2 us from host to host. Best:',
        'tree, whose first blocks go by these speeds: nothing is left to move.');
    my ($moves, $finish) = ($columns[1]{migrations}, sprintf '%.2f', $columns[1]{time});
    conclusion($moves == 2 && abs($finish * 5 / (2 * $tasks) - 1) < 0.05,
        "two migrations suffice, and all end together: $moves, $finish s", "$moves migrations, $finish s.");
}

# --- K8: rows of the Mandelbrot set on unequal workstations ---
#
# A run is [METHOD, SEED, TIME-OVER-IDEAL, SECONDS, MIGRATIONS, MIGRATED, MESSAGES]. Seeds draw the order of the
# machines and, of 16, the twelve whose speeds the paper does not state. One run in detail has the machines above in
# their order: seed 0, of no table else.

# Seconds that each machine needs alone for all rows.
sub machines
{
    my ($count, $state) = @_;
    return @k8_seconds if $count == 16 && $state == 0;
    my $shuffled = $state > 0;
    my $draw = sub { ($state = $state * 16807 % 2147483647) / 2147483647 };
    my @stated = (250, 692, 693, 2000);
    $draw->() for 1 .. 10;
    my @machines = (@stated, map { sprintf '%.0f', 250 * exp(log(8) * $draw->()) } 5 .. $count);
    for (my $i = $count; $shuffled && $i > 1; $i--) {
        my $j = 1 + int($i * $draw->());
        @machines[$i - 1, $j - 1] = @machines[$j - 1, $i - 1];
    }
    return @machines;
}

sub speeds
{
    return map { sprintf '%.0f', 1e9 / $_ } machines(@_);
}

# loops_on MACHINES, SEED, KNOWN, FLAGS, COSTS, ORDER, PIECES, SCHEDULE...: of 800 tasks, as of loops_in. KNOWN: 1: ranks
# are told the speeds.
sub loops_on
{
    my ($machines, $seed, $known, $flags, $costs, @rest) = @_;
    my @speeds = speeds($machines, $seed);
    return loops_in(simulate(platform => ['500us', '1.25MBps', @speeds], flags => "$flags $looks",
        set => $known ? {KEEL_MPI_WEIGHTS => weights_of(@speeds)} : {},
        run => ['sim/simulated_loops', $costs, 800, '1e9', @rest]));
}

# rows MACHINES, SEED, KNOWN, PIECES, FLAGS, SCHEDULE...: the same of the set, dealt in turns.
sub rows
{
    my ($machines, $seed, $known, $pieces, $flags, @schedules) = @_;
    return loops_on($machines, $seed, $known, $flags, 'set', 'turns', $pieces, @schedules);
}

# Runs of methods, [NAME, SCHEDULE]; the last instance counts where a schedule has several.
sub runs_of
{
    my ($machines, $seed, $known, $pieces, $flags, @methods) = @_;
    my ($first, @loops) = rows($machines, $seed, $known, $pieces, $flags, map { $_->[1] } @methods);
    my @runs;
    for my $loop (@loops) {
        pop @runs if $loop->{instance} > 1;
        push @runs, [$methods[@runs][0], $seed, sprintf('%.6f', $loop->{time} / $loop->{ideal}),
            @$loop{qw(time migrations migrated messages)}];
    }
    return @runs;
}

# Self-scheduling by a master on one more machine.
sub master_run
{
    my ($machines, $seed, $flags) = @_;
    my @speeds = speeds($machines, $seed);
    my ($time) = simulate(platform => ['500us', '1.25MBps', '1e6', @speeds], flags => $flags,
        run => ['sim/simulated_loops', 'set', 800, '1e9', 'rows', 1, 'master', 8, 3200]);
    return ['ss-master', $seed, sprintf('%.6f', $time / six(1e9 / sum0(@speeds))), $time, 0, 0, 1600];
}

# Of all methods.
sub all_runs
{
    my ($machines, $pieces, @seeds) = @_;
    return [map {
        (runs_of($machines, $_, 1, $pieces, '', @old, @own),
            runs_of($machines, $_, 0, $pieces, '', ['default', $default], ['rate-third', "$default*3"]),
            master_run($machines, $_, ''))
    } @seeds];
}

# A row, and with that many published migrations one of the migrations of the same methods.
sub k8_compare
{
    my ($name, $runs, $inputs, $migrations) = @_;
    my $old = best_of($runs, names(@old), 'ss-master');
    my $best = best_of($runs, 'default', names(@own));
    my @columns = ('tree', 'default', $old, $best);
    for (["$name", 2, '-', 2], ["$name: migrations", 0, $migrations, 4]) {
        my ($title, $digits, $paper, $field) = @$_;
        my @spreads = map { spread($runs, $_, $field) } @columns;
        compare($title, $digits, $inputs, $paper, @spreads[0, 1], [$spreads[2], $old], [$spreads[3], $best])
            if defined $paper;
    }
}

sub ratio
{
    return shown(over(@_), 2);
}

sub k8_table
{
    my ($runs, $inner, @seeds) = @_;
    title('K8: 800 rows of the Mandelbrot set: time over that of all work by all speed');
    compare_head('machines; answers');
    for my $machines (4, 16) {
        my $inputs = 'costs of rows: ours' . ($machines == 4 ? '' : ', 12 of 16 speeds: ours');
        k8_compare("$machines; between rows", $runs->{$machines}[0], $inputs, $machines == 16 ? 40 : undef);
        k8_compare("$machines; within rows", $runs->{$machines}[1], $inputs);
    }
    compare_note("Keel's loops with KEEL_MPI_SCHEDULE=$tree, told the speeds", "$default, told nothing",
        join(' ', names(@old)) . ", which are Keel's, and a program of the bench, ss-master",
        join(' ', 'default', names(@own)));
    seeds_note(@seeds);
    note("Within rows, where a simulation takes ten times as long, the first $inner of these. Drawn are the order of",
        'the machines and, of 16, the twelve speeds that the paper does not state, between 250 and 2000 s. 10 Mbit/s,',
        '1 ms from host to host; rows dealt in turns; all but the default and ss-master are told the speeds. The',
        'master of ss-master is one machine more, which computes nothing. Costs of rows are those of a depth of 1000,',
        'which the paper does not state.');
}

sub k8_conclusions
{
    my ($between, $inside) = @_;
    my $migrations = spread($between, 'tree', 4);
    my ($middle, $least, $most) = @$migrations;
    my $ratio = over($between, 'tree', 'ss-master');
    note("Seed by seed, on 16 machines between rows, Keel's default takes", ratio($between, 'default', 'tree'),
        "of the published tree's time, and", ratio($between, 'default', 'ss-master'), "of the master's.");
    print "  The paper's conclusions:\n";
    conclusion(figure('%.2f', $ratio->[0]) < 0.95, "the tree's finish time is much improved over self-scheduling",
        'The published tree takes ' . shown($ratio, 2) . ' of what self-scheduling by a master takes, '
            . ratio($between, 'tree', 'ss') . ' where the master computes, too, and answers between rows, and '
            . ratio($inside, 'tree', 'ss') . ' where it answers within rows. Tested: both ways and one way, shares by'
            . ' speed and halves, answers between and within rows, 4 and 16 machines, messages of 1 ms and, below, of'
            . " 4.5 ms. Not tested: the paper's machines, network and program, of which it gives no times.");
    conclusion($middle >= 34 && $middle <= 46, 'some 40 migrations: ' . shown($migrations, 0) . ' over seeds',
        'A count depends on the twelve speeds that the paper does not state.');
    conclusion($most <= 84.7, "formula K6 bounds the migrations: at most $most of 84.7",
        "$most over seeds are more than 84.7; the formula takes r_max of two machines alone.");
}

# The messages of the paper: what PVM with datagrams takes each side.
sub costly
{
    my $flags = join ' ', map { "--cfg=smpi/$_:0:$alpha:$beta" } qw(os ois or);
    my $runs = [map {
        (runs_of(16, $_, 1, 1, $flags, ['tree', $tree], ['tree-all', 'tree:shares=equal']),
            runs_of(16, $_, 0, 1, $flags, ['default', $default]), master_run(16, $_, $flags))
    } @_];
    note("With messages of 4.5 ms and 2.4 us a byte on each side (the paper's, of PVM with datagrams) the published",
        'tree takes', ratio($runs, 'tree', 'ss-master'), "of the master's time, Keel's tree",
        ratio($runs, 'tree-all', 'ss-master') . ", and Keel's default", ratio($runs, 'default', 'ss-master') . '.');
}

# Every method, the quickest first.
sub methods_table
{
    my ($runs, $title, @seeds) = @_;
    my @methods = (
        ['ss-master', 'self-scheduling (1986), a master beside them'],
        ['ss', 'the same; the counter is with a worker'],
        ['wf2', 'weighted factoring (1996), told the speeds'],
        ['steal', 'random victims (1999)'],
        ['diffuse', 'neighbourhoods (2005)'],
        ['tree', "K3's paths, both ways: as published"],
        ['tree-one-way', "K3's paths, only faster ones ask"],
        ['tree-half', "K3's paths, both ways, halves"],
        ['tree-all', "Keel's: more links, in turns"],
        ['tree-speed', "Keel's: and first blocks by speed"],
        ['rate-speed', "Keel's default, told the speeds"],
        ['default', "Keel's default, first instance"],
        ['rate-third', "Keel's default, third instance"]);
    my $format = "%-14s %-46s %22s %16s %18s\n";
    title("K8, 16 machines, $title: every method, medians and ranges over seeds", @seeds);
    printf $format, 'method', '', 'over ideal', 'migrations', 'messages';
    my %over = map { $_->[0] => shown(spread($runs, $_->[0]), 3) =~ s/ .*//r } @methods;
    for (sort { $over{$a->[0]} <=> $over{$b->[0]} } @methods) {
        my ($method, $words) = @$_;
        printf $format, $method, $words, shown(spread($runs, $method), 3),
            map { shown(spread($runs, $method, $_), 0) } 4, 6;
    }
}

# --- one run in detail ---

sub detail
{
    my @said = model('rows', 800, '1e9', speeds(16, 0));
    my ($model) = loops_in(@said);
    my ($published) = rows(16, 0, 1, 1, '', $tree, 'ss');
    my ($own) = rows(16, 0, 0, 1, '', $default);
    my ($formula, $greedy, $ss) = map { my $word = $_; map { /^$word (\S+)/ ? $1 : () } @said } qw(formula greedy ss);
    my ($both, $played) = ($model->{both}, $published->{$tree});

    title("K8: the published tree beside Keel's model of it; 12 of 16 speeds: ours");
    head();
    row('tree, s', '-', (map { figure('%.2f', $_->{time}) } $both, $played), '-');
    row('migrations, tree', 40, (map { $_->{migrations} } $both, $played), '-');
    row('tasks migrated, tree', 214, (map { $_->{migrated} } $both, $played), '-');
    row('ss by a master, s', '-', (map { figure('%.2f', $_) } $ss, master_run(16, 0, '')->[3]), '-');
    row('migrations by formula K6', 84.7, $formula, '-', '-');
    row('greedy schedule, s', '-', figure('%.2f', $greedy), '-', '-');
    row('all work over all speed, s', '-', figure('%.2f', $both->{ideal}), '-', '-');
    note('Model: whole tasks played along the paths, the next ones handed over. Simulated:',
        "mpi_backend with $tree, which hands the last ones over. The greedy schedule knows all: costliest row first,",
        'each to the machine that finishes it first. One set of machines: how counts differ with the twelve speeds is',
        'above.');

    my @columns = ($published->{ss}, $both, $played, $own->{$default});
    title('K8: when each machine ends, s (figure 6b of the paper, which has no numbers)');
    printf "%-12s %9s %12s %9s %9s\n", 'alone, s', 'ss', 'tree, model', 'tree', 'default';
    for my $machine (0 .. 15) {
        printf "%-12s %9s %12s %9s %9s\n", $k8_seconds[$machine], map { figure('%.1f', $_->{ends}[$machine]) } @columns;
    }

    my @sizes = (\%k8_sizes, map { $_->{sizes} } @columns[1 .. 3]);
    my %all = map { %$_ } @sizes;
    title('K8: migrations of so many tasks');
    printf "%-12s %9s %12s %12s %9s\n", 'tasks', 'paper', 'tree, model', 'tree', 'default';
    for my $size (sort { $a <=> $b } keys %all) {
        printf "%-12s %9s %12s %12s %9s\n", $size, map { $_->{$size} // 0 } @sizes;
    }
}

sub k8
{
    my @seeds = seeds($short ? 2 : 15);
    my @inner = seeds($short ? 2 : 10);
    my %runs = map { $_ => [all_runs($_, 1, @seeds), all_runs($_, $within, @inner)] } 4, 16;
    k8_table(\%runs, scalar @inner, @seeds);
    k8_conclusions(@{$runs{16}});
    costly(@seeds);
    methods_table($runs{16}[0], 'answers between rows, as published', @seeds);
    methods_table($runs{16}[1], 'answers within rows', @inner);
    detail();
}

# --- saturation ---

# A fourth of K8's points is 250e6 operations.
my $alike = sprintf '%.0f', 1e9 / $mean_s;

# On that many machines, alike.
sub saturated
{
    my ($machines, @run) = @_;
    return simulate(platform => ['50us', '1.25MBps', ($alike) x $machines], run => \@run,
        flags => join(' ', map { "--cfg=smpi/$_:0:$alpha:$beta" } qw(os ois or)));
}

# Time by a master and so many workers.
sub master_time
{
    return (saturated($_[0] + 1, 'sim/simulated_loops', 'set', 400, '250e6', 'rows', 1, 'master', 8, $result_bytes))[0];
}

# How many workers keep the master busy with rows of the mean cost, and the time by each number of workers.
sub saturation_model
{
    return map { split } model('saturation', 400, '250e6', $alike, @_, '1e-4', 8, $result_bytes, 64);
}

sub saturation
{
    my @workers = $short ? (4, 25) : (2, 4, 8, 12, 16, 20, 25, 30, 35, 40);
    my %model = saturation_model($alpha, $beta);
    my %streams = saturation_model(0.001661, '1.57e-6');
    my $own_ss;
    title('Self-scheduling of 400 rows of 400 points: time, s, and where it saturates');
    head();
    for my $workers (@workers) {
        my %time;
        for (['ss', 'rows'], ['tree', 'turns']) {
            my ($schedule, $order) = @$_;
            my ($loops) = loops_in(saturated($workers, 'sim/simulated_loops', 'set', 400, '250e6', $order, $per_row,
                $schedule));
            $time{$schedule} = $loops->{$schedule}{time};
        }
        $own_ss = sprintf '%.1f s with %s', $time{ss}, $workers;
        row("$workers workers", '-', map { figure('%.2f', $_) } $model{$workers}, master_time($workers), $time{tree});
    }
    # as many as would take as long as 64 do, if one takes so long and nobody waits
    my ($by_model, $found) = map { sprintf '%.1f', $_ } $model{1} / $model{64}, master_time(1) / master_time(64);
    row('saturation, workers', 25, $by_model, $found, '-');
    note('Simulated: a master that does nothing else gives each worker a row at a time, as in the paper. It is',
        'saturated by so many workers as would take as long as 64 do, if nobody ever waited. Model: its play; by the',
        "mean cost of rows alone, $model{workers} workers keep it busy. Best: Keel's tree, rows dealt in turns.",
        "Keel's ss takes $own_ss: the",
        'rank that has the counter computes, too; others draw several rows ahead where answers are slow, and rows are',
        'brought together after the loop.');
    note("Open in the paper: machines (here alike, $mean_s s for K8's picture, K8's mean speed) and what a message",
        "costs (here the paper's own figures for PVM with datagrams, 4.5 ms and 2.4 us a byte, at each end). The point",
        'moves with the time of a row over that of a message: about half as many workers for machines twice as fast,',
        "and $streams{workers} with the paper's 1.7 ms for streams.");
    conclusion(abs($found / 25 - 1) < 0.15, "self-scheduling is saturated by some 25 workers: $found", "$found.");
}

# --- K9 ---

# 2000 tasks of 0.2 s on 4 machines of speed 1 and, unless it is 0, one of speed ADDED: times of static and tree.
sub shares
{
    my ($added) = @_;
    my @speeds = (('1e6') x 4, $added > 0 ? "${added}e6" : ());
    my ($loops) = loops_in(simulate(platform => ['500us', '1.25MBps', @speeds],
        set => {KEEL_MPI_WEIGHTS => weights_of(@speeds)},
        run => ['sim/simulated_loops', 'even', 2000, '400e6', 'rows', 1, 'static', 'tree']));
    return map { figure('%.1f', $loops->{$_}{time}) } qw(static tree);
}

sub anomaly
{
    my @added = $short ? qw(0.4 0.8 1) : qw(0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1);
    my @model = map { [split] } model('anomaly', 400, 4, @added);
    my ($without, $limit) = @{$model[0]}[1, 3];
    title('K9: equal shares, 4 machines of speed 1 and one more: time, s');
    head();
    my ($alone) = my @alone = shares(0);
    my @wrong;
    row('without it', (figure('%.1f', $without)) x 2, @alone);
    for (@model) {
        my ($static) = my @simulated = shares($_->[0]);
        row("speed $_->[0]", (figure('%.1f', $_->[2])) x 2, @simulated);
        push @wrong, $_->[0] if ($static > $alone) != ($_->[0] < $limit);
    }
    note("The paper's column is its formula. A machine slower than n/(n + 1), here", figure('%.1f', $limit) . ',',
        'of the slowest makes it take longer. Simulated: static. Best: tree, which gives each its share by speed.');
    conclusion(!@wrong, 'one more machine makes the job slower if, and only if, it is slower than that',
        "Not of speeds @wrong.");
}

# Section 4.3: what tasks lie where at first. A run is [METHOD, SEED, TIME-OVER-IDEAL, MIGRATIONS].
my @first = (
    ['equal blocks', 'rows', $tree],
    ['largest first', 'largest', $tree],
    ['by cost and speed', 'shares', $tree =~ s/shares=equal,//r],
    ["Keel's default", 'rows', $default]);

sub first_runs
{
    my ($costs, @seeds) = @_;
    return [map {
        my $seed = $_;
        map {
            my ($name, $order, $schedule) = @$_;
            my (undef, $loop) = loops_on(16, $seed, $schedule ne $default, '', $costs, $order, 1, $schedule);
            [$name, $seed, sprintf('%.6f', $loop->{time} / $loop->{ideal}), $loop->{migrations}]
        } @first;
    } @seeds];
}

sub initial
{
    my @seeds = seeds($short ? 1 : 15);
    my $format = '%-37s' . ' %20s' x @first . "\n";
    my (%time, %moves);
    title('K9: where tasks lie at first, 16 machines of K8, 800 tasks: time over that of all work by all speed; seeds',
        @seeds);
    printf $format, 'costs', map { $_->[0] } @first;
    for my $costs (qw(even rising falling irregular)) {
        my $runs = first_runs($costs, @seeds);
        printf $format, $costs, map { shown(spread($runs, $_->[0]), 2) } @first;
        printf $format, '  migrations', map { shown(spread($runs, $_->[0], 3), 0) } @first;
        $time{$costs} = {map { $_->[0] => spread($runs, $_->[0])->[0] } @first};
        $moves{$costs} = {map { $_->[0] => spread($runs, $_->[0], 3)->[0] } @first};
    }
    note('By cost and speed: blocks in proportion to throughput, of tasks of all costs. The first three are the',
        "published tree, told the speeds. Costs: alike; from a tenth of the mean to 1.9 of it, or back; drawn from an",
        'exponential distribution. Medians and ranges over these seeds.');
    print "  The paper's conclusions:\n";
    my $fewer = max(map { $moves{$_}{'by cost and speed'} / max(1, $moves{$_}{'equal blocks'}) } keys %moves);
    conclusion($fewer < 1, sprintf('blocks by cost and speed leave less to migrate: %.2f of the migrations of equal '
        . 'blocks, or fewer', $fewer), sprintf('Up to %.2f of the migrations of equal blocks.', $fewer));
    my ($lies, $sorted) = map { $time{irregular}{$_} } 'equal blocks', 'largest first';
    conclusion($sorted < $lies, sprintf('the largest first ends sooner where only the order is known: %.2f, %.2f as '
        . 'tasks lie', $sorted, $lies), sprintf('%.2f, as they lie %.2f.', $sorted, $lies));
}

run_parts(example => \&example, k8 => \&k8, saturation => \&saturation, anomaly => \&anomaly,
    initial => \&initial);

# Franklin & Govindan 1995 (PAPERS.md F1-F10): a cluster of stars on unequal workstations.
#
#   domains on 2 to 16 hosts: the paper's program and policies, as it has them
#   model: Keel's model of domains
#   nbody on 2 to 16 hosts: Keel's rows, under its own policies
#   all -> tables
use strict;
use warnings;
use lib 'bench/papers_dir';
use Paper;

# What the paper leaves open. Chosen: bytes that others get of a particle (its number and its
# place), operations of a task (6.6 ms on the first host), seconds of a message and bytes per s of
# the Ethernet that all share. Fitted: powers of the 16 machines, in units of the first one's, to
# the ideal speed-ups; time of a step and speed of the whole cluster, in its own units, to the rows of
# none; operations of a comparison in redistribution's sorting, to one figure of F9, 2.44.
my @powers = qw(1 .953 .70 .58 .35 .28 .24 .20 .19 .18 .175 .17 .165 .165 .16 .155);
my ($unit, $bandwidth) = (1e6, '1.25e6');
my ($step_time, $wind, $regions, $steps) = ('.1', '.025', 8192, 100);
my %chosen = (startup => '.001', cpu => 0, comparison => 32, bytes => 24, task => 6600, settings => '');

my $program = 'papers_dir/fg95/domains';    # with the paper's policies
my $rows_program = 'papers_dir/fg95/nbody'; # with Keel's rows
my $default = 'auto';                       # as where KEEL_MPI_BALANCE is not set

# At every balance call, from rates as they are, whatever it costs.
my $every = 'period=1e-9,quantum=1e-6,filter=no,pipelined=no,greatly=inf';

my @seeds = seeds($short ? 2 : 10); # of the stars, and of what random draws
my $stand_in = 'a stand-in';      # what the bench does where the library has another form of it
my @hosts = $short ? (8, 16) : (2, 4, 8, 16);
my @policies = qw(random diffusion redistribution);
my @methods = ('none', @policies);
my @old = (@methods, $short ? () : 'diffusion w1.0'); # the last one is not the paper's choice

# Keel's policies, and KEEL_MPI_BALANCE.
my @keel = ([$default, $default], ['rate-local, each step', "rate-local:gain=0,$every"],
    $short ? () : ['tree, each step', "tree:gain=0,$every"]);

# Speed-ups of F8 by hosts; of policies with w* and alpha.
my %f8 = (
    2 => {none => 1.71, random => [1.76, '1.0', '.9'], diffusion => [1.76, '1.0'], redistribution => ['1.90', 1.1],
        ideal => 1.94},
    4 => {none => 2.54, random => [2.92, '1.0', '.7'], diffusion => [2.61, 1.1], redistribution => [2.87, 1.2],
        ideal => 3.13},
    8 => {none => 2.96, random => [3.75, 1.1, '.5'], diffusion => [3.25, 1.2], redistribution => [3.07, 1.3],
        ideal => 3.91},
    16 => {none => 2.99, random => [3.95, 1.2, '.5'], diffusion => [3.27, 1.2], redistribution => [2.75, 1.4],
        ideal => 4.41});

# --- runs ---

my (@runs, %first_digest); # of all: [STARS, what a program prints]

sub powers
{
    return map { sprintf '%.0f', $_ * $unit } @powers[0 .. $_[0] - 1];
}

# Operations of orthogonal recursive bisection: all particles are sorted for each of log2 HOSTS cuts.
sub sorting
{
    my ($hosts, $comparison) = @_;
    return sprintf '%.0f', $comparison * 1024 * 10 * log($hosts) / log(2);
}

# on_hosts HOSTS, STARS, HOW, VARIABLES, PROGRAM, WORD...: what the program prints; one wire for all hosts. cpu: seconds
# that a host is busy with each message that it sends, and with each that it receives.
sub on_hosts
{
    my ($hosts, $stars, $how, $set, @run) = @_;
    my $busy = $how->{cpu} > 0 ? "--cfg=smpi/os:0:$how->{cpu}:0 --cfg=smpi/or:0:$how->{cpu}:0" : '';
    my $wire = "<backbone id=\"wire\" bandwidth=\"${bandwidth}Bps\" latency=\"$how->{startup}s\"/>";
    my ($line) = simulate(platform => ['0us', '1GBps', powers($hosts)], set => $set,
        prepare => "sed -i 's,^    <router,    $wire\\n&,' \"\$folder/platform.xml\"",
        flags => "--cfg=smpi/bw-factor:0:1 --cfg=smpi/lat-factor:0:1 $busy", run => \@run);
    my @printed = split ' ', $line;
    push @runs, [$stars, @printed];
    return @printed;
}

# Of a run, over the first host alone.
sub speedup
{
    my ($how, $printed_s) = @_;
    return sprintf '%.3f', six(1024 * $steps * $how->{task} / $unit) / $printed_s;
}

# With Keel's rows.
sub on_rows
{
    my ($hosts, $balance, $stars) = @_;
    my @printed = on_hosts($hosts, $stars, \%chosen, {KEEL_MPI_BALANCE => $balance,
        KEEL_MPI_WEIGHTS => weights_of(powers($hosts))},
        $rows_program, $regions, $steps, $step_time, $wind, $chosen{task}, $chosen{bytes}, $stars);
    return speedup(\%chosen, $printed[1]);
}

# With domains, and the paper's parameters or those that follow.
sub on_domains
{
    my ($hosts, $stars, $how, @settings) = @_;
    my @printed = on_hosts($hosts, $stars, $how, {}, $program, 'power=' . join(',', powers($hosts)), "steps=$steps",
        "time=$step_time", "wind=$wind", "flops=$how->{task}", "bytes=$how->{bytes}",
        'sort=' . sorting($hosts, $how->{comparison}), "stars=$stars", @settings, split ' ', $how->{settings});
    return speedup($how, $printed[1]);
}

sub method_settings
{
    my ($hosts, $method) = @_;
    return ('policy=diffusion', 'w=1.0') if $method eq 'diffusion w1.0';
    my ($paper, $w, $alpha) = ref $f8{$hosts}{$method} ? @{$f8{$hosts}{$method}} : ();
    return ("policy=$method", defined $w ? "w=$w" : (), defined $alpha ? "alpha=$alpha" : ());
}

# All tasks by all powers, and what messages took where particles did not move and nothing was balanced.
sub ideal
{
    my ($hosts) = @_;
    my @powers = powers($hosts);
    my @printed = on_hosts($hosts, 1, \%chosen, {}, $program, 'power=' . join(',', @powers), 'steps=20', 'time=0',
        "flops=$chosen{task}", "bytes=$chosen{bytes}");
    pop @runs;
    my $tasks = 1024 * $chosen{task};
    return sprintf '%.3f', $tasks / $powers[0] / ($tasks / sum0(@powers) + ($printed[1] - $printed[2]) / 20);
}

# Runs of methods: [METHOD, SEED, SPEED-UP].
sub gather
{
    my ($hosts, $how, $seeds, @methods) = @_;
    return [map {
        my $method = $_;
        map { [$method, $_, on_domains($hosts, $_, $how, "draw=$_", method_settings($hosts, $method))] } @$seeds;
    } @methods];
}

my (%keel, %best, %ideal, %old); # by hosts: runs of Keel's policies, the best median of them, the ideal, runs of @old

sub run_keel
{
    for my $hosts (@hosts) {
        $keel{$hosts} = [map {
            my ($name, $balance) = @$_;
            map { [$name, $_, on_rows($hosts, $balance, $_)] } seeds($short ? 1 : 10);
        } @keel];
        $best{$hosts} = six(median(spread($keel{$hosts}, most_of($keel{$hosts}, names(@keel)))));
        $ideal{$hosts} = ideal($hosts);
    }
}

# --- F8 ---

sub f8_table
{
    title('F8: speed-ups on 2 to 16 unequal hosts, parameters as in the paper');
    compare_head('hosts');
    for my $hosts (@hosts) {
        my $runs = $old{$hosts} = gather($hosts, \%chosen, \@seeds, @old);
        my $old = most_of($runs, @old);
        my $own = most_of($keel{$hosts}, names(@keel));
        compare("$hosts: none", 2, 'FITTED: dynamics', $f8{$hosts}{none}, spread($runs, 'none'), spread($keel{$hosts},
            $default),
            [spread($runs, $old), $old], [spread($keel{$hosts}, $own), $own]);
        for my $policy (@policies) {
            my ($paper, $w, $alpha) = @{$f8{$hosts}{$policy}};
            compare("$hosts: $policy " . join(', ', $alpha // (), $w), 2,
                $policy eq 'redistribution' ? "FITTED: cost of sorting; $stand_in" : 'chosen', $paper,
                spread($runs, $policy));
        }
        compare("$hosts: ideal", 2, 'FITTED: powers', $f8{$hosts}{ideal}, [($ideal{$hosts}) x 3]);
    }
    compare_note("bench/$program, a program of the bench, whose random and diffusion are Keel's (schedules/balance)"
            . " and whose redistribution is $stand_in, by recursive bisection",
        "bench/$rows_program, a program on Keel's rows, with KEEL_MPI_BALANCE=$default, told the powers",
        "@old, of bench/$program", join('; ', names(@keel)) . ", of bench/$rows_program");
    seeds_note(@seeds);
    note("Seeds are of stars and of what random draws. bench/$program has domains in the plane, cut by orthogonal",
        "recursive bisection; whoever touches is a neighbour. bench/$rows_program has the same stars in $regions rows",
        'of a Hilbert curve, weighed with the particles of the next step.');
    note("Fitted: powers @powers, to the ideals; a step of $step_time and a cluster that moves across the plane at",
        "$wind, to the rows of none (at rest, 2 hosts would stay balanced); $chosen{comparison} operations a comparison",
        "of redistribution's sorting, to F9's 2.44 with w* = 1.0. So these rows are no evidence.");
    note("Chosen: $chosen{bytes} bytes a particle, tasks of 6.6 ms on the first host, all hosts share 10 Mbit/s, a",
        'message takes 1 ms more. The paper gives none of these.');
    note('On 2 hosts the paper has 1.76 for random in its table, and 1.8 for w* = 1.2 and 1.95 for w* = 1.0 in its',
        'text: what is beyond w* goes to the only neighbour, which balances both.');
}

# --- one thing at a time ---

# The first one is F8's; what follows differs in one thing, the last one of six in all of these.
my @variants = (
    ['as above'],
    ['56 bytes a particle', bytes => 56],
    ['tasks of 15.4 ms', task => 15400],
    ['latency 10 ms', startup => '.01'],
    ['all tell all, agree 6 times', settings => 'sync=all'],
    ['neighbours: a line', settings => 'graph=line'],
    ['pieces of a Hilbert curve', settings => 'shape=curve'],
    ['all of these but latency', bytes => 56, task => 15400, settings => 'sync=all graph=line shape=curve'],
    ['a message: 3 ms of each host', cpu => '.003'],
    ['a message: 10 ms of each host', cpu => '.01'],
    ['a neighbour: .5 tasks to ask', settings => 'state=3300'],
    ['a neighbour: 1.2 tasks to ask', settings => 'state=8000'],
    ['sorting: 200 a comparison', comparison => 200]);

my %variant; # medians of methods by its name

sub variants
{
    my ($hosts, @some) = $short ? (8, 1) : (16, 1 .. 3);
    title("What decides the ranking: one thing changed at a time, $hosts hosts, seeds @some");
    printf "%-30s %7s %7s %9s %15s  %s\n", '', @methods, 'order';
    for ($short ? @variants[5, 10] : @variants) {
        my ($name, %other) = @$_;
        my $runs = gather($hosts, {%chosen, %other}, \@some, @methods);
        my %median = %{$variant{$name} = {map { $_ => median(spread($runs, $_)) } @methods}};
        printf "%-30s %7.2f %7.2f %9.2f %15.2f  %s\n", $name, @median{@methods},
            join ' > ', sort { $median{$b} <=> $median{$a} } @methods;
    }
    return if $short;
    note('The paper has random > diffusion > none > redistribution. Random comes before diffusion with neighbours in a',
        'line, and where asking a neighbour costs half a task or more, which is what the paper names. Redistribution',
        'comes behind none where sorting costs 200 operations a comparison. Bytes of particles, times of tasks,',
        "latency, a hook in step as Keel's, and the shape of domains change the figures, and not who is first.");
}

# --- F9: the threshold ---

my %f9 = (
    diffusion => {'1.0' => 2.87, 1.1 => 3.08, 1.2 => 3.26, 1.3 => 3.21, 1.4 => 3.11},
    redistribution => {'1.0' => 2.44, 1.1 => 2.76, 1.2 => 2.95, 1.3 => 3.07, 1.4 => 2.94, 1.5 => 2.83});

my %best_threshold;

sub f9
{
    my @thresholds = @_ ? @_ : $short ? '1.0' : qw(1.0 1.1 1.2 1.3 1.4 1.5);
    my @some = $short ? 1 : 1 .. 3;
    title("F9: the threshold w*, on 8 hosts, seeds @some");
    printf "%-30s %8s %15s %15s  %s\n", '', 'paper', "paper's method", 'range', 'inputs';
    for my $policy (qw(diffusion redistribution)) {
        my @of = grep { defined $f9{$policy}{$_} } @thresholds;
        my $runs = [map {
            my $w = $_;
            map { [$w, $_, on_domains(8, $_, \%chosen, "policy=$policy", "w=$w")] } @some;
        } @of];
        for my $w (@of) {
            my $spread = spread($runs, $w);
            printf "%-30s %8s %15s %15s  %s\n", "$policy $w", $f9{$policy}{$w}, figure('%.2f', median($spread)),
                range_of($spread, 2),
                join '; ', "$policy $w" eq 'redistribution 1.0' ? 'FITTED: cost of sorting' : 'chosen',
                $policy eq 'redistribution' ? $stand_in : ();
        }
        $best_threshold{$policy} = most_of($runs, @of) if @of > 1;
    }
}

# --- F10: Keel's model of the program of F8, and what it would choose ---

my @differences; # of the model from the simulation, in percent

# model HOSTS, STARS, RULE...: speed-ups; a rule is [POLICY, W, ALPHA].
sub model
{
    my ($hosts, $stars, @rules) = @_;
    return map { sprintf '%.3f', $_ } ask('papers_dir/fg95/fg95_model', $stars, $steps, $step_time, $wind, $chosen{task},
        sorting($hosts, $chosen{comparison}), @chosen{qw(bytes startup)}, $bandwidth, powers($hosts), '--',
        map { ($_->[0], $_->[1] // 0, $_->[2] // 0) } @rules);
}

# modelled HOSTS, NAME, PAPER, SIMULATED, SEEDS, RULE: a row of medians over the seeds; counts for the bar.
sub modelled
{
    my ($hosts, $name, $paper, $simulated, $seeds, @rule) = @_;
    my $model = median(spread([map { ['model', $_, model($hosts, $_, \@rule)] } @$seeds], 'model'));
    row($name, $paper, (map { figure('%.3f', $_) } $model, $simulated), $rule[0] eq 'ideal' ? '-' : $best{$hosts});
    push @differences, abs(100 * ($model / $simulated - 1));
}

sub f10
{
    title("F10: Keel's model beside the simulation, with the program of F8; medians, seeds @seeds");
    head();
    for my $hosts (@hosts) {
        for my $policy (@methods) {
            my ($paper, $w, $alpha) = ref $f8{$hosts}{$policy} ? @{$f8{$hosts}{$policy}} : $f8{$hosts}{$policy};
            modelled($hosts, "$hosts: $policy" . (defined $w ? ' ' . join(', ', $alpha // (), $w) : ''), $paper,
                median(spread($old{$hosts}, $policy)), \@seeds, $policy, $w, $alpha);
        }
        modelled($hosts, "$hosts: ideal", $f8{$hosts}{ideal}, $ideal{$hosts}, [1], 'ideal');
    }
    note('Medians of the runs of F8. The model knows where stars are in each step, from a run of them alone, and so',
        'who leaves which domain and who touches whom. Messages cost what is counted in the source of the program;',
        'random is the mean of eight other draws than those of the runs.');
}

# What the model would choose in the paper's range, and whether it is better; points of its surface.
my @best_alpha; # on 8 hosts, for each w*

sub choices
{
    my @w = qw(1.0 1.1 1.2 1.3 1.4 1.5);
    my @alpha = qw(.1 .2 .3 .4 .5 .6 .7 .8 .9 1);
    my @some = @seeds[0 .. 2];
    my $play = sub {
        my ($hosts, $policy, $w, $alpha) = @_;
        my @settings = ("policy=$policy", "w=$w", $alpha ? "alpha=$alpha" : ());
        return median(spread([map { ['', $_, on_domains($hosts, $_, \%chosen, "draw=$_", @settings)] } @some], ''));
    };
    title("The best w* and alpha by the model of seed $some[0], beside the best of the paper; seeds @some");
    head();
    for my $hosts (@hosts) {
        for my $policy (@policies) {
            my @rules = map { my $w = $_; map { [$policy, $w, $_] } $policy eq 'random' ? @alpha : 0 } @w;
            my @speedups = model($hosts, $some[0], @rules);
            my ($best) = sort { $speedups[$b] <=> $speedups[$a] } 0 .. $#rules;
            my (undef, $w, $alpha) = @{$rules[$best]};
            modelled($hosts, "$hosts: " . ($policy eq 'random' ? "random $alpha," : $policy) . " $w",
                $f8{$hosts}{$policy}[0], $play->($hosts, $policy, $w, $alpha), \@some, $policy, $w, $alpha);
        }
    }
    title("Figure 7: random on 8 hosts, points of the surface over alpha and w*; seeds @some");
    head('alpha, w*');
    for my $w (qw(1.0 1.2 1.4)) {
        my %of = map { $_ => $play->(8, 'random', $w, $_) } qw(.1 .3 .5 .7 .9);
        modelled(8, "$_, $w", '-', $of{$_}, \@some, 'random', $w, $_) for sort keys %of;
        push @best_alpha, (sort { $of{$b} <=> $of{$a} } sort keys %of)[0];
    }
    note('The paper has no figures for its picture.');
}

# --- what the paper concludes ---

# Where one method is ahead of another one, of the variants.
sub variants_with
{
    my ($first, $second) = @_;
    return join '; ', map { "\"$_\"" } grep { $variant{$_} && $variant{$_}{$first} > $variant{$_}{$second} }
        map { $_->[0] } @variants[1 .. $#variants];
}

sub ahead
{
    my ($first, $second, $text, $why) = @_;
    my ($one, $other) = map { median(spread($old{16}, $_)) } $first, $second;
    conclusion($one > $other, $text, sprintf('Here %.2f and %.2f.%s', $one, $other, $why // ''),
        variants_with($first, $second));
}

sub conclusions
{
    my $of = sub { median(spread($old{$_[0]}, $_[1])) };
    my $two = sub { join ' and ', map { sprintf '%.2f', $_ } @_ };
    my ($none, $random) = map { $of->(16, $_) } qw(none random);
    my $worst = sprintf '%.1f', max(@differences);
    title("The paper's conclusions (medians, 16 hosts; under: what was changed above, a thing at a time)");
    ahead('random', 'diffusion', 'random is better than diffusion',
        ' Diffusion costs only its messages here; the paper says that reading the state of neighbours and deciding cost'
            . ' it more, and not how much.');
    ahead('random', 'redistribution', 'random is better than redistribution');
    ahead('diffusion', 'redistribution', 'diffusion is better than redistribution');
    ahead('none', 'redistribution', 'redistribution is worse than no balancing',
        ' A cost of sorting that does it makes 8 hosts with w* = 1.0 far slower than in F9.');
    conclusion($random >= 0.75 * $ideal{16}, 'random comes within 25 % of the ideal',
        'Here ' . $two->($random, $ideal{16}) . '.');
    conclusion($none <= 1.03 * $of->(8, 'none'),
        'without balancing, nothing is gained beyond 8 hosts (FITTED: dynamics)',
        'Here ' . $two->($of->(8, 'none'), $none) . '.');
    conclusion($worst <= 20, 'F10: the model is within 20 % of the measurement', "Here it is up to $worst % off.");
    return if $short;
    my ($none_4, $sorted_4) = map { $of->(4, $_) } qw(none redistribution);
    conclusion($sorted_4 > $none_4, 'redistribution is better than no balancing on 4 hosts',
        'Here ' . $two->($sorted_4, $none_4) . '.');
    for (['diffusion', 1.4], ['redistribution', 1.5]) {
        my ($policy, $last) = @$_;
        my $best = $best_threshold{$policy};
        conclusion($best > 1.0 && $best < $last, "F9: $policy has its best threshold between the ends",
            "Here $best is best.");
    }
    my $outside = grep { $_ < 0.3 || $_ > 0.7 } @best_alpha;
    conclusion($outside == 0, 'Figure 7: the best alpha of random is from 0.3 to 0.7',
        "Here @best_alpha for w* of 1.0, 1.2, 1.4.");
}

# --- bars ---

# Runs in which not every particle was computed in every step, or that have another result than the
# first one with the same stars.
sub strays
{
    return scalar grep { $_->[4] ne ($first_digest{$_->[0]} //= $_->[4]) || $_->[5] ne 'all' } @runs;
}

sub bars
{
    title('Bars');
    bar('model from simulation, largest difference in percent', sprintf('%.1f', max(@differences)), 10);
    bar("Keel's best on 16 hosts, percent below the ideal", sprintf('%.1f', 100 * (1 - $best{16} / $ideal{16})), 5);
    bar('of ' . @runs . ' runs, those in which a particle was left out', strays(), 0);
}

run_parts(f9 => \&f9) if @ARGV > 3; # needs nothing of the others
run_parts(keel => \&run_keel, f8 => \&f8_table, variants => \&variants, f9 => \&f9, f10 => \&f10,
    choices => sub { choices() if !$short }, conclusions => \&conclusions, bars => \&bars) if @ARGV == 3;

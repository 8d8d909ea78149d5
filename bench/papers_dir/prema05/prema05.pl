# Barker & others 2005 (PAPERS.md R1 to R10): over-decomposed objects, preemptive polling, and
# an analytic model of both.
#
#   objects (simulated), forecast (model) -> lines -> tables
use strict;
use warnings;
use lib 'bench/papers_dir';
use Paper;

# What the paper leaves open: the platform of R10 (333 MHz, 100 Mbit Ethernet, LAM/MPI). Seconds,
# and seconds per byte. A processor has 60 s of work; decision and quantum are the paper's.
my ($startup, $byte) = qw(1e-4 8e-8);
my @costs = ('work=60', 'object_bytes=65000', "startup=$startup", "byte=$byte",
    qw(context=20e-6 poll=200e-6 decision=1e-4 install=2e-4 pack=20e-9));

# Published methods, self-scheduling (1986) and factoring (1992) among them; and Keel's own, for
# objects (mobile, which is the default) and for loops that ranks share. None of them but repartitioning
# knows weights.
my @old = qw(none repartition iterative iterative:objects seed seed:random prema keel:ss keel:fac2 keel:diffuse);
my @own = qw(mobile mobile:diffuse mobile:tree keel:rate keel:auto keel:tree keel:steal);
my @many_bytes = qw(65000 650000 2600000); # of an object
my $method = 'prema';   # the paper's: Keel's objects with KEEL_MPI_BALANCE=prema
my $default = 'mobile';
if ($short) {
    @old = qw(none repartition iterative iterative:objects seed prema keel:ss);
    @own = qw(mobile keel:rate keel:auto);
    @many_bytes = 2600000;
}

# Seeds of what is drawn: orders of search, phases of polls, places of seeds. The first one is of what runs once.
my @seeds = seeds($short ? 2 : 10);

# What each of 32 x 32 squares of a mesh took to refine, in s, on one rank: the tasks of PCDT. Measured
# in November 2026 with a Delaunay refinement that was bench/apps/pcdt.c until commit 26555dae.
my $pcdt = 'measured:bench/papers_dir/prema05/pcdt.csv';

# The tests of R7: the paper's name, weights as objects has them, the limit of Keel's error, and the paper's error: with
# any number of processors, or by it.
my @tests = (['linear-2', 'linear:2', 4, 4], ['linear-4', 'linear:4', 4, 4], ['step', 'heavy:25:2', 8, 10],
    ['PCDT', $pcdt, 5, {32 => 3.2, 64 => 6}]);

# Each task of PCDT sends 10 messages to each of 4 others.
my @messages = qw(messages=10 message_bytes=4000);

# SMPI lets messages shorter than this overtake longer ones of the same rank, MPI does not: so all
# are shorter.
my $short_bytes = 4194304;

# objects PROCESSORS, STARTUP, WORD...: lines; a sender is busy with a message of n bytes for STARTUP + n $byte; then
# it is there, nearly at once. Processors with nothing to do wait for the heaviest task.
sub objects
{
    my ($processors, $startup_s, @words) = @_;
    return simulate(platform => ['1us', '12.5GBps', ('1G') x $processors], set => {KEEL_MPI_DEADLINE => 1000000},
        flags => join(' ', (map { "--cfg=smpi/$_:0:$startup_s:$byte" } qw(os ois)),
            map { "--cfg=smpi/$_:$short_bytes" } qw(send-is-detached-thresh async-small-thresh)),
        run => ['papers_dir/prema05/prema05_tasks', @costs, @words]);
}

# Runs of objects: [POLICY, SEED, TIME, WEIGHTS, TASKS, IDEAL, OBJECTS, MESSAGES].
sub runs_of
{
    my ($seed, @lines) = @_;
    return map {
        my (undef, $policy, undef, $tasks, $weights, undef, $time, $ideal, $objects, $messages) = split;
        [$policy, $seed, $time, $weights, $tasks, $ideal, $objects, $messages];
    } @lines;
}

# What the bench wrote after what the paper says of it, in place of the program of that name.
my %stand_in = map { $_ => 1 } qw(repartition iterative iterative:objects seed seed:random);

sub named
{
    return $stand_in{$_[0]} ? "$_[0] (a stand-in)" : $_[0];
}

# --- R7: the model beside simulated runs ---
#
# published: the model of the paper. walk2: processors that go on one by one, instead of its rounds. simulated2: the
# simulation with the same two classes of weights. walk, simulated: the same with the weights as they are; simulated is
# over the seeds.

# A test's cases, one for each number of tasks. Of PCDT with the first seed: each run takes a minute, and seeds change
# its time by 0.01 s.
sub compared
{
    my ($test, $processors, $tasks, @some) = @_;
    my ($name, $weights) = @$test;
    @some = $some[0] if $name eq 'PCDT';
    my $words = sub { ($name eq 'PCDT' ? @messages : (), "weights=$weights", map { ("tasks=$_", @_) } @$tasks) };
    my @simulated = runs_of(0, objects($processors, $startup, $words->(qw(chance=1 classes=2 prema classes=0),
        map { ("chance=$_", 'prema') } @some)));
    my @model = map { [split] } ask('papers_dir/prema05/forecast', @costs, "processors=$processors",
        $words->(qw(classes=2 x classes=0 x)));
    return map {
        my ($two, @of_seeds) = splice @simulated, 0, 1 + @some;
        my ($classes, $all) = splice @model, 0, 2;
        {name => $name, processors => $processors, tasks => $_, published => $classes->[8], walk2 => $classes->[6],
            simulated2 => $two->[2], walk => $all->[6], simulated => spread(\@of_seeds, 'prema'),
            messages => spread(\@of_seeds, 'prema', 7)};
    } @$tasks;
}

# Mean of the absolute differences of one column from another one, in percent.
sub mean_error
{
    my ($column, $reference, @cases) = @_;
    my @errors = map { abs($_->{$column} / $_->{$reference} - 1) } @cases;
    return sprintf '%.1f', 100 * sum0(@errors) / @errors;
}

sub errors
{
    my ($cases, $seeds, @chosen) = @_;
    my %has = map { $_->{processors} => 1 } @$cases;
    my @some = map { # [NAME, THE TEST'S, LIMIT, PAPER, PROCESSORS]
        my ($name, undef, $limit, $paper) = @$_;
        ref $paper ? map { ["$name, $_", $name, $limit, $paper->{$_}, $_] } grep { $has{$_} } sort keys %$paper
            : [$name, $name, $limit, $paper];
    } @chosen;
    my $format = '%-30s %9s' . ' %11s' x 5 . "\n";
    my %error;
    title("R7: mean absolute error of the model, %, and of each step of its approximation; seeds @$seeds (PCDT: 1)");
    printf $format, '', 'paper', 'whole model', '2 classes', 'rounds', 'events', "Keel's walk";
    for (@some) {
        my ($name, $test, undef, $paper, $processors) = @$_;
        my @of = map { {%$_, simulated => $_->{simulated}[0]} }
            grep { $_->{name} eq $test && $_->{processors} == ($processors // $_->{processors}) } @$cases;
        $error{$name} = [map { mean_error(@$_, @of) } ['published', 'simulated'], ['simulated2', 'simulated'],
            ['published', 'walk2'], ['walk2', 'simulated2'], ['walk', 'simulated']];
        printf $format, $name, $paper, @{$error{$name}};
    }
    note('Whole model: the published one, with two classes, from the simulation of the tasks as they are: like for',
        'like with the error that the paper states of its machine. Its steps: 2 classes: the simulation with each',
        'weight replaced by the mean of its class (R3), from that with the weights as they are. Rounds: the published',
        'formulas (R5), by which all processors of a class do the same, from processors that go on one by one with the',
        'same two classes. Events: those from the simulation with the two classes (searches, polls and messages as',
        "they come). Keel's walk is not the model of the paper: processors that go on one by one with all weights",
        'known, which is a small simulation itself (schedules/model/objects_terms.h).');
    for (@some) {
        my ($name, undef, undef, $paper) = @$_;
        my ($whole, $classes, $rounds) = @{$error{$name}};
        conclusion($whole <= $paper, "$name: the published model is within $paper % in the mean",
            "Here it is $whole % off; by itself, replacing weights by two means changes the simulated time by"
                . " $classes %,"
                . " and rounds in step the forecast by $rounds %.");
    }
    bar("$_->[0], Keel's walk, % off", $error{$_->[0]}[4], $_->[2]) for @some;
}

# r7 [TEST, TASKS, SEED]: of that one alone, on 32 processors.
sub r7
{
    my ($only, $only_tasks, $only_seed) = @_;
    my @processors = $short ? 32 : (32, 64);
    my @tasks = $only_tasks // ($short ? (4, 8) : (2, 4, 8, 16));
    my @some = $only_seed // ($short ? (1, 2) : (1 .. 3));
    my @chosen = grep { !defined $only || $_->[0] eq $only } @tests;
    my @cases = map {
        my $processors = $_;
        map { compared($_, $processors, \@tasks, @some) } @chosen;
    } @processors;
    title("R7: PREMA, time in s (60: all work over all processors); seeds @some (PCDT: 1)");
    printf "%-30s %9s %11s %11s %11s %11s %13s %9s\n", 'test, processors, tasks each', 'published', '2: walk',
        '2: simul.', 'walk', 'simulated', 'range', 'messages';
    for my $case (@cases) {
        printf "%-30s %9.2f %11.2f %11.2f %11.2f %11.2f %13s %9.0f\n", join(', ', @$case{qw(name processors tasks)}),
            @$case{qw(published walk2 simulated2 walk)}, median($case->{simulated}), range_of($case->{simulated}, 2),
            median($case->{messages});
    }
    note('The paper shows times in pictures only, in units that it does not tell. published: its model, from two',
        'classes of tasks. 2: the walk and the simulation with these two classes. Simulated, messages: medians.');
    errors(\@cases, \@some, @chosen);
}

# --- R8: the parameter studies (Figures 2 and 3) ---

my %r8; # times by title and row: simulated, or the model's where some are of the model alone

sub r8_title
{
    title($_[0]);
    printf "%-30s %9s %9s %7s %9s %9s\n", 'varied', 'model', 'simulated', 'model%', 'objects', 'messages';
}

# vary TITLE, NAME, PROCESSORS, WORDS, SETTING, VALUES [, MODELLED]: a row for each value; of those that are MODELLED,
# the model alone. The startup of messages is the simulator's.
sub vary
{
    my ($title, $name, $processors, $words, $setting, $values, $modelled) = @_;
    my %modelled = map { $_ => 1 } @{$modelled // []};
    my @model = map { (split)[6] } ask('papers_dir/prema05/forecast', @costs, "processors=$processors", @$words,
        map { ("$setting=$_", $_) } @$values);
    for my $value (@$values) {
        my ($run) = $modelled{$value} ? () : runs_of(0, $setting eq 'startup'
            ? objects($processors, $value, @$words, 'prema')
            : objects($processors, $startup, @$words, "$setting=$value", 'prema'));
        my ($model, $time) = map { figure('%.2f', $_) } shift @model, $run ? $run->[2] : undef;
        printf "%-30s %9s %9s %7s %9s %9s\n", "$name $value", $model, $time, difference($model, $time),
            $run ? @$run[6, 7] : qw(- -);
        $r8{"$title: $name $value"} = $modelled ? $model : $time;
    }
}

sub r8
{
    return if $short;
    my @bimodal = 'weights=heavy:50:2';
    my @messages = qw(messages=50 message_bytes=4000);
    my @linear = (@messages, 'weights=linear:2');
    my @short_quanta = qw(0.002 0.01); # of the model alone: nearly nothing but polls would be simulated
    r8_title('R8: half of the tasks twice as heavy, 32 processors; time, s');
    vary('heavy', 'tasks', 32, \@bimodal, 'tasks', [qw(1 2 3 4 6 8 12 16 24 32)]);
    vary('heavy', 'quantum, s:', 32, \@bimodal, 'quantum', [@short_quanta, qw(0.05 0.1 0.5 2 8 32)],
        \@short_quanta);
    vary('heavy', 'neighbours', 32, \@bimodal, 'neighbours', [qw(1 4 8 16)]);
    r8_title('R8: linear-2, tasks that send messages, 64 processors; time, s');
    vary('linear', 'tasks', 64, \@linear, 'tasks', [qw(2 4 8 16 32)]);
    vary('linear', 'quantum, s:', 64, \@linear, 'quantum', [@short_quanta, qw(0.1 0.5 2 8)],
        \@short_quanta);
    vary('linear', 'neighbours', 64, \@linear, 'neighbours', [qw(1 4 16)]);
    vary('linear', 'startup, s:', 64, \@linear, 'startup', [qw(1e-4 0.003 0.03)]);
    r8_title('R8: the same, 512 processors; time, s');
    vary('512', 'tasks', 512, \@linear, 'tasks', [qw(2 4 8 16 32 64)], [qw(4 16 32 64)]);
    my @quanta = (@short_quanta, qw(0.1 0.5 2 8));
    vary('512', 'quantum, s:', 512, \@linear, 'quantum', \@quanta, \@quanta);
    vary('512', 'weights', 512, \@messages, 'weights', [qw(linear:1.2 linear:2 linear:4)],
        [qw(linear:1.2 linear:2 linear:4)]);
    vary('512', 'neighbours', 512, \@linear, 'neighbours', [qw(1 4 16 64)], [qw(1 4 16 64)]);
    note('The paper has pictures only. One seed; tasks, quantum and neighbours are 8, 0.5 s and 4 where they are not',
        'varied. With 512 processors two cases are simulated, as each takes minutes; the others are of the model.');
    r8_conclusions();
}

# Whether times of TITLE have their least between the first and the last value.
sub least_inside
{
    my ($title, $name, @values) = @_;
    my @times = map { $r8{"$title: $name $_"} } @values;
    my $least = min(@times);
    return $least < $times[0] && $least < $times[-1];
}

sub r8_conclusions
{
    my @heavy = map { $r8{"heavy: tasks $_"} } qw(2 4 8 16 32);
    my $rises = grep { $r8{"heavy: tasks $_->[1]"} > $r8{"heavy: tasks $_->[0]"} }
        [1, 2], [2, 3], [3, 4], [4, 6], [6, 8], [8, 12], [12, 16], [16, 24], [24, 32];
    conclusion($rises > 0 && $heavy[-1] < $heavy[0], 'time swings, ever less, as tasks become more',
        "Here it rises $rises times of 9, from $heavy[0] to $heavy[-1] s.");
    for (['heavy', '32 processors', qw(0.002 0.01 0.05 0.1 0.5 2 8 32)],
        ['linear', '64 processors, tasks that send messages', qw(0.002 0.01 0.1 0.5 2 8)],
        ['512', '512 processors', qw(0.002 0.01 0.1 0.5 2 8)]) {
        my ($title, $name, @values) = @$_;
        conclusion(least_inside($title, 'quantum, s:', @values),
            "the best quantum lies between the ends, $name, by the model",
            'Here the times are ' . join(', ', map { $r8{"$title: quantum, s: $_"} } @values) . " s for @values s.");
    }
    for (['linear', '64 processors', qw(2 4 8 16 32)], ['512', '512 processors, by the model', qw(2 4 8 16 32 64)]) {
        my ($title, $name, @values) = @$_;
        conclusion(least_inside($title, 'tasks', @values), "messages of tasks make many tasks cost again, $name",
            'Here the times are ' . join(', ', map { $r8{"$title: tasks $_"} } @values) . " s for @values tasks.");
    }
    my @near = map { $r8{"heavy: neighbours $_"} } qw(1 4 8 16);
    my $little = sub { max(@_) <= 1.05 * min(@_) };
    conclusion($little->(@near), 'on few processors a larger neighbourhood is of little benefit',
        "Here the times are @near s.", $little->(@near[1 .. $#near]) ? 'at least 4 neighbours' : undef);
}

# --- R9: policies beside each other ---

my @light = 'weights=heavy:10:2';
my %r9; # runs by what they have

sub run_all
{
    my @all = (@old, @own);
    my $with = sub {
        my ($some, @words) = @_;
        return [map { runs_of($_, objects(64, $startup, "chance=$_", @words)) } @$some];
    };
    my @first = $seeds[0];
    $r9{10} = $with->(\@seeds, @light, @all);
    $r9{"bytes $_"} = $with->(\@first, @light, "object_bytes=$_",
    qw(prema keel:ss keel:auto keel:rate mobile)) for @many_bytes;
    return if $short;
    $r9{25} = $with->(\@seeds, 'weights=heavy:25:2', qw(none repartition prema keel:ss keel:fac2 mobile));
    # one seed, and none of the loops: processors wait for minutes for the heaviest task, and look
    # for messages meanwhile, which takes simulations long
    $r9{PCDT} = $with->(\@first, @messages, "weights=$pcdt", qw(tasks=8 prema tasks=16 none prema), $default);
}

# [POLICY, SEED, GAIN]: by how many percent of OTHER's time with the same seed each takes less.
sub gains_over
{
    my ($runs, $other) = @_;
    my %reference = map { $_->[1] => $_->[2] } grep { $_->[0] eq $other } @$runs;
    return [map { [@$_[0, 1], sprintf '%.4f',
        100 * (1 - $_->[2] / $reference{$_->[1]})] } grep { $reference{$_->[1]} } @$runs];
}

# What is gained over another policy.
sub gain_row
{
    my ($name, $paper, $runs, $other, $inputs) = @_;
    my $gains = gains_over($runs, $other);
    my ($old, $own) = (most_of($gains, @old), most_of($gains, @own));
    $inputs = join '; ', $inputs // 'chosen', $stand_in{$other} ? "$other: a stand-in" : ();
    compare($name, 1, $inputs, $paper, spread($gains, $method), spread($gains, $default),
        map { defined $_ ? [spread($gains, $_), $_] : undef } $old, $own);
}

# PREMA's runs with 16 tasks, and those with 8, which are called "eight".
sub sixteen_for_eight
{
    return [map { [$_->[4] == 8 ? 'eight' : 'prema', $_->[1], $_->[2]] } grep { $_->[0] eq 'prema' } @{$r9{PCDT}}];
}

# All policies that ran, in their order: medians.
sub policies_table
{
    my ($runs, $title) = @_;
    my %seen;
    my $none = median(spread($runs, 'none'));
    title("$title; medians, seeds @seeds");
    printf "%-30s %9s %9s %9s %9s %9s\n", 'policy', 'time, s', 'gain, %', 'idle, %', 'objects', 'messages';
    for my $policy (grep { !$seen{$_}++ } map { $_->[0] } @$runs) {
        my ($time, $ideal, $objects, $messages) = map { median(spread($runs, $policy, $_)) } 2, 5, 6, 7;
        printf "%-30s %9.2f %9.1f %9.1f %9.0f %9.0f\n", named($policy), $time, 100 * (1 - $time / $none),
            100 * (1 - $ideal / $time), $objects, $messages;
    }
}

sub bytes_table
{
    title("R9: time in s by the bytes of an object, 64 processors, 10 % heavy, seed $seeds[0]");
    printf "%-30s %9s %9s %9s %9s %9s\n", 'bytes', 'PREMA', 'ss', 'auto', 'rate', 'objects';
    for my $bytes (@many_bytes) {
        my @runs = @{$r9{"bytes $bytes"}};
        printf '%-30s' . ' %9.2f' x 5 . "\n", $bytes, map { $_->[2] } @runs;
        printf '%-30s' . ' %9.0f' x 5 . "\n", '  messages', map { $_->[7] } @runs;
    }
    note('The paper does not tell how large its objects are. Self-scheduling moves nearly all of them, PREMA',
        "and Keel's",
        "objects a few: with 2600000 bytes, self-scheduling and Keel's auto, which chooses it here without knowing the",
        'bytes, are slower than both.');
}

# The median of a policy's gain over another one.
sub gain
{
    my ($runs, $policy, $other) = @_;
    return figure('%.1f', median(spread(gains_over($runs, $other), $policy)));
}

# gained PAPER, LEAST, RUNS, OTHER, TEXT [, WHY, VARIANT, UNDER]: whether PREMA's gain over OTHER is LEAST or more; or
# its gain over VARIANT, which is what UNDER says.
sub gained
{
    my ($paper, $least, $runs, $other, $text, $why, $variant, $under) = @_;
    my $gain = gain($runs, 'prema', $other);
    my $of_variant = defined $variant ? gain($runs, 'prema', $variant) : '-';
    conclusion($gain ne '-' && $gain >= $least, "PREMA gains $paper % over $text", "Here $gain %" . ($why // '') . '.',
        $of_variant ne '-' && $of_variant >= $least ? "$under ($of_variant %)" : undef);
}

sub r9_conclusions
{
    my $runs = $r9{10};
    my $knows = ': a stand-in, which knows true weights and decides at once, gains over none, which ParMETIS did not';
    gained(38, 36, $runs, 'none', 'no balancing, 10 % of tasks heavy');
    gained(40, 35, $runs, 'repartition', 'repartitioning, 10 % of tasks heavy', $knows);
    gained(41, 36, $runs, 'iterative', 'iterative balancing', ': a stand-in', 'iterative:objects',
        'measurements of objects that are done, by which nothing useful moves');
    gained(20, 18, $runs, 'seed', 'seed-based balancing', ': a stand-in', 'seed:random',
        'seeds that go to processors drawn by chance');
    my $ss = gain($runs, 'keel:ss', 'prema');
    my $large = $r9{"bytes $many_bytes[-1]"}; # PREMA, self-scheduling
    conclusion($ss <= 0, 'PREMA is faster than self-scheduling of 1986, which the paper does not compare',
        "Here self-scheduling takes $ss % less time: tasks of seconds stand against half a quantum for an object.",
        $large->[1][2] > $large->[0][2] ? "objects of $many_bytes[-1] bytes" : undef);
    return if $short;
    gained(39, 34, $r9{25}, 'repartition', 'repartitioning, 25 % of tasks heavy', $knows);
    gained(19, 17, [grep { $_->[4] == 16 } @{$r9{PCDT}}], 'none', 'no balancing, PCDT');
    my ($more) = map { $_->[2] } grep { $_->[0] eq 'prema' } @{gains_over(sixteen_for_eight(), 'eight')};
    conclusion(abs($more - 3.4) <= 2, 'PCDT: 16 tasks for 8 gain 3.4 %', sprintf('Here %.1f %%.', $more));
}

sub r9_bars
{
    for (['none', 'none', 60], ['seed', 'seed-based', 80]) {
        my ($other, $name, $limit) = @$_;
        my $gains = gains_over($r9{10}, $other);
        my $best = most_of($gains, @own);
        bar("Keel's best over $name ($best), 100 - gain", sprintf('%.1f', 100 - median(spread($gains, $best))), $limit);
    }
}

sub r9_notes
{
    note('gain: of the time of the policy that is named, with the same seed. An object comes with its bytes, from',
        'where it is, when its processor polls.');
    note('Heavy tasks are the last ones, so some processors have nothing else. With 10 % of them, none ends after the',
        'time of 16 light tasks, and PREMA after 10, as what migrates begins when 8 are over. Whole tasks allow 9:',
        'heavy ones have to begin by 7, so somebody has to hand them out before anybody is dry, as fac2 and ss do, and',
        "Keel's objects, whose ranks ask for heavier ones before. tree, steal and diffuse of its loops, who ask when",
        'dry, end where PREMA does.');
    note("mobile, prema: Keel's objects (keel_mpi_objects), by its default and by PREMA's policy",
        "(KEEL_MPI_BALANCE=prema). All others but Keel's loops are stand-ins, written after what the paper says of",
        "Charm++ and repartitioning.");
    note('Chosen, as the paper does not tell: 60 s of work on each processor (a light task is 6.8 s), objects of 65000',
        'bytes, a message 100 us and 80 ns a byte, T_ctx 20 us, T_poll 200 us.');
    note('Repartition: by true weights, in the time of a decision. It loses time where the request to stop finds a',
        'heavy task just begun, and no more. In the paper it took as long as no balancing.');
    note('Iterative: what a processor measured in the last quarter stands for what it has left, which suits heavy',
        'tasks that lie together. By objects: measurements are of those that are done, so nothing useful moves; that',
        'is the figure of the paper, but for 4 % that synchronising may have taken there.');
    note('Seed-based: neighbours on a torus; seeds are moved between tasks only. seed:random: each seed goes to a',
        'processor drawn by chance.');
    note('PCDT: what a Delaunay refinement took for each of 32 x 32 squares, one small disc of which is much finer',
        'than the rest; neighbours in a row make a task. The heaviest square is 34 times the mean, so that a job is as',
        'long as its heaviest task; in the paper no balancing cannot have been that bad, as 19 % were all that could',
        'be gained. Tasks send 10 messages of 4000 bytes to each of 4 neighbours, as chosen.');
}

sub r9
{
    run_all();
    title('R9: gain over other policies, 64 processors, 8 tasks each, %');
    compare_head('over');
    gain_row('none, 10 % heavy', 38, $r9{10}, 'none');
    gain_row('repartition, 10 % heavy', 40, $r9{10}, 'repartition');
    gain_row('iterative, 10 % heavy', 41, $r9{10}, 'iterative');
    gain_row('seed-based, 10 % heavy', 20, $r9{10}, 'seed');
    if (!$short) {
        gain_row('none, 25 % heavy', '-', $r9{25}, 'none');
        gain_row('repartition, 25 % heavy', 39, $r9{25}, 'repartition');
        gain_row('none, PCDT, 16 tasks', 19, [grep { $_->[4] == 16 } @{$r9{PCDT}}], 'none', 'weights: measured');
        compare('16 for 8 tasks, PCDT', 1, 'weights: measured', 3.4, spread([grep { $_->[0] eq 'prema' }
            @{gains_over(sixteen_for_eight(), 'eight')}], 'prema'));
    }
    compare_note("Keel's objects with KEEL_MPI_BALANCE=$method", "Keel's objects with nothing set ($default)",
        "@old, of which keel: and $method are Keel's and the others the bench's", "@own");
    note('With 25 % heavy, these only: none repartition prema keel:ss keel:fac2 mobile.') if !$short;
    seeds_note(@seeds);
    r9_conclusions();
    r9_bars();
    bytes_table();
    policies_table($r9{10}, 'R9: policies, 64 processors, 8 tasks, 10 % heavy');
    policies_table($r9{25}, 'The same, 25 % twice as heavy') if !$short;
    r9_notes();
}

# --- jobs that are drawn, before looking ---

# [PROCESSORS, TASKS EACH, WEIGHTS], of the seed alone. Weights are by the order of tasks: heavy ones are the last.
sub drawn_job
{
    srand $_[0];
    my ($processors, $tasks) = (20 + int rand 45, 2 + int rand 7);
    return [$processors, $tasks, rand() < 0.75 ? sprintf('heavy:%d:%d', 5 + int rand 46, 2 + int rand 3)
        : 'linear:' . (2 + int rand 5)];
}

# drawn [COUNT]: Keel's objects beside the best of self-scheduling, factoring and PREMA's method, one chance each.
sub drawn
{
    my $count = $_[0] // ($short ? 2 : 40);
    my @others = qw(keel:ss keel:fac2 prema);
    my (@over, @messages);
    title("$count drawn jobs, seeds 1 to $count: time, s, and messages a task");
    printf "%-30s %8s %8s %8s %8s %8s %7s %7s %7s\n", 'processors, tasks each, weights', qw(ss fac2 PREMA objects over),
        qw(ss PREMA objects);
    for my $seed (1 .. $count) {
        my ($processors, $tasks, $weights) = @{drawn_job($seed)};
        my @runs = runs_of($seed, objects($processors, $startup, "chance=$seed", "tasks=$tasks", "weights=$weights",
            @others, $default));
        my @times = map { $_->[2] } @runs;
        my @each = map { $_->[7] / $processors / $tasks } @runs;
        push @over, $times[3] / min(@times[0 .. 2]);
        push @messages, $each[3];
        printf '%-30s' . ' %8.2f' x 4 . " %8.3f %7.0f %7.0f %7.0f\n", "$processors, $tasks, $weights", @times, $over[-1],
            @each[0, 2, 3];
    }
    my $middle = spread([map { ['over', 0, $_] } @over], 'over');
    note(sprintf "Keel's objects over the best of the three others: %.3f in the median, %.3f in the mean; ahead in %d,"
            . ' more than 5 %% behind in %d.', median($middle), sum0(@over) / $count, scalar(grep { $_ < 1 } @over),
        scalar grep { $_ > 1.05 } @over);
    bar("Keel's objects over the best of the others, at worst", sprintf('%.3f', max(@over)), 1.05);
    bar('messages a task, in the mean', sprintf('%.1f', sum0(@messages) / $count), 20);
    note('Weights are not known before a task is done. Heavy tasks are the last ones: self-scheduling hands out one of',
        'them to each processor, in the end; those who own them have nothing else, and one that is taken from them begins',
        'when some processor is out of its own.');
}

run_beside(r7 => \&r7, r8 => \&r8, r9 => \&r9, drawn => \&drawn);

#!/usr/bin/perl
# Writes the trace of a program that is drawn at random, in the form of KEEL_TRACE's JSON, and prints what the trace holds, a
# line per loop: NAME instances chunks busy_ns waited_ns.
#
#   write_trace.pl FILE [ranks=R] [threads=T] [loops=L] [chunks=N] [names=plain|hostile] [counters=no]
#
# KEEL_TEST_SEED says which program.
use strict;
use warnings;

my $file = shift // die "write_trace.pl FILE [NAME=VALUE...]\n";
my %given = (ranks => 1, threads => 4, loops => 3, chunks => 1000, names => 'plain', counters => 'yes',
    map { split /=/, $_, 2 } @ARGV);
my ($ranks, $threads) = @given{qw(ranks threads)};
srand($ENV{KEEL_TEST_SEED} || 1);
open my $out, '>', $file or die "$file: $!\n";

my @hostile = ("</script><script>document.title='broken'</script>", "<img src=x onerror=document.title='broken'>",
    q(a\"b'c`touch broken`&amp;\u2028]]>), q(@x $(touch broken) 'quoted'' END));
my @schedules = ('fac2', 'gss', 'steal,16', 'dynamic,64', 'static');

# iteration_ns: the mean; slope: of the costs along the loop, -0.9 to 0.9.
my @loops = map { {
    name => $given{names} eq 'hostile' ? $hostile[$_ % 4] : sprintf('src/part%d.c:%d', $_ % 7, 20 + 13 * $_),
    schedule => $schedules[rand 5],
    iterations => 200 + int rand 20000,
    iteration_ns => 20 + rand 400,
    slope => rand(1.8) - 0.9,
    instances => 0, chunks => 0, busy_ns => 0, waited_ns => 0,
} } 0 .. $given{loops} - 1;
my @speed = map { 0.8 + rand 0.4 } 1 .. $ranks * $threads;
my @free_ns = (0) x ($ranks * $threads); # when a thread has ended what it was doing
my $chunks = 0;

# One event a line, a comma between them.
my $before = "[\n";
sub event
{
    print $out $before, '{', @_, '}';
    $before = ",\n";
}

# An interval: its name and category, rank, thread, times, and what is in its arguments.
sub span
{
    my ($name, $category, $rank, $thread, $from_ns, $to_ns, $args) = @_;
    my ($ts, $dur) = map { sprintf '%d.%03d', $_ / 1000, $_ % 1000 } $from_ns, $to_ns - $from_ns;
    event(qq("name":"$name","cat":"$category","ph":"X","pid":$rank,"tid":$thread,"ts":$ts,"dur":$dur,"args":{$args}));
}

sub name_threads
{
    event('"name":"keel_trace","ph":"M","pid":0,"tid":0,"args":{"version":1,"program":"drawn","host":"node"}');
    for my $r (0 .. $ranks - 1) {
        my $node = int $r / 2;
        event(qq("name":"process_name","ph":"M","pid":$r,"tid":0,"args":{"name":"rank $r on node$node: drawn"}));
        event(qq("name":"thread_name","ph":"M","pid":$r,"tid":$_,"args":{"name":"thread $_"})) for 0 .. $threads - 1;
    }
}

sub next_size
{
    my ($loop, $left) = @_;
    my %size = (static => $loop->{iterations} / $threads, gss => $left / $threads, fac2 => $left / (2 * $threads));
    my $size = 1 + int($size{$loop->{schedule}} // 63);
    my $least = 1 + int $loop->{iterations} / 2000;
    $size = $least if $size < $least;
    return $size < $left ? $size : $left;
}

# The thread that is free first takes the next chunk. What an iteration costs follows the slope, and a little chance.
sub run_loop
{
    my ($rank, $loop) = @_;
    my ($base, $n, $name) = ($rank * $threads, $loop->{iterations}, $loop->{name});
    my ($start, $end) = ($free_ns[$base], 0);
    my @executed = (0) x $threads;
    for (my ($first, $size) = (0); $first < $n; $first += $size) {
        my ($thread) = sort { $free_ns[$base + $a] <=> $free_ns[$base + $b] } 0 .. $threads - 1;
        $size = next_size($loop, $n - $first);
        my $place = ($first + $size / 2) / $n;
        my $cost = $loop->{iteration_ns} * (1 + $loop->{slope} * (2 * $place - 1)) * (0.95 + rand 0.1);
        my $took = 1 + int $size * $cost / $speed[$base + $thread];
        my $from = $free_ns[$base + $thread] + 40;
        my $last = $first + $size;
        span($name, 'chunk', $rank, $thread, $from, $from + $took,
            qq("instance":$loop->{instances},"first":$first,"last":$last));
        $free_ns[$base + $thread] = $from + $took;
        $executed[$thread] += $size;
        $loop->{busy_ns} += $took;
        $loop->{chunks}++;
        $chunks++;
    }
    for my $t (0 .. $threads - 1) {
        span($name, 'loop', $rank, $t, $start, $free_ns[$base + $t],
            qq("instance":$loop->{instances},"schedule":"$loop->{schedule}","iterations":$n,"threads":$threads));
        $end = $free_ns[$base + $t] if $free_ns[$base + $t] > $end;
    }
    for my $t (0 .. $threads - 1) {
        my $free = \$free_ns[$base + $t];
        span('wait', 'wait', $rank, $t, $$free, $end, qq("at":"loop end","loop":"$name")) if $end > $$free;
        $loop->{waited_ns} += $end - $$free;
        $$free = $end;
        event(qq("name":"share","ph":"C","pid":$rank,"tid":0,"ts":), $end / 1000, qq(,"args":{"thread $t":$executed[$t]}))
            if $given{counters} ne 'no';
    }
}

# One region with a loop on each rank, and a call of MPI; now and then a decision, and iterations that move.
sub run_region
{
    my ($number) = @_;
    my $loop = $loops[rand @loops];
    for my $rank (0 .. $ranks - 1) {
        my $base = $rank * $threads;
        my $start = $free_ns[$base];
        run_loop($rank, $loop);
        for my $t (0 .. $threads - 1) {
            span('step', 'region', $rank, $t, $start, $free_ns[$base + $t], qq("instance":$number,"threads":$threads));
            $free_ns[$base + $t] += 2000;
        }
        span('MPI_Allreduce', 'mpi', $rank, 0, $free_ns[$base] - 1900, $free_ns[$base] - 100, '"place":"src/main.c:7"')
            if $ranks > 1;
        span('move', 'move', $rank, 0, $free_ns[$base] - 1800, $free_ns[$base] - 300,
            qq("what":"iterations","from":@{[$rank - 1]},"to":$rank,"first":0,"last":64,"bytes":512))
            if $rank > 0 && $number % 4 == 0;
    }
    event('"name":"steal,16","cat":"decision","ph":"i","s":"t","pid":0,"tid":0,"ts":', $free_ns[0] / 1000 - 1,
        qq(,"args":{"loop":"$loop->{name}","gain":0.125,"reason":"chunks cost as much as iterations"}))
        if $number % 8 == 0;
    $loop->{instances}++;
}

name_threads();
for (my $i = 0; $chunks < $given{chunks}; $i++) {
    run_region($i);
}
print $out "\n]\n";
close $out or die "$file: $!\n";
print join(' ', @$_{qw(name instances chunks busy_ns waited_ns)}), "\n" for @loops;

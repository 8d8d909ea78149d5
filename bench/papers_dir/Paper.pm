# What the tables of the four papers share: simulated runs, medians and ranges over seeds, rows, bars and
# conclusions. A paper's script is run from the workspace root by bench/papers and by tests:
#
#   PAPER.pl BUILT FOLDER SHORT [PART [ARGUMENT...]]
#
# BUILT: what Bazel has built. FOLDER: for files of its own. SHORT: 1: a few cases of each table. PART: that part
# alone.
#
#   simulate(platform, load, program) -> lines of the program -> runs -> spread() -> compare(), row() -> table
#
# A run is [METHOD, SEED, FIGURE...]; a spread is [MEDIAN, LOWEST, HIGHEST] over seeds, or undef.
package Paper;
use strict;
use warnings;
use Exporter 'import';
use List::Util qw(max min sum0);
our @EXPORT = qw($built $folder $short seeds seeds_note run_parts run_beside beside simulate ask weights_of figure six
    title note head row difference bar conclusion spread over best_of most_of median shown range_of compare_head
    compare compare_note names max min sum0);

our ($built, $folder, $short, @arguments) = @ARGV;

# What every paper's tables draw with: the first fifteen of bash's RANDOM=20261127, drawn before any of
# them was run.
my @seeds = qw(16951 2687 10205 4643 22560 17434 29582 19442 22314 22360 12685 21188 24602 4966 32266);

my ($processors) = lines_of('-|', 'nproc');

$| = 1; # printed before a process begins

# The first so many of them.
sub seeds
{
    return @seeds[0 .. $_[0] - 1];
}

sub seeds_note
{
    note('Medians and, in brackets, ranges over ' . @_ . " seeds: @_.");
}

# run_parts NAME, CODE, NAME, CODE...: one after the other, or only the one that is asked for, with its arguments.
sub run_parts
{
    my @parts = @_;
    my ($only, @rest) = @arguments;
    while (my ($name, $code) = splice @parts, 0, 2) {
        $code->(@rest) if !defined $only || $only eq $name;
    }
}

# run_beside NAME, CODE...: the same, as many at the same time as there are processors; printed in this order.
sub run_beside
{
    my @parts = @_;
    return run_parts(@parts) if @arguments;
    print beside(sub { $_[0]->() }, map { $parts[2 * $_ + 1] } 0 .. $#parts / 2);
}

# beside CODE, ITEM...: what CODE prints of each item, in their order. Each in a process of its own, as many at the same
# time as there are processors. Ends it all where one fails.
sub beside
{
    my ($code, @items) = @_;
    my $own = $folder;
    my ($running, $failed) = (0, 0);
    my $ended = sub { $failed++ if wait < 0 || $? != 0 };
    for my $i (0 .. $#items) {
        $running < $processors ? $running++ : $ended->();
        next if (fork // die "keel: no process: $!\n") != 0;
        $folder = "$own/$i";
        mkdir $folder;
        open STDOUT, '>', "$folder.printed" or die "keel: $folder.printed: $!\n";
        $code->($items[$i]);
        exit 0;
    }
    $ended->() while $running-- > 0;
    die "keel: $failed of " . @items . " processes failed\n" if $failed > 0;
    return map { join '', lines_of('<', "$own/$_.printed") } 0 .. $#items;
}

# --- programs ---

sub lines_of
{
    my ($mode, @words) = @_;
    open my $input, $mode, @words or die "keel: @words: $!\n";
    my @lines = <$input>;
    close $input or die "keel: a program failed: @words\n";
    return @lines;
}

# ask PROGRAM, WORD...: lines of a program of bench/ that simulates nothing.
sub ask
{
    my ($program, @words) = @_;
    return map { chomp; $_ } lines_of('-|', "$built/bench/$program", @words);
}

# A word for a shell.
sub quoted
{
    return join ' ', map { "'$_'" } @_;
}

my %simulated;

# simulate NAME => VALUE...: lines of a program on simulated machines; each run is simulated once.
#
#   platform  [LATENCY, BANDWIDTH, SPEED...], as sim_platform has them
#   prepare   commands of the shell on $folder/platform.xml, after that
#   flags     SIM_FLAGS
#   set       {NAME => VALUE}: variables of the ranks
#   run       [PROGRAM, WORD...]: one of bench/
sub simulate
{
    my %job = (prepare => '', flags => '', set => {}, @_);
    my @platform = @{$job{platform}};
    my ($program, @words) = @{$job{run}};
    my $set = join ' ', map { "$_=" . quoted($job{set}{$_}) } sort keys %{$job{set}};
    my $command = join "\n", 'set -eu -o pipefail', "folder=$folder",
        'source bench/sim/smpirun.sh',
        'sim_platform "$folder" ' . quoted(@platform), $job{prepare},
        "export SIM_FLAGS=" . quoted($job{flags} =~ s/\s+/ /gr) . " $set",
        'sim_run "$folder/platform.xml" "$folder/hosts" ' . (@platform - 2) . ' ' . quoted("$built/bench/$program",
        @words);
    $simulated{$command} //= [map { chomp; $_ } lines_of('-|', 'bash', '-c', $command)];
    return @{$simulated{$command}};
}

# As KEEL_MPI_WEIGHTS has speeds.
sub weights_of
{
    return join ',', map { sprintf '%.6f', $_ / 1e6 } @_;
}

# --- numbers ---

# figure FORMAT, NUMBER: rounded.
sub figure
{
    my ($format, $number) = @_;
    return defined $number && $number ne '-' ? sprintf $format, $number : '-';
}

# Figures are rounded to six digits where others are computed from them.
sub six
{
    return 0 + sprintf '%.6g', $_[0];
}

sub spread_of
{
    my @figures = sort { $a <=> $b } @_ or return undef;
    return [map { six($_) } ($figures[int($#figures / 2)] + $figures[int(@figures / 2)]) / 2, @figures[0, -1]];
}

# spread RUNS, METHOD [, FIELD]: of another field than the first figure.
sub spread
{
    my ($runs, $method, $field) = @_;
    return spread_of(map { $_->[$field // 2] } grep { $_->[0] eq $method } @$runs);
}

# over RUNS, METHOD, OTHER: the spread of the one's figures over the other's, seed by seed.
sub over
{
    my ($runs, $method, $other) = @_;
    my %other = map { $_->[1] => $_->[2] } grep { $_->[0] eq $other } @$runs;
    return spread_of(map { six($_->[2] / $other{$_->[1]}) } grep { $_->[0] eq $method && $other{$_->[1]} } @$runs);
}

# The method whose median is least, and the one whose median is largest; the first of equal ones.
sub best_of
{
    my ($runs, @methods) = @_;
    my %median = map { $_ => median(spread($runs, $_)) } @methods;
    my ($best) = sort { $median{$a} <=> $median{$b} } grep { $median{$_} ne '-' } @methods;
    return $best;
}

sub most_of
{
    my ($runs, @methods) = @_;
    return best_of([map { [$_->[0], $_->[1], -$_->[2]] } @$runs], @methods);
}

sub median
{
    return defined $_[0] ? $_[0][0] : '-';
}

# "LOWEST-HIGHEST" where they differ.
sub range_of
{
    my ($spread, $digits) = @_;
    return '-' if !defined $spread;
    my ($low, $high) = map { sprintf '%.*f', $digits, $_ } @$spread[1, 2];
    return $low eq $high ? '-' : "$low-$high";
}

# "MEDIAN (LOWEST to HIGHEST)", without these where they do not differ.
sub shown
{
    my ($spread, $digits) = @_;
    return '-' if !defined $spread;
    my ($middle, $low, $high) = map { sprintf '%.*f', $digits, $_ } @$spread;
    return $low eq $high ? $middle : "$middle ($low to $high)";
}

# --- tables ---

sub title
{
    print "\n@_\n";
}

# What is below a table.
sub note
{
    my $text = "  @_";
    my @lines;
    while (length $text > 100) {
        my $end = rindex(substr($text, 0, 100), ' ') + 1;
        push @lines, substr($text, 0, $end, '');
    }
    print join("\n  ", map { s/ +$//r } @lines, $text), "\n";
}

# Names of the columns. The last two are differences in percent, of the model from the simulation and of
# the simulation from the paper.
sub head
{
    printf "%-37s %9s %9s %9s %9s %7s %7s\n", $_[0] // '', qw(paper model simulated best model% paper%);
}

# row NAME, PAPER, MODEL, SIMULATED, BEST: one line; "-" where there is no such figure.
sub row
{
    my ($name, $paper, $model, $simulated, $best) = @_;
    printf "%-37s %9s %9s %9s %9s %7s %7s\n", @_, difference($model, $simulated), difference($simulated, $paper);
}

# difference FIGURE, REFERENCE: in percent of the reference; "-" where one of them is none.
sub difference
{
    my ($figure, $reference) = @_;
    return '-' if $figure eq '-' || $reference eq '-' || $reference == 0;
    return sprintf '%+.1f', 100 * ($figure / $reference - 1);
}

# bar TEXT, VALUE, LIMIT: whether a figure that has to be LIMIT or less is.
sub bar
{
    my ($text, $value, $limit) = @_;
    print "  $text: $value, at most $limit: ", $value ne '-' && $value <= $limit ? 'met' : 'missed', "\n";
}

# conclusion HOLDS, TEXT, WHY [, UNDER]: a conclusion of a paper, whether it is reproduced, and the reason if not; UNDER:
# other conditions under which it is, if any.
sub conclusion
{
    my ($holds, $text, $why, $under) = @_;
    note($holds ? "reproduced: $text." : $under ? "reproduced under $under: $text. $why" : "not reproduced: $text. $why");
}

# --- comparisons of methods: a table in Markdown, which RESULTS.md has as it is printed ---

sub compare_head
{
    print '| ', $_[0] // '', " | paper | paper's method | Keel's default | best old | Keel's best | inputs |\n",
        "| --- | --- | --- | --- | --- | --- | --- |\n";
}

# compare NAME, DIGITS, INPUTS, PAPER, METHOD [, DEFAULT, [OLD, NAME], [BEST, NAME]]: a row of spreads; the names
# are of the methods that are best.
sub compare
{
    my ($name, $digits, $inputs, $paper, $method, $default, @best) = @_;
    my @cells = map { defined $_ && defined $_->[0] ? shown($_->[0], $digits) . ", `$_->[1]`" : '-' } @best[0, 1];
    print '| ', join(' | ', $name, $paper, (map { shown($_, $digits) } $method, $default), @cells, $inputs), " |\n";
}

# compare_note METHOD, DEFAULT, OLD, OWN: what the columns of a comparison are, in the variables by
# which the methods were run. OLD, OWN: names of the methods that the best ones are of.
sub compare_note
{
    my ($method, $default, $old, $own) = @_;
    note("Paper's method: $method. Keel's default: $default. Best old: of $old. Keel's best: of $own. Both are",
        'picked afterwards, for each row.');
}

# names LIST: of [NAME, POLICY] pairs, the names.
sub names
{
    return map { $_->[0] } @_;
}

1;

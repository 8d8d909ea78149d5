#!/usr/bin/perl
# Reads the output of program.c from standard input, see there, and prints a table for each
# kernel and condition, then summaries. Schedules are compared by time / ideal, not by time, so
# that the part of the machine that a process happened to get does not matter.
use strict;
use warnings;
use lib 'bench/support';
use Report;

my $learned_from = 11; # instances from which on a schedule should know the loop
my $settled_from = 3;  # those before it are for learning in any case

my @samples = samples('imbalance_dir/program writes', qw(kernel condition variant threads round number wall ideal imbalance));
my @kernels = unique(map { $_->{kernel} } @samples);
my @conditions = unique(map { $_->{condition} } @samples);
my @variants = unique(map { $_->{variant} } @samples);
my %instances;
push @{$instances{$_->{kernel}}{$_->{condition}}{$_->{variant}}}, $_ for @samples;

# The results of one variant, kernel and condition: medians of times in ms and of time /
# ideal; means of time / ideal of a process, of which medians over rounds.
sub figures
{
    my @all = @_ or return {};
    my @later = grep { $_->{number} >= 2 } @all;
    my @learned = grep { $_->{number} >= $learned_from } @all;
    my @first = grep { $_->{number} == 1 } @all;
    $_->{ratio} = $_->{wall} / $_->{ideal} for @all;
    my %settled; # by round
    push @{$settled{$_->{round}}}, $_->{ratio} for grep { $_->{number} >= $settled_from } @all;
    my $ms = sub { median(map { $_->{wall} / 1e6 } @_) };
    my $ratio = sub { median(map { $_->{ratio} } @_) };
    return {
        first_ms => $ms->(@first),
        later_ms => $ms->(@later),
        learned_ms => $ms->(@learned),
        first => $ratio->(@first),
        later => $ratio->(@later),
        learned => $ratio->(@learned),
        all => over(sum0(map { $_->{wall} } @all), sum0(map { $_->{ideal} } @all)),
        settled => median(map { mean(@$_) } values %settled),
        imbalance => median(map { $_->{imbalance} } @later),
    };
}

my %figures;
for my $kernel (@kernels) {
    for my $condition (@conditions) {
        $figures{$kernel}{$condition}{$_} = figures(@{$instances{$kernel}{$condition}{$_} // []}) for @variants;
    }
}

# A value over that of the fixed schedule for which it is the least, in hindsight; undef if there is none.
sub to_best
{
    my ($kernel, $condition, $variant, $figure) = @_;
    my $of = $figures{$kernel}{$condition};
    my $best = min(grep { defined } map { $of->{$_}{$figure} } grep { $_ ne 'auto' } @variants);
    return over($of->{$variant}{$figure}, $best);
}

sub print_result
{
    my ($kernel, $condition) = @_;
    print "$kernel, $condition\n";
    heading('variant', '1 [ms]', '2.. [ms]', '11.. [ms]', '1 /ideal', '2../ideal', '11../best', 'imb. %', 'all/best');
    for my $variant (@variants) {
        my $of = $figures{$kernel}{$condition}{$variant};
        defined $of->{first_ms} or next;
        row($variant, (map { at('%.3f', $of->{$_}) } qw(first_ms later_ms learned_ms first later)),
            at('%.3f', to_best($kernel, $condition, $variant, 'learned')), at('%.1f', $of->{imbalance}),
            at('%.3f', to_best($kernel, $condition, $variant, 'all')));
    }
    table();
    print "\n";
}

sub print_overview
{
    print "All kernels: geometric mean of time / ideal, from the second instance on\n";
    heading('variant', @conditions);
    for my $variant (@variants) {
        row($variant, map {
            my $condition = $_;
            my @ratios = map { $figures{$_}{$condition}{$variant}{later} } @kernels;
            (grep { !defined } @ratios) ? '-' : sprintf '%.3f', exp(mean(map { log } @ratios));
        } @conditions);
    }
    table();
    print "\n";
}

# Time over ideal over that of the best fixed schedule of each loop and condition.
sub print_regret
{
    print "Regret: mean time / ideal over that of the best fixed schedule of each loop and condition,\n",
        "from the third instance on\n";
    heading('variant', 'mean', 'worst', 'under');
    my %worst;
    for my $variant (@variants) {
        my @over = map { my $kernel = $_; map { [to_best($kernel, $_, $variant, 'settled'), $kernel] } @conditions } @kernels;
        @over = sort { $b->[0] <=> $a->[0] } grep { defined $_->[0] } @over;
        row($variant, at('%.3f', mean(map { $_->[0] } @over)), @over ? (sprintf('%.3f', $over[0][0]), $over[0][1]) : ('-', '-'));
        $worst{$variant} = $over[0][0] if @over && $variant ne 'auto';
    }
    table();
    my ($least) = sort { $worst{$a} <=> $worst{$b} } keys %worst;
    printf "least worst regret: %s, %.3f\n", $least, $worst{$least} if defined $least;
    print "\n";
}

for my $kernel (@kernels) {
    print_result($kernel, $_) for @conditions;
}
print_overview();
print_regret();
print <<'END';
1 is the first instance, 2.. those from the second and 11.. those after the tenth:
medians over all rounds. Ideal is total work over total rate. Best is the fixed schedule
with the least time / ideal, of instances 11.. or of the sum over all instances; auto is
not among them. Imbalance is (max / mean - 1) x 100 of the times that threads spent in
iterations.
END

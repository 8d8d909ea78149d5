#!/usr/bin/perl
# Reads the output of program.c from standard input, see there, and prints time / ideal of all
# kernels together, and what a schedule loses to the best of each. Schedules are compared by
# time / ideal, not by time, so that the part of the machine that a process happened to get does
# not matter.
use strict;
use warnings;
use lib 'bench/support';
use Report;

my $settled_from = 3; # instances before it are for learning

my @samples = samples('imbalance_dir/program writes', qw(kernel condition variant threads round number wall ideal));
my @kernels = unique(map { $_->{kernel} } @samples);
my @conditions = unique(map { $_->{condition} } @samples);
my @variants = unique(map { $_->{variant} } @samples);
my %instances;
push @{$instances{$_->{kernel}}{$_->{condition}}{$_->{variant}}}, $_ for @samples;

# Of one variant, kernel and condition, time / ideal: the median from the second instance on; and
# the mean of each process once it has settled, of which the median over rounds.
sub ratios
{
    my @all = @_;
    my %settled; # by round
    $_->{ratio} = $_->{wall} / $_->{ideal} for @all;
    push @{$settled{$_->{round}}}, $_->{ratio} for grep { $_->{number} >= $settled_from } @all;
    return {
        later => median(map { $_->{ratio} } grep { $_->{number} >= 2 } @all),
        settled => median(map { mean(@$_) } values %settled),
    };
}

my %ratios;
for my $kernel (@kernels) {
    for my $condition (@conditions) {
        $ratios{$kernel}{$condition}{$_} = ratios(@{$instances{$kernel}{$condition}{$_} // []}) for @variants;
    }
}

# A settled ratio over that of the fixed schedule for which it is the least, in hindsight; undef if
# there is none.
sub to_best
{
    my ($kernel, $condition, $variant) = @_;
    my $of = $ratios{$kernel}{$condition};
    my $best = min(grep { defined } map { $of->{$_}{settled} } grep { $_ ne 'auto' } @variants);
    return over($of->{$variant}{settled}, $best);
}

sub print_overview
{
    print "All kernels: geometric mean of time / ideal, from the second instance on\n";
    heading('variant', @conditions);
    for my $variant (@variants) {
        row($variant, map {
            my $condition = $_;
            my @of = map { $ratios{$_}{$condition}{$variant}{later} } @kernels;
            (grep { !defined } @of) ? '-' : sprintf '%.3f', exp(mean(map { log } @of));
        } @conditions);
    }
    table();
    print "\n";
}

sub print_regret
{
    print "Regret: mean time / ideal over that of the best fixed schedule of each loop and condition,\n",
        "from the third instance on\n";
    heading('variant', 'mean', 'worst', 'under');
    my %worst;
    for my $variant (@variants) {
        my @over = map { my $kernel = $_; map { [to_best($kernel, $_, $variant), $kernel] } @conditions } @kernels;
        @over = sort { $b->[0] <=> $a->[0] } grep { defined $_->[0] } @over;
        row($variant, at('%.3f', mean(map { $_->[0] } @over)), @over ? (sprintf('%.3f', $over[0][0]), $over[0][1]) : ('-', '-'));
        $worst{$variant} = $over[0][0] if @over && $variant ne 'auto';
    }
    table();
    my ($least) = sort { $worst{$a} <=> $worst{$b} } keys %worst;
    printf "least worst regret: %s, %.3f\n", $least, $worst{$least} if defined $least;
    print "\n";
}

print_overview();
print_regret();
print "Medians over rounds. Ideal is total work over total rate. Best is the fixed schedule with the\n",
    "least time / ideal; auto is not among them.\n";

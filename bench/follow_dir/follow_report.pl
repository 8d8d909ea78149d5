#!/usr/bin/perl
# Reads the lines of bench/follow from standard input and prints how one policy compares
# with the others: follow_report.pl JUDGED. Exit status: 0: all bars
# are met; 1: one is missed, or a run failed or was wrong; 2: invalid input. Lines
# of fields separated by tabs:
#
#   case NAME TEXT                                    its description
#   run NAME POLICY TIME MOVEMENTS ROWS FINE SECONDS  TIME in s, simulated; "-": it failed. FINE: "once", if all rows
#                                                     were computed as often as necessary. SECONDS of processor time
#                                                     for the simulation
#   bar NAME POLICY EFFICIENCY LIMIT                  by S1; at least LIMIT
#
# Cases whose name is a number were drawn, the others are always the same.
use strict;
use warnings;
use lib 'bench/support';
use Report;

my $lock_out_most = 1.03; # cases that are always the same: over the paper's method
my $worst_shown = 8;
my $best_name = 'the best of the others, per case';
# The other policy, the quantile, its upper limit.
my @bars = (
    [$best_name, 'mean', 1.00], [$best_name, 0.95, 1.03], [$best_name, 1, 1.06], ['stay', 0.99, 1.02], ['stay', 1, 1.04],
    ['paper', 'mean', 0.97], ['paper', 1, 1.04]);
my @shown = (
    ['mean', 'mean'], ['least', 0], ['5 %', 0.05], ['25 %', 0.25], ['50 %', 0.5], ['75 %', 0.75], ['95 %', 0.95],
    ['99 %', 0.99], ['worst', 1]);

my ($judged) = @ARGV;
my (@cases, %text, %time, @policies, @efficiencies);
my ($runs, $failed, $wrong, $seconds) = (0, 0, 0, 0);

sub is_number
{
    return $_[0] =~ /^[0-9.]+(e[+-]?[0-9]+)?$/;
}

sub take_run
{
    my ($name, $policy, $time_s, $fine, $effort_s) = @_;
    defined $text{$name} && ($time_s eq '-' || is_number($time_s)) && ($effort_s eq '-' || is_number($effort_s)) or return 0;
    push @policies, $policy if !grep { $_ eq $policy } @policies;
    $time{$name}{$policy} = $time_s eq '-' ? undef : $time_s;
    $seconds += $effort_s if $effort_s ne '-';
    $runs++;
    $failed++ if $time_s eq '-';
    $wrong++ if $time_s ne '-' && $fine ne 'once';
    return 1;
}

sub take_line
{
    my ($kind, @field) = @_;
    $kind //= '';
    if ($kind eq 'case' && @field == 2) {
        push @cases, $field[0] if !defined $text{$field[0]};
        $text{$field[0]} //= $field[1];
        return 1;
    }
    if ($kind eq 'run' && @field == 7) {
        return take_run(@field[0, 1, 2, 5, 6]);
    }
    $kind eq 'bar' && @field == 4 && is_number($field[2]) && is_number($field[3]) or return 0;
    push @efficiencies, [@field];
    return 1;
}

while (my $line = <STDIN>) {
    chomp $line;
    if (!take_line(split /\t/, $line, -1)) {
        print STDERR "keel: bench/follow: line $. of the simulated cases is not understood\n";
        exit 2;
    }
}
if (!grep { $_ eq $judged } @policies) {
    print STDERR "keel: bench/follow: nothing was simulated under $judged\n";
    exit 2;
}
my @others = grep { $_ ne $judged } @policies;
my @drawn = grep { /^[0-9]/ } @cases;
my @named = grep { !/^[0-9]/ } @cases;

# The best of the others; undef if one of them has no time.
sub best_other
{
    my ($case) = @_;
    return undef if !@others || grep { !defined $time{$case}{$_} } @others;
    my ($best) = sort { $time{$case}{$a} <=> $time{$case}{$b} } @others;
    return $best;
}

# The judged policy's time over another's, or over the best of the others.
sub ratio
{
    my ($case, $over) = @_;
    my $other = $over eq $best_name ? best_other($case) : $over;
    return defined $other ? over($time{$case}{$judged}, $time{$case}{$other}) : undef;
}

# Pairs of a ratio and its drawn case, the worst first.
sub compare
{
    my ($over) = @_;
    return sort { $b->[0] <=> $a->[0] } grep { defined $_->[0] } map { [ratio($_, $over), $_] } @drawn;
}

sub statistic
{
    my ($which, @ratios) = @_;
    my @values = map { $_->[0] } @ratios;
    return $which eq 'mean' ? mean(@values) : quantile($which, @values);
}

my ($bar_count, $met) = (0, 0);

# A row for a bar: "met", or by how much it is missed.
sub limit
{
    my ($what, $value, $limit, $at_most) = @_;
    my $holds = $at_most ? $value <= $limit : $value >= $limit;
    my $text = sprintf '%s %.2f', $at_most ? 'at most' : 'at least', $limit;
    $bar_count++;
    $met += $holds;
    row($what, $text, sprintf('%.3f', $value), $holds ? 'met' : sprintf 'missed by %.3f', abs($value - $limit));
}

sub judge
{
    heading('bar', 'limit', 'is', 'met?');
    for (@bars) {
        my ($over, $which, $most) = @$_;
        my @ratios = compare($over) or next;
        my $name = $which eq 'mean' ? 'mean' : $which == 1 ? 'worst' : sprintf '%.0f %%', 100 * $which;
        limit("over $over: $name", statistic($which, @ratios), $most, 1);
    }
    for my $case (@named) {
        my $ratio = ratio($case, 'paper');
        limit("$case: over paper", $ratio, $lock_out_most, 1) if defined $ratio;
    }
    for (@efficiencies) {
        my ($case, $policy, $efficiency, $least) = @$_;
        limit("$case: efficiency", $efficiency, $least, 0) if $policy eq $judged;
    }
    return if $bar_count == 0;
    print "\n";
    table();
    print "\n$met of $bar_count bars are met.\n";
}

sub print_times
{
    my @alone = @cases == 1 ? @cases : @named or return;
    print "\n";
    heading('simulated time, s', @policies);
    for my $case (@alone) {
        row($case, map { at('%.2f', $time{$case}{$_}) } @policies);
    }
    table();
}

sub print_distributions
{
    my $count = 0;
    heading("time of $judged over that of", (map { $_->[0] } @shown), 'case');
    for my $over ($best_name, @others) {
        my @ratios = compare($over) or next;
        $count = max($count, scalar @ratios);
        row($over, (map { at('%.3f', statistic($_->[1], @ratios)) } @shown), $ratios[0][1]);
    }
    return if $count == 0;
    print "\n$count cases drawn\n";
    table();
}

sub print_worst
{
    my @ratios = compare($best_name) or return;
    my %times;
    $times{best_other($_) // ''}++ for @drawn;
    print 'best of the others:', (map { " $_ " . ($times{$_} // 0) } @others), "\n";
    print "\nfarthest behind the best of the others:\n";
    for (@ratios[0 .. min($worst_shown, scalar @ratios) - 1]) {
        my ($ratio, $case) = @$_;
        printf "%.3f of %s  --case %s: %s\n", $ratio, best_other($case), $case, $text{$case};
    }
}

sub print_effort
{
    printf "\n%d runs, %.2f s of processor time each, %.0f s in all.\n", $runs, $seconds / $runs, $seconds;
    print "$failed runs FAILED.\n" if $failed > 0;
    print "$wrong runs computed rows MORE OR LESS OFTEN than they had to.\n" if $wrong > 0;
}

print_times();
print_distributions();
print_worst();
judge();
print_effort();
exit($met == $bar_count && $failed == 0 && $wrong == 0 ? 0 : 1);

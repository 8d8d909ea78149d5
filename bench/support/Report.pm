# Shared by the reports of bench/: samples that a program or script has written, their medians,
# and tables.
#
#   lines of fields separated by tabs -> samples() -> selections, quantile() -> table()
#
# A missing value is undef: "-" in a table.
package Report;
use strict;
use warnings;
use Exporter 'import';
use List::Util qw(first max min sum0);
our @EXPORT = qw(samples selected cases_of quantile median mean unique over at heading row table bar least bars
    first max min sum0);

# samples ORIGIN, FIELD...: the standard input, a hash of these fields for each line. Ends the
# report if a line has other fields, or if there is none.
sub samples
{
    my ($origin, @fields) = @_;
    my @samples;
    while (my $line = <STDIN>) {
        chomp $line;
        my @values = split /\t/, $line, -1;
        @values == @fields or refuse($origin);
        my %sample;
        @sample{@fields} = @values;
        push @samples, \%sample;
    }
    @samples or refuse($origin);
    return @samples;
}

# selected SAMPLES, KIND [, CASE [, VARIANT]]: those with these fields.
sub selected
{
    my ($samples, $kind, $case, $variant) = @_;
    return grep {
        $_->{kind} eq $kind && (!defined $case || $_->{case} eq $case) && (!defined $variant || $_->{variant} eq $variant)
    } @$samples;
}

# cases_of SAMPLES, KIND: the cases of a kind, in their order.
sub cases_of
{
    return unique(map { $_->{case} } selected(@_));
}

sub refuse
{
    my ($origin) = @_;
    print STDERR "keel: report: the input is not what $origin\n";
    exit 1;
}

# quantile Q, VALUE...: linearly interpolated between the two nearest values; without undef ones.
sub quantile
{
    my ($q, @values) = @_;
    @values = sort { $a <=> $b } grep { defined } @values;
    @values or return undef;
    my $place = $q * $#values;
    my $below = int $place;
    my $above = $below < $#values ? $below + 1 : $below;
    return $values[$below] + ($place - $below) * ($values[$above] - $values[$below]);
}

sub median
{
    return quantile(0.5, @_);
}

sub mean
{
    my @values = grep { defined } @_;
    return @values ? sum0(@values) / @values : undef;
}

# unique TEXT...: each once, in the order of their first occurrence.
sub unique
{
    my %seen;
    return grep { !$seen{$_}++ } @_;
}

# over A, B: A / B; undef if one of them is.
sub over
{
    my ($a, $b) = @_;
    return defined $a && defined $b && $b != 0 ? $a / $b : undef;
}

# at FORMAT, VALUE: a cell.
sub at
{
    my ($format, $value) = @_;
    return defined $value ? sprintf($format, $value) : '-';
}

my @rows;

sub heading
{
    @rows = ([@_]);
}

sub row
{
    push @rows, [@_];
}

# table: prints the heading and the rows, the first column left-aligned and others right-aligned.
sub table
{
    my @width;
    for my $row (@rows) {
        $width[$_] = max($width[$_] // 0, length $row->[$_]) for 0 .. $#$row;
    }
    for my $row (@rows) {
        print join('  ', map { sprintf $_ == 0 ? '%-*s' : '%*s', $width[$_], $row->[$_] } 0 .. $#$row), "\n";
    }
    @rows = ();
}

my ($bars, $held) = (0, 0);

# bar FORMAT, VALUE, LIMIT: a cell that says whether a value is at most the limit; bars() counts
# them. least(): at least.
sub bar
{
    my ($format, $value, $limit) = @_;
    return judged($format, $limit, defined $value && defined $limit ? $value <= $limit : undef);
}

sub least
{
    my ($format, $value, $limit) = @_;
    return judged($format, $limit, defined $value && defined $limit ? $value >= $limit : undef);
}

sub judged
{
    my ($format, $limit, $holds) = @_;
    defined $holds or return '-';
    $bars++;
    $held += $holds;
    return sprintf("$format %s", $limit, $holds ? 'held' : 'missed');
}

sub bars
{
    print "\n$held of $bars bars are held.\n" if $bars > 0;
}

1;

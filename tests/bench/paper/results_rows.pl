# Whether the figures of a short run of bench/papers fit those of the whole one, which is in bench/papers_dir:
#
#   results_rows.pl WHOLE <OUTPUT
#
# Prints a line for each row that does not, and at the end how many figures were compared. Seeds of the short run are
# the first ones of the whole one, so of a comparison the range of the short run lies within that of the whole one, for
# the paper's method and for Keel's default; the published figure and the inputs are the same, but for seeds. Of other tables, a row is the same wherever both have a table of that
# title and such a row: titles name the seeds that they are of, where figures depend on them.
#
# Nothing is compared if the seeds are others.
use strict;
use warnings;

my ($results) = @ARGV;

open my $file, '<', $results or die "$results: $!\n";
my $section = join '', <$file>;
my $output = join '', <STDIN>;

# The seeds of the last note, in the text with lines joined.
sub seeds_of
{
    my $text = $_[0] =~ s/\s+/ /gr;
    return $text =~ /ranges over \d+ seeds: ([\d ]+)\./ ? split ' ', $1 : ();
}

# [LOWEST, HIGHEST] of "MEDIAN (LOWEST to HIGHEST)" or "FIGURE", with what may follow it; or nothing.
sub range
{
    return $_[0] =~ /^[-+\d.]+ \(([-+\d.]+) to ([-+\d.]+)\)/ ? [$1, $2] : $_[0] =~ /^([-+]?[\d.]+)/ ? [$1, $1] : undef;
}

# Rows of comparisons by name: their cells; of rows of one name, the first.
sub comparisons
{
    my %row;
    for (grep { /^\| / && !/^\| -/ } split /\n/, $_[0]) {
        my ($empty, $name, @cells) = split / *\| */;
        $row{$name} //= \@cells if @cells == 6 && $cells[0] ne 'paper';
    }
    return \%row;
}

# Rows of other tables: "TITLE: NAME" => figures. A title is below an empty line.
sub tables
{
    my ($title, %row) = '';
    for (grep { !/^\|/ } split /\n/, $_[0]) {
        $title = '' if /^$/;
        if ($title eq '') {
            $title = $_;
        } elsif (/^(\S.*?)  +(-?[-\d].*)/ || /^(\S+) (-?[-\d].*)/) {
            $row{"$title: $1"} //= $2 =~ s/ +/ /gr;
        }
    }
    return \%row;
}

my %long = map { $_ => 1 } seeds_of($section);
my @short = seeds_of($output);
if (!@short || grep { !$long{$_} } @short) {
    print "0 compared: the whole run does not name the seeds of this one\n";
    exit;
}
my $compared = 0;
my ($whole, $own) = map { comparisons($_) } $section, $output;
for my $name (sort keys %$own) {
    my ($cells, $limits) = map { $_->{$name} && join ', ', $_->{$name}[0], $_->{$name}[5] =~ s/; seeds .*//r } $own, $whole;
    print "$name: of $cells, not ", $limits // 'in the whole run', "\n" if $cells ne ($limits // '');
    for my $column ($whole->{$name} ? (1, 2) : ()) {
        my ($cell, $limits) = map { $_->{$name}[$column] } $own, $whole;
        my ($range, $of_whole) = map { range($_) } $cell, $limits;
        next if !$range || !$of_whole;
        $compared++;
        print "$name: $cell, not within $limits\n" if $range->[0] < $of_whole->[0] || $range->[1] > $of_whole->[1];
    }
}
($whole, $own) = map { tables($_) } $section, $output;
for my $name (sort grep { defined $whole->{$_} } keys %$own) {
    $compared++;
    print "$name: $own->{$name}, not $whole->{$name}\n" if $own->{$name} ne $whole->{$name};
}
print "$compared compared\n";

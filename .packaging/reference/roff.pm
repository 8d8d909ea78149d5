# Pieces of manual pages.
package roff;

use strict;
use warnings;

# Text that roff prints as it stands.
sub plain
{
    my ($text) = @_;
    $text =~ s/\\/\\e/g;
    $text =~ s/-/\\-/g;
    $text =~ s/`/\\(ga/g;
    $text =~ s/'/\\(aq/g;
    $text =~ s/\^/\\(ha/g;
    $text =~ s/~/\\(ti/g;
    $text =~ s/^\./\\&./mg;
    return $text;
}

# The same; what stands `so` or `so' becomes bold.
sub prose
{
    my ($text) = @_;
    my $result = '';
    while ($text =~ /\G(.*?)`([^`'\n]+)[`']/gcs) {
        $result .= plain($1) . '\fB' . plain($2) . '\fR';
    }
    return folded($result . plain(substr($text, pos($text) // 0)));
}

# In lines of at most 80 columns, none of which begins as a request does.
sub folded
{
    my @lines = ('');
    for my $word (split ' ', $_[0]) {
        push @lines, '' if length($lines[-1]) + length($word) > 78;
        $word =~ s/^\./\\&./ if $lines[-1] eq '';
        $lines[-1] .= ($lines[-1] eq '' ? '' : ' ') . $word;
    }
    return join "\n", @lines;
}

sub head
{
    my ($title, $section, $version) = @_;
    return ".\\\" Made from what the command and the headers say of themselves.\n" .
        ".TH \"" . plain($title) . "\" $section \"\" \"Keel $version\" \"Keel\"\n.ad l\n.nh\n";
}

sub section { return ".SH " . uc(plain($_[0])) . "\n"; }

sub subsection { return ".SS \"" . plain($_[0]) . "\"\n"; }

# Paragraphs, each a string.
sub paragraphs { return join(".PP\n", map { prose($_) . "\n" } @_); }

# A term and what is said of it; the term is roff already.
sub item { return ".TP\n$_[0]\n" . prose($_[1]) . "\n"; }

sub bold { return '\fB' . plain($_[0]) . '\fR'; }

sub italic { return '\fI' . plain($_[0]) . '\fR'; }

# Lines that stay as they are.
sub example
{
    my ($text) = @_;
    $text =~ s/\s+$//;
    return ".PP\n.RS 4\n.EX\n" . plain($text) . "\n.EE\n.RE\n";
}

# Names of pages with their sections, as in keel(1).
sub references
{
    return section('see also') . join(",\n", map { /(.*)(\(\d\))/ ? bold($1) . $2 : plain($_) } @_) . "\n";
}

1;

#!/usr/bin/perl
# The page of `keel view` as a source in C: what comes before the data of a trace, and what behind.
#
#   embed.pl PAGE.html PAGE.css SCRIPT.js...
#
# The scripts become one. The page's policy allows that one alone, by its hash: no text of a trace can run.
use strict;
use warnings;
use Digest::SHA 'sha256_base64';

sub contents
{
    my ($file) = @_;
    open my $in, '<:raw', $file or die "$file: $!\n";
    local $/;
    return scalar <$in>;
}

# sha256_base64() leaves the padding out.
sub hash_of { return "'sha256-" . sha256_base64($_[0]) . "='" }

sub print_text
{
    my ($name, $text) = @_;
    my @bytes = map { ord } split //, $text;
    print "extern const char $name\[];\nextern const size_t ${name}_length;\nconst char $name\[] = {\n";
    while (my @line = splice @bytes, 0, 16) {
        print join(',', @line), ",\n";
    }
    print "0};\nconst size_t ${name}_length = sizeof $name - 1;\n\n";
}

my ($page, $style, @scripts) = map { contents($_) } @ARGV;
my $script = "'use strict';\n(() => {\n" . join("\n", @scripts) . "})();\n";
my $policy = "default-src 'none'; base-uri 'none'; form-action 'none'; "
    . 'script-src ' . hash_of($script) . '; style-src ' . hash_of($style);
my %part = (policy => $policy, style => $style, script => $script);
my ($before, $after) = split /\@data\@\n/, $page;
for ($before, $after) {
    s/\@(policy|style|script)\@/$part{$1}/g;
}
print "#include <stddef.h>\n\n";
print_text('keel_page_before', $before);
print_text('keel_page_after', $after);

# A C header as data: comments, and the declarations below each.
package header;

use strict;
use warnings;

# A comment without its stars. Lines that are indented are code, and stay apart.
sub text_of
{
    my ($comment) = @_;
    $comment =~ s{^\s*/\*+ ?}{};
    $comment =~ s{\s*\*/\s*$}{};
    $comment =~ s/^\s*\*( |$)//mg;
    return $comment;
}

# [kind, text] of a comment's paragraphs: prose or code.
sub parts_of
{
    my @parts;
    for my $paragraph (split /\n\s*\n/, $_[0]) {
        my $last = '';
        for my $line (split /\n/, $paragraph) {
            my $kind = $line =~ /^    \s*\S/ ? 'code' : 'prose';
            $line =~ s/^    // if $kind eq 'code';
            if ($kind eq $last) {
                $parts[-1][1] .= ($kind eq 'code' ? "\n" : ' ') . $line;
            } else {
                push @parts, [$kind, $line];
            }
            $last = $kind;
        }
    }
    return \@parts;
}

# The header's own comments, and {comment, code} for each declaration that has one.
sub read_header
{
    my ($file) = @_;
    open(my $in, '<', $file) or die "$file: $!\n";
    my $text = do { local $/; <$in> };
    close($in);
    my ($before, $after) = split /^#ifndef KEEL\w*_H\n/m, $text, 2;
    my @about = map { text_of($_) } $before =~ m{(/\*.*?\*/)}gs;
    $after =~ s/^#if(?:def|ndef|)\b.*?^#endif\n//msg;
    my @declared;
    while ($after =~ m{^(/\*.*?\*/)\n((?:(?!^/\*).*\n)*?)(?=^/\*|\z)}gms) {
        my ($comment, $code) = (text_of($1), $2);
        $code =~ s/^#(?:include|endif|ifndef|define KEEL\w*_H).*\n//mg;
        $code =~ s/\s+$//;
        push @declared, {comment => $comment, code => $code} if $code =~ /\S/;
    }
    return \@about, \@declared;
}

# Functions that some code declares.
sub functions_of { return $_[0] =~ /^\w[\w *]*\b(keel_\w+)\(/mg; }

1;

#!/usr/bin/perl
# The page of `keel view` in a browser: wheel, drag, clicks and keys do what they should, and names of loops stay names.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Basename 'dirname';
use lib dirname(abs_path(__FILE__));
use Test::More;
use Time::HiRes 'time';
use Browser;

plan skip_all => 'there is no chromium (.ci/install test)' if !Browser::program();
my ($keel, $write_trace) = map { Browser::built($_) } 'keel', 'tests/omp_ext/command/write_trace.pl';
my $work = abs_path($ENV{TEST_TMPDIR} // File::Temp::tempdir(CLEANUP => 1));
chdir $work or die;

# page NAME [ARGUMENT...]: a trace and its page; what the trace holds by loop, and its events as lines.
sub page
{
    my ($name, @how) = @_;
    my (%loop, @event);
    open my $told, '-|', $write_trace, "$name.json", @how or die;
    while (<$told>) {
        print if /^#/;
        $loop{$1} = {instances => $2, chunks => $3, busy_ns => $4, waited_ns => $5}
            if /^([^#].*) (\d+) (\d+) (\d+) (\d+)$/;
    }
    close $told or die "write_trace failed\n";
    is(`'$keel' view '$name.json'`, "$name.html\n", "$name: the page is named by the trace");
    return \%loop;
}

# Events of a trace that have a category.
sub events
{
    my ($name, $category) = @_;
    open my $in, '<', "$name.json" or die;
    my @events;
    while (my $line = <$in>) {
        $line =~ s/,?\n//;
        next if $line !~ /"cat":"$category"/;
        push @events, JSON::PP->new->decode($line);
    }
    return @events;
}

my $browser = Browser->start(width => 1400, height => 860);
END { $browser->stop if $browser }

sub text { $browser->value("document.querySelector('$_[0]').textContent") }

# The page keeps what it shows in its address, a moment later.
sub state_of
{
    my $text = $browser->value('new Promise((done) => setTimeout(() => done(location.hash.slice(1)), 400))');
    return map { my ($name, $value) = split /=/; ($name => $value // '') } split /&/, $text;
}

# Where a time is in the window, pixels.
sub place_of_time
{
    my ($ns) = @_;
    my %state = state_of();
    my $box = $browser->value("(() => { const box = document.getElementById('timeline').getBoundingClientRect();
        return [box.x, box.y, box.width, box.height]; })()");
    my ($from, $to) = @state{qw(from to)};
    return $box->[0] + 150 + ($ns - $from) / ($to - $from) * ($box->[2] - 150);
}

# Moves the pointer down until it meets the chunk; where that is, or undef.
sub row_of_chunk
{
    my ($x, $loop, $first, $last) = @_;
    my $top = $browser->value("document.getElementById('timeline').getBoundingClientRect().top");
    for (my $y = $top + 24; $y < $top + 470; $y += 5) {
        $browser->mouse('mouseMoved', $x, $y);
        my $tip = $browser->value("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent");
        return $y if index($tip, "$loop ") == 0 && $tip =~ /: $first to $last \(/;
    }
    return undef;
}

# --- a small trace ---

my $loops = page('small', 'ranks=1', 'threads=3', 'chunks=400', 'counters=no');
$browser->open("$work/small.html");
is_deeply($browser->{errors}, [], 'the page has no errors and asks for nothing');
is($browser->value('document.title'), 'small - keel view', 'the page has its title');

my $rows = $browser->value("[...document.querySelectorAll('#table tbody tr')].map((row) =>
    [...row.cells].map((cell) => cell.textContent))");
is(scalar @$rows, scalar(grep { $_->{chunks} > 0 } values %$loops), 'the table has all loops');
sub seconds
{
    my ($number, $unit) = split ' ', $_[0];
    return $number * {s => 1, ms => 1e-3, "\x{b5}s" => 1e-6, ns => 1e-9}->{$unit};
}
for my $row (@$rows) {
    my ($name, $instances, $chunks, undef, $computing, $waiting) = @$row;
    s/\D//g for $instances, $chunks;
    my $loop = $loops->{$name};
    is($instances, $loop->{instances}, "$name: instances");
    is($chunks, $loop->{chunks}, "$name: chunks");
    cmp_ok(abs(seconds($computing) * 1e9 - $loop->{busy_ns}), '<=', 1e-3 * $loop->{busy_ns}, "$name: time computing");
    cmp_ok(abs(seconds($waiting) * 1e9 - $loop->{waited_ns}), '<=', 1e-3 * $loop->{waited_ns} + 1, "$name: time waiting");
}

# The wheel zooms where the pointer is.
my %whole = state_of();
my $x = place_of_time(($whole{from} + $whole{to}) / 4);
my $y = $browser->value("document.getElementById('timeline').getBoundingClientRect().top") + 60;
$browser->mouse('mouseMoved', $x, $y);
$browser->wheel($x, $y, -400);
my %zoomed = state_of();
cmp_ok($zoomed{to} - $zoomed{from}, '<', 0.6 * ($whole{to} - $whole{from}), 'the wheel zooms in');
cmp_ok(abs(place_of_time(($whole{from} + $whole{to}) / 4) - $x), '<', 2, 'and keeps the time under the pointer');
$browser->drag($x + 300, $y, $x + 100, $y);
my %moved = state_of();
cmp_ok(abs($moved{to} - $moved{from} - $zoomed{to} + $zoomed{from}), '<=', 2, 'dragging keeps the length');
cmp_ok($moved{from}, '>', $zoomed{from}, 'and moves along');
$browser->wheel($x, $y, 4000);
my %out = state_of();
cmp_ok(abs($out{from} - $whole{from}) + abs($out{to} - $whole{to}), '<=', 2, 'the wheel zooms out to the whole run');
$browser->key('+');
my %key = state_of();
cmp_ok($key{to} - $key{from}, '<', 0.8 * ($whole{to} - $whole{from}), 'a key zooms, too');
$browser->key('0');

# A click shows the chunk that it meets.
my @chunks = sort { $b->{dur} <=> $a->{dur} } events('small', 'chunk');
my ($begin) = sort { $a <=> $b } map { $_->{ts} } events('small', 'region');
my %schedule = map { ("$_->{name} $_->{args}{instance}" => $_->{args}{schedule}) } events('small', 'loop');
for my $chunk (@chunks[0, int(@chunks / 20), int(@chunks / 8)]) {
    my ($loop, $args) = @$chunk{qw(name args)};
    my $middle = ($chunk->{ts} - $begin + $chunk->{dur} / 2) * 1000;
    my $length = $chunk->{dur} * 1000;
    $browser->open("$work/small.html", sprintf 'from=%d&to=%d', $middle - 20 * $length, $middle + 20 * $length);
    my $at = place_of_time($middle);
    my $row = row_of_chunk($at, $loop, $args->{first}, $args->{last} - 1);
    ok(defined $row, "chunk $args->{first} of $loop is where its time and thread are") or next;
    $browser->click($at, $row);
    my $details = text('#details');
    like($details, qr/^Chunk of \Q$loop\E/, 'a click names the loop');
    like($details, qr/instance$args->{instance} of /, 'the instance');
    like($details, qr/iterations$args->{first} to @{[$args->{last} - 1]} \(/, 'the iterations');
    like($details, qr/thread\s*thread $chunk->{tid}/, 'the thread');
    like($details, qr/schedule\Q$schedule{"$loop $args->{instance}"}\E/, 'and the schedule');
    $browser->click($at, $row, 2);
    my %next = state_of();
    cmp_ok($next{to} - $next{from}, '<', 2 * $length, 'a double click zooms to the chunk');
    cmp_ok($next{from}, '<=', $middle, 'which is visible');
    cmp_ok($next{to}, '>=', $middle, 'all of it');
}

# Waits and decisions.
my ($wait) = sort { $b->{dur} <=> $a->{dur} } events('small', 'wait');
my $middle = ($wait->{ts} - $begin + $wait->{dur} / 2) * 1000;
$browser->open("$work/small.html", sprintf 'from=%d&to=%d', $middle - 5000 * $wait->{dur}, $middle + 5000 * $wait->{dur});
my $found = 0;
my $top = $browser->value("document.getElementById('timeline').getBoundingClientRect().top");
my $at = place_of_time($middle);
for (my $row = $top + 24; $row < $top + 470 && !$found; $row += 5) {
    $browser->click($at, $row);
    my $details = text('#details');
    $found = $details =~ /^Waitatloop endloop\Q$wait->{args}{loop}\E/ && $details =~ /thread $wait->{tid}/;
}
ok($found, 'a wait says where it is, and at which loop');

# Search.
my ($some) = grep { $loops->{$_}{chunks} > 0 } sort keys %$loops;
$browser->open("$work/small.html");
$browser->key('/');
$browser->send('Input.insertText', text => $some);
$browser->settle;
is($browser->value("document.querySelectorAll('#table tbody tr').length"), 1, 'a search leaves the loop in the table');
like(text('#found'), qr/^1 loop, $loops->{$some}{instances} instance/, 'and says how many instances there are');
my $coloured = <<'END';
(() => {
    const canvas = document.getElementById('timeline');
    const {data} = canvas.getContext('2d').getImageData(150, 22, canvas.width - 150, canvas.height - 22);
    const counts = {};
    for (let i = 0; i < data.length; i += 4) {
        const colour = data[i] << 16 | data[i + 1] << 8 | data[i + 2];
        counts[colour] = (counts[colour] || 0) + 1;
    }
    return [0x0072b2, 0xe69f00, 0x009e73].filter((colour) => (counts[colour] || 0) > 200);
})()
END
my $highlighted = $browser->value($coloured);
is(scalar @$highlighted, 1, 'only its chunks have their colour');
my %before = state_of();
$browser->key('Enter');
my %instance = state_of();
cmp_ok($instance{to} - $instance{from}, '<', $before{to} - $before{from}, 'Enter goes to an instance');
like(text('#details'), qr/^Loop \Q$some\E.*instance0 of/, 'the first one');
like(text('#found'), qr/^1 of $loops->{$some}{instances} instance/, 'which is said');
if ($loops->{$some}{instances} > 1) {
    $browser->click_on('#next');
    my %second = state_of();
    cmp_ok($second{from}, '>', $instance{from}, 'the button goes to the next one');
    like(text('#details'), qr/instance1 of/, 'and shows it');
    $browser->click_on('#previous');
    my %again = state_of();
    is($again{from}, $instance{from}, 'and back');
}
my %kept = state_of();
is($kept{find}, $some =~ s/([^A-Za-z0-9._*-])/sprintf '%%%02X', ord $1/ger, 'the address keeps the search');
$browser->key('Escape') for 1 .. 2;
is($browser->value("document.querySelectorAll('#table tbody tr').length"), scalar @$rows, 'Escape shows all loops again');
$browser->click_on('#whole');
is(scalar @{$browser->value($coloured)}, scalar(@$rows) < 3 ? scalar(@$rows) : 3, 'in their colours');

# The table.
$browser->click_on('#table tbody tr:nth-child(2)');
my $second = $rows->[1][0];
like(text('#details'), qr/^Loop \Q$second\E/, 'a row of the table jumps to its loop');
is_deeply($browser->{errors}, [], 'nothing of that was an error');

# --- names that would break a page ---

page('hostile', 'names=hostile', 'loops=4', 'chunks=2000');
$browser->open("$work/hostile.html");
is($browser->value('document.title'), 'hostile - keel view', 'no name runs as a script');
is_deeply($browser->{errors}, [], 'nor makes an error');
is($browser->value("document.querySelectorAll('img').length"), 0, 'nor becomes an element');
my $names = $browser->value("[...document.querySelectorAll('#table tbody td:first-child')].map((cell) => cell.textContent)");
ok((grep { $_ eq "</script><script>document.title='broken'</script>" } @$names), 'it is shown as it is');
$browser->click_on('#table tbody tr:nth-child(1)');
$browser->click_on('#table tbody tr:nth-child(2)');
is($browser->value("document.querySelectorAll('#details img, #details script').length"), 0, 'in the details, too');

# --- ranks ---

page('ranks', 'ranks=3', 'threads=2', 'chunks=600');
$browser->open("$work/ranks.html");
my $list = text('#details');
like($list, qr/threads6 of 3 ranks/, 'ranks and their threads are counted');
like($list, qr/decisions\d/, 'and decisions');
like($list, qr/in MPI\d/, 'and calls of MPI');
($begin) = sort { $a <=> $b } map { $_->{ts} } events('ranks', 'region');
my $call = (events('ranks', 'mpi'))[-1];
$middle = ($call->{ts} - $begin + 0.3) * 1000;
$browser->open("$work/ranks.html", sprintf 'from=%d&to=%d', $middle - 9000, $middle + 9000);
$at = place_of_time($middle);
my $details = '';
for (my $row = $top + 470; $row > $top + 24 && $details !~ /thread 0, rank 2/; $row -= 3) {
    $browser->click($at, $row);
    $details = text('#details');
}
like($details, qr/^Call of MPI_Allreduceatsrc\/main\.c:7time1\.8 .*thread 0, rank 2/, 'a call says which it is, and where');
is(scalar @{$browser->value($coloured =~ s/\[0x0072b2[^\]]*\]/[0x44337a]/r)}, 1, 'in a colour of its own');
is_deeply($browser->{errors}, [], 'without errors');

# --- many chunks, nightly a million: the page opens, zooms and searches ---

$loops = page('many', 'ranks=4', 'threads=8', 'loops=12', 'chunks=' . ($ENV{KEEL_TEST_NIGHTLY} ? 1000000 : 200000));
my $all = 0;
$all += $_->{chunks} for values %$loops;
my $asked_at = time;
$browser->open("$work/many.html");
diag(sprintf '%.1f MB opened in %.1f s; %s', (-s 'many.html') / 1e6, time - $asked_at, text('#status'));
my $shown = text('#details') =~ /chunks([\d\x{202f}]+)computing/ ? $1 =~ s/\D//gr : '';
is($shown, $all, 'all chunks are there');
$browser->wheel(700, 300, -500) for 1 .. 12;
$browser->drag(900, 300, 300, 300);
$browser->key('0');
($some) = sort { $loops->{$a}{chunks} <=> $loops->{$b}{chunks} } keys %$loops;
$browser->key('/');
$browser->send('Input.insertText', text => $some);
$browser->settle;
is($browser->value("document.querySelectorAll('#table tbody tr').length"), 1, 'a loop is found');
$browser->key('Enter');
like(text('#details'), qr/^Loop \Q$some\E/, 'and shown');
is_deeply($browser->{errors}, [], 'without errors');
done_testing();

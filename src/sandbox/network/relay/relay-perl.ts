/**
 * Without any module, so that a minimal perl works; `use Socket` would take 14 ms of CPU, everything else takes 4. So the
 * constants are literal; they are Linux's, the same on x86_64 and arm64, and a sandbox is always Linux.
 *
 * Both ends of a connection know each other; what one has sent and the other not yet read is in the other's `out`, at
 * most about 256 KiB. An offer is a connection to the socket of the ports without a client: see ports/forward-ports.ts.
 */
export const PERL_RELAY = `
my ($inet, $inet6, $unix, $stream, $dontwait, $eintr, $eagain) = (2, 10, 1, 1, 0x40, 4, 11);
my ($path, $command, $ports, $list) = @ARGV;
$SIG{$_} = 'IGNORE' for qw(INT QUIT HUP TERM PIPE);
my $birth = birth() or exit 1;
my $door;
if ($path ne '') {
  close(reach($path) or exit 1);
  my $loopback = pack 'S n C4 x8', $inet, 0, 127, 0, 0, 1;
  socket($door, $inet, $stream, 0) && bind($door, $loopback) && listen($door, 128) or exit 1;
}
$| = 1;
print +(unpack 'S n', getsockname $door)[1], "\\n" if $door;
open STDOUT, '>', '/dev/null';

my %ends;
my ($offer, $reported, $looked, $failed) = (undef, '', 0, 0);
for (;;) {
  my ($read, $write) = ('', '');
  vec($read, fileno $door, 1) = 1 if $door;
  vec($read, fileno $offer, 1) = 1 if $offer;
  for my $fd (keys %ends) {
    my $end = $ends{$fd};
    vec($read, $fd, 1) = 1 if !$end->{ended} && length $end->{peer}{out} < 262144;
    vec($write, $fd, 1) = 1 if length $end->{out};
  }
  my $ready = select($read, $write, undef, 0.2);
  exit 0 if birth() ne $birth;
  my $is_used = $ready > 0 && $offer && vec($read, fileno $offer, 1);
  use_offer() if $is_used;
  make_offer() if $ports ne '' && ($is_used || $ready <= 0 || time != $looked);
  next if $ready <= 0;
  welcome() if $door && vec($read, fileno $door, 1);
  for my $fd (keys %ends) {
    my $end = $ends{$fd} or next;
    drop($end), next if vec($write, $fd, 1) && !give($end);
    drop($end) if vec($read, $fd, 1) && !take($end);
  }
}

# Start time of the command; empty once it is dead, even while it is a zombie.
sub birth {
  open(my $file, '<', "/proc/$command/stat") or return '';
  my @fields = split ' ', (<$file> // '') =~ s/.*\\) //sr;
  return ($fields[0] // 'X') =~ /[ZX]/ ? '' : $fields[19];
}

sub reach {
  my ($path) = @_;
  my $socket;
  socket($socket, $unix, $stream, 0) && connect($socket, pack 'S Z*', $unix, $path) or return;
  return $socket;
}

sub welcome {
  accept(my $client, $door) or return;
  my $proxy = reach($path) or return;
  pair($client, $proxy);
}

sub pair {
  my ($near, $far) = map { { socket => $_, out => '', ended => 0 } } @_;
  ($near->{peer}, $far->{peer}) = ($far, $near);
  $ends{fileno $_->{socket}} = $_ for $near, $far;
  return $far;
}

# Reports on the offer which ports have a server. Without a host to offer to, tries again after a second.
sub make_offer {
  $looked = time;
  my $now = listening();
  if (!$offer) {
    return if $failed == time;
    $offer = reach($ports) or $failed = time, return;
    $reported = '-';
  }
  send($offer, "$now\\n", $dontwait) if $now ne $reported;
  $reported = $now;
}

# The tables begin with the listeners.
sub listening {
  my %found;
  for my $table ('/proc/net/tcp', '/proc/net/tcp6') {
    open(my $file, '<', $table) or next;
    read($file, my $text, 65536);
    $found{hex $1} = 1 while $text =~ /:([0-9A-F]{4}) [0-9A-F]+:0000 0A /g;
  }
  return join ',', grep { $found{$_} } split /,/, $list;
}

# The host wrote a port of the list, or is gone.
sub use_offer {
  my ($far, $port) = $offer;
  undef $offer;
  defined recv($far, $port, 5, $dontwait) && $port =~ /^[0-9]{5}$/ or $failed = time, return;
  $port += 0;
  return if ",$list," !~ /,$port,/;
  my $near = reach_inside($port) or return;
  pair($near, $far)->{out} = "+\\n";
}

# One second at most: a server that accepts nothing would stop the relay.
sub reach_inside {
  my ($port) = @_;
  for my $place (pack('S n C4 x8', $inet, $port, 127, 0, 0, 1), pack('S n x19 C x4', $inet6, $port, 1)) {
    socket(my $socket, unpack('S', $place), $stream, 0) or next;
    setsockopt($socket, 1, 21, pack 'l! l!', 1, 0);
    return $socket if connect $socket, $place;
  }
  return;
}

sub take {
  my ($end) = @_;
  my $peer = $end->{peer};
  defined recv($end->{socket}, my $piece, 65536, $dontwait) or return would_wait();
  $end->{ended} = 1 if $piece eq '';
  $peer->{out} .= $piece;
  return give($peer);
}

sub give {
  my ($end) = @_;
  if (length $end->{out}) {
    my $sent = send($end->{socket}, $end->{out}, $dontwait);
    return would_wait() if !defined $sent;
    substr($end->{out}, 0, $sent) = '';
  }
  return 1 if length $end->{out} || !$end->{peer}{ended};
  shutdown($end->{socket}, 1);
  return !($end->{ended} && !length $end->{peer}{out});
}

sub would_wait { return $! == $eagain || $! == $eintr }

sub drop {
  my ($end) = @_;
  for ($end, $end->{peer}) {
    delete $ends{fileno $_->{socket}};
    close $_->{socket};
  }
  ($end->{peer}{peer}, $end->{peer}) = ();
}
`;

/**
 * For images that have only socat: it forks for every connection and does not report the port it got, so several are tried. It
 * is ready once a connection to it succeeds. Signals that it can't ignore kill it; then it is restarted.
 */
export const SOCAT_RELAY = `
trap '' INT QUIT HUP TERM
socket=$1
command=$2

birth() {
  read -r line <"/proc/$command/stat" || return 1
  set -- \${line##*) }
  case $1 in Z|X) return 1 ;; esac
  shift 19
  echo "$1"
}

start() {
  socat "TCP4-LISTEN:$port,bind=127.0.0.1,reuseaddr,fork,backlog=128" "UNIX-CONNECT:$socket" >/dev/null &
  relay=$!
  while kill -0 $relay; do
    socat -u /dev/null "TCP4:127.0.0.1:$port" >/dev/null && kill -0 $relay && return 0
    sleep 0.02
  done
  return 1
}

born=$(birth) || exit 1
socat -u /dev/null "UNIX-CONNECT:$socket" >/dev/null || exit 1
try=0
until port=$((20000 + ($command * 37 + try * 1009) % 20000)) && start; do
  try=$((try + 1))
  [ $try -lt 20 ] || exit 1
done
echo $port
exec >/dev/null
cd /
while [ "$(birth)" = "$born" ]; do
  kill -0 $relay || start
  sleep 0.2
done
kill -KILL $relay
`;

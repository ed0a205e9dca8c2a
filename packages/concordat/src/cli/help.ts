/** What `concordat --help` prints. */
export const help = `concordat lock NAME [options] -- COMMAND [ARGUMENT…]

Waits for the lock NAME, runs COMMAND while holding it, and exits as COMMAND does.

  --url URL          the store: zookeeper://host:2181/namespace, etcd://host:2379/namespace,
                     etcds://… (TLS) or memory:name (to try it out: in this process only, it
                     excludes no other); default: COORDINATOR_URL
  --timeout 10s      gives up when the lock was not had by then; default: waits on
  --try              does not wait: gives up when somebody is in the line
  --kill-after 5s    when the lock is lost, time between TERM and KILL; default 5s
  --data TEXT        what others see of this contender; default: host name and process id
  --quiet            says nothing while waiting; otherwise where it stands in the line: at a terminal
                     all the time, for which the store tells it of everybody who comes and goes
  --help, --version

COMMAND is run without a shell and finds in its environment
  CONCORDAT_LOCK_NAME    NAME
  CONCORDAT_LOCK_TOKEN   the fencing token: rises with every grant of NAME
  CONCORDAT_LOCK_FENCE   the same as 39 digits, to be compared as text
Send the token along with what COMMAND writes, and let the other side refuse a lower one: nothing else protects
it from a holder that was paused.

Exit codes, when not COMMAND's own (128+n when signal n ended it):
   64  wrong arguments                       76  the lock was lost; COMMAND was ended
   69  the store cannot be used              77  the store refused access
   75  not granted: --timeout or --try      126  COMMAND cannot be executed
                                            127  COMMAND was not found

INT, QUIT, HUP and TERM end the waiting at once, and are passed on to COMMAND while it runs (at a terminal, which sends
all but TERM to both, only TERM is). Once COMMAND ended, another one ends this process at once, and the lock is free
after the session timeout at the latest. Only COMMAND itself is signalled, not what it starts: in a shell script, use exec.
Not promised: COMMAND runs on when this process is ended with KILL, and while it is stopped; the lock passes to the next
after the session timeout (12s; ?sessionTimeout=30s in the URL). At the start the store has to answer within 12s, or
--timeout when that is less.
`;

/** Ways to start workers. The queue is the database: these only start processes that claim from it. */
export const TEMPLATES = ['slurm', 'kubernetes', 'systemd'] as const;
export type TemplateName = (typeof TEMPLATES)[number];

export interface TemplateValues {
  /** Where workers find the address of the fleet, which has a password: a variable, never an argument. */
  readonly key: string;
  readonly slots: number;
}

/** The text of a template; names in capitals are to be replaced. */
export const formatTemplate = (name: TemplateName, values: TemplateValues): string => WRITERS[name](values);

const WRITERS: Readonly<Record<TemplateName, (values: TemplateValues) => string>> = {
  slurm: ({ key, slots }) => `#!/bin/sh
# Submit with: sbatch workers.sh
# ~/.config/carrel/fleet.env, readable only by you, has CARREL_FLEET=postgres://… and the keys of agents.
#SBATCH --job-name=carrel-worker
#SBATCH --array=1-10
#SBATCH --cpus-per-task=${slots}
#SBATCH --mem=${2 * slots}G
#SBATCH --time=12:00:00
# Slurm sends SIGTERM ten minutes before the end: the worker finishes what it has, and claims nothing more.
#SBATCH --signal=TERM@600

set -eu
set -a
. "$HOME/.config/carrel/fleet.env"
set +a
# Each worker has its own state and cache, on a disk of its node.
root=\${TMPDIR:-/tmp}/carrel-$SLURM_JOB_ID
mkdir -m 700 "$root"
trap 'rm -rf "$root"' EXIT
export CARREL_STATE_DIR="$root/state" CARREL_CACHE_DIR="$root/cache"
carrel worker --slots ${slots} --label slurm --until-idle 10m --accept-key ${key} &
worker=$!
trap 'kill -TERM $worker' TERM INT
while kill -0 $worker 2>/dev/null; do wait $worker || true; done
`,
  kubernetes: ({
    key,
    slots,
  }) => `# Create the secret first: kubectl create secret generic carrel-fleet --from-env-file=fleet.env
# fleet.env has CARREL_FLEET=postgres://… and the keys of agents.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: carrel-worker
spec:
  replicas: 10
  selector:
    matchLabels:
      app: carrel-worker
  template:
    metadata:
      labels:
        app: carrel-worker
    spec:
      # A worker finishes what it has; after that time its attempts run elsewhere.
      terminationGracePeriodSeconds: 3600
      automountServiceAccountToken: false
      securityContext:
        runAsNonRoot: true
        runAsUser: 1000
        fsGroup: 1000
      containers:
        - name: worker
          image: IMAGE
          command: [carrel, worker]
          args: ["--slots", "${slots}", "--label", "kubernetes", "--accept-key", "${key}"]
          envFrom:
            - secretRef:
                name: carrel-fleet
          env:
            - name: CARREL_STATE_DIR
              value: /data/state
            - name: CARREL_CACHE_DIR
              value: /data/cache
          resources:
            requests:
              cpu: "${slots}"
              memory: ${2 * slots}Gi
              ephemeral-storage: 20Gi
          volumeMounts:
            - name: data
              mountPath: /data
      volumes:
        - name: data
          emptyDir: {}
`,
  systemd: ({
    key,
    slots,
  }) => `# Install as /etc/systemd/system/carrel-worker.service, then: systemctl enable --now carrel-worker
# /etc/carrel/fleet.env, mode 600, has CARREL_FLEET=postgres://… and the keys of agents.
[Unit]
Description=Worker of a Carrel fleet
Wants=network-online.target
After=network-online.target

[Service]
User=carrel
EnvironmentFile=/etc/carrel/fleet.env
Environment=CARREL_STATE_DIR=/var/lib/carrel/state CARREL_CACHE_DIR=/var/lib/carrel/cache
StateDirectory=carrel
ExecStart=/usr/local/bin/carrel worker --slots ${slots} --label systemd --accept-key ${key}
Restart=on-failure
RestartSec=5
# The first signal lets it finish what it has. Agents are its children, so that only the worker gets it.
KillMode=mixed
TimeoutStopSec=1h

[Install]
WantedBy=multi-user.target
`,
};

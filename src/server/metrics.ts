import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface Metrics {
  countRequest(request: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly milliseconds: number;
  }): void;
  /** One line of Prometheus text each. */
  format(): string[];
  close(): void;
}

/** Upper bounds in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What one server has counted since it was started. */
export function createMetrics(): Metrics {
  const requests = new Map<string, number>();
  const durations = new Map<string, Histogram>();
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  return {
    countRequest({ method, route, status, milliseconds }) {
      const key = labels({ method: knownMethod(method), route, status });
      requests.set(key, (requests.get(key) ?? 0) + 1);
      const histogram = durations.get(route) ?? createHistogram();
      durations.set(route, histogram);
      histogram.add(milliseconds / 1000);
    },
    format() {
      const { rss, heapUsed } = process.memoryUsage();
      const lines = [
        ...describeMetric('carrel_http_requests_total', 'counter', 'Requests that were answered.'),
        ...[...requests].map(([key, count]) => `carrel_http_requests_total${key} ${count}`),
        ...describeMetric('carrel_http_request_seconds', 'histogram', 'Time until an answer began.'),
        ...[...durations].flatMap(([route, histogram]) => histogram.format(route)),
        ...formatGauge('process_resident_memory_bytes', 'Memory of the process.', rss),
        ...formatGauge('carrel_heap_used_bytes', 'Memory that JavaScript objects take.', heapUsed),
        ...formatGauge(
          'carrel_event_loop_delay_seconds',
          'The 99th percentile since the last look.',
          lag(delay),
        ),
      ];
      delay.reset();
      return lines;
    },
    close: () => void delay.disable(),
  };
}

export const describeMetric = (name: string, type: string, help: string): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
];

export const formatGauge = (name: string, help: string, value: number): string[] => [
  ...describeMetric(name, 'gauge', help),
  `${name} ${value}`,
];

/** Any word may be sent as a method; those that we have no route for count as one. */
const knownMethod = (method: string): string =>
  ['GET', 'HEAD', 'POST', 'DELETE'].includes(method) ? method : 'other';

/** Values are ours, never a client's, so that nothing needs to be escaped. */
const labels = (values: Readonly<Record<string, string | number>>): string =>
  `{${Object.entries(values)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')}}`;

interface Histogram {
  add(seconds: number): void;
  format(route: string): string[];
}

function createHistogram(): Histogram {
  const counts = BOUNDS.map(() => 0);
  let [sum, count] = [0, 0];
  return {
    add(seconds) {
      sum += seconds;
      count += 1;
      BOUNDS.forEach((bound, index) => {
        if (seconds <= bound) counts[index] = (counts[index] ?? 0) + 1;
      });
    },
    format(route) {
      const name = 'carrel_http_request_seconds';
      return [
        ...BOUNDS.map((bound, index) => `${name}_bucket${labels({ route, le: bound })} ${counts[index]}`),
        `${name}_bucket${labels({ route, le: '+Inf' })} ${count}`,
        `${name}_sum${labels({ route })} ${sum}`,
        `${name}_count${labels({ route })} ${count}`,
      ];
    },
  };
}

/** In seconds; what is measured includes the 20 ms between two looks. */
function lag(delay: ReturnType<typeof monitorEventLoopDelay>): number {
  const nanoseconds = delay.percentile(99);
  return nanoseconds > 0 ? Math.max(0, nanoseconds / 1e9 - 0.02) : 0;
}

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  countRequest(request: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly milliseconds: number;
  }): void;
  /** A number that is read for each request of the metrics. */
  addGauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** Numbers by the value of a label. */
  addGauges(
    name: string,
    help: string,
    label: string,
    read: () => Promise<ReadonlyMap<string, number>>,
  ): void;
  /** In the text format of Prometheus. */
  format(): Promise<string>;
  close(): void;
}

/** Upper bounds in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The metrics of one server since its start. */
export function createMetrics(): Metrics {
  // Not the library's global registry: a test has several servers in one process.
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'carrel_http_requests_total',
    help: 'Answered requests.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'carrel_http_request_seconds',
    help: 'Time until the response began.',
    labelNames: ['route'],
    buckets: BUCKETS,
    registers,
  });
  const addGauge: Metrics['addGauge'] = (name, help, read) => {
    async function collect(this: Gauge) {
      this.set(await read());
    }
    new Gauge({ name, help, registers, collect });
  };
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  addGauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss());
  addGauge('carrel_heap_used_bytes', 'Memory of JavaScript objects.', () => process.memoryUsage().heapUsed);
  addGauge('carrel_event_loop_delay_seconds', 'The 99th percentile since the last request for metrics.', () =>
    takeDelay(delay),
  );
  return {
    countRequest({ method, route, status, milliseconds }) {
      requests.inc({ method: knownMethod(method), route, status });
      durations.observe({ route }, milliseconds / 1000);
    },
    addGauge,
    addGauges(name, help, label, read) {
      async function collect(this: Gauge) {
        this.reset();
        for (const [value, count] of await read()) this.set({ [label]: value }, count);
      }
      new Gauge({ name, help, labelNames: [label], registers, collect });
    },
    format: () => registry.metrics(),
    close: () => void delay.disable(),
  };
}

/** A client can send any method; unknown ones share a label. */
const knownMethod = (method: string): string =>
  ['GET', 'HEAD', 'POST', 'DELETE'].includes(method) ? method : 'other';

/** In seconds; includes the sampling interval of 20 ms. */
function takeDelay(delay: ReturnType<typeof monitorEventLoopDelay>): number {
  const nanoseconds = delay.percentile(99);
  delay.reset();
  return nanoseconds > 0 ? Math.max(0, nanoseconds / 1e9 - 0.02) : 0;
}

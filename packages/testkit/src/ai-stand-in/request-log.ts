import { ROLES, type Role } from './behaviour.ts';

/** A logged request. */
export interface RequestSummary {
  role: Role;
  atMs: number;
  /** Duration; null while it is in progress. */
  durationMs: number | null;
  requestBytes: number;
  sentBytes: number;
  /** `aborted`: the client disconnected early. `failed`: ended by the configured behaviour. */
  outcome: 'open' | 'answered' | 'aborted' | 'failed';
  /** Authorization header. */
  authorization: string | null;
  /** Request content, by role. */
  asked: Readonly<Record<string, unknown>>;
}

export interface RequestReport {
  counts: Record<Role, number>;
  aborted: Record<Role, number>;
  openRequests: number;
  openConnections: number;
  /** Connections accepted so far. */
  connections: number;
  /** The newest requests, oldest first. */
  recent: RequestSummary[];
}

const KEPT_REQUESTS = 200;

const zeros = (): Record<Role, number> =>
  Object.fromEntries(ROLES.map((role) => [role, 0])) as Record<Role, number>;

export class RequestLog {
  #recent: RequestSummary[] = [];
  #counts = zeros();
  #aborted = zeros();
  #open = 0;

  add(request: Pick<RequestSummary, 'role' | 'requestBytes' | 'authorization'>): RequestSummary {
    const summary: RequestSummary = {
      ...request,
      atMs: Date.now(),
      durationMs: null,
      sentBytes: 0,
      outcome: 'open',
      asked: {},
    };
    this.#counts[request.role] += 1;
    this.#open += 1;
    this.#recent.push(summary);
    if (this.#recent.length > KEPT_REQUESTS) this.#recent.shift();
    return summary;
  }

  end(summary: RequestSummary, outcome: 'answered' | 'aborted' | 'failed'): void {
    if (summary.outcome !== 'open') return;
    summary.outcome = outcome;
    summary.durationMs = Date.now() - summary.atMs;
    this.#open -= 1;
    if (outcome === 'aborted') this.#aborted[summary.role] += 1;
  }

  forget(): void {
    this.#recent = [];
    this.#counts = zeros();
    this.#aborted = zeros();
  }

  report(connections: { openConnections: number; connections: number }): RequestReport {
    return {
      counts: this.#counts,
      aborted: this.#aborted,
      openRequests: this.#open,
      ...connections,
      recent: this.#recent,
    };
  }
}

/** A requested sentence. */
export interface SeenRequest {
  provider: string;
  /** Path with its query. */
  path: string;
  headers: Readonly<Record<string, string | undefined>>;
  /** Body or message of the request. */
  asked: unknown;
  /** `left`: the client disconnected before the end of the response. */
  outcome: 'open' | 'answered' | 'refused' | 'left';
}

export interface Report {
  requests: SeenRequest[];
  openConnections: number;
  connections: number;
}

export class RequestLog {
  #requests: SeenRequest[] = [];
  #connections = 0;
  #open = 0;

  add(request: Omit<SeenRequest, 'outcome'>): SeenRequest {
    const seen: SeenRequest = { ...request, outcome: 'open' };
    this.#requests.push(seen);
    if (this.#requests.length > 200) this.#requests.shift();
    return seen;
  }

  connected(): () => void {
    this.#connections += 1;
    this.#open += 1;
    return () => (this.#open -= 1);
  }

  forget(): void {
    this.#requests = [];
  }

  report(): Report {
    return { requests: this.#requests, openConnections: this.#open, connections: this.#connections };
  }
}

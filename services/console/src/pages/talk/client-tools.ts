import type { CallSession, ToolOutcome } from '@calls/client';
import type { Schemas } from '../../api/client.ts';
import { apiDurationMs } from '../../components/time-format.ts';

/** The default tool timeout of the service. */
const DEFAULT_TIMEOUT_MS = 2500;

/** A client tool call that the user of the page answers. */
export interface Invocation {
  readonly id: number;
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds until which the service waits. */
  readonly deadlineMs: number;
  readonly timeoutMs: number;
  readonly outcome: 'waiting' | 'answered' | 'failed' | 'expired';
}

export interface ToolReply {
  readonly result: string;
  readonly agentReaction: 'speaks' | 'listens' | 'speaks-once';
}

type Session = Pick<CallSession, 'registerToolImplementation'>;
type ToolDefinition = Pick<Schemas['CallTool'], 'name' | 'definition'>;

/** Lets the user answer the agent's client tools. */
export class ClientTools {
  readonly #onChange: () => void;
  readonly #settle = new Map<number, { resolve: (outcome: ToolOutcome) => void; fail: () => void }>();
  #invocations: readonly Invocation[] = [];

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** In call order; a new array after each change. */
  get invocations(): readonly Invocation[] {
    return this.#invocations;
  }

  register(session: Session, tools: readonly ToolDefinition[]): void {
    for (const { name, definition } of tools) {
      if (!definition.client) continue;
      const timeoutMs = apiDurationMs(definition.timeout ?? '') || DEFAULT_TIMEOUT_MS;
      session.registerToolImplementation(name, (parameters) => this.#ask(name, parameters, timeoutMs));
    }
  }

  answer(id: number, { result, agentReaction }: ToolReply): void {
    this.#settle.get(id)?.resolve({ result, agentReaction });
    this.#finish(id, 'answered');
  }

  /** Reports to the model that the tool failed. */
  fail(id: number): void {
    this.#settle.get(id)?.fail();
    this.#finish(id, 'failed');
  }

  /** The call has ended, so no request is pending. */
  expireAll(): void {
    for (const id of this.#settle.keys()) this.#expire(id);
  }

  #ask(name: string, parameters: Invocation['parameters'], timeoutMs: number): Promise<ToolOutcome> {
    const id = this.#invocations.length;
    const invocation: Invocation = {
      id,
      name,
      parameters,
      timeoutMs,
      deadlineMs: Date.now() + timeoutMs,
      outcome: 'waiting',
    };
    this.#invocations = [...this.#invocations, invocation];
    const timer = setTimeout(() => this.#expire(id), timeoutMs);
    const { promise, resolve, reject } = Promise.withResolvers<ToolOutcome>();
    this.#settle.set(id, { resolve, fail: () => reject(new Error('failed in the console')) });
    this.#onChange();
    return promise.finally(() => clearTimeout(timer));
  }

  /** Expires an invocation, because the service ignores later answers. */
  #expire(id: number): void {
    this.#settle.get(id)?.resolve(undefined);
    this.#finish(id, 'expired');
  }

  #finish(id: number, outcome: Invocation['outcome']): void {
    if (!this.#settle.delete(id)) return;
    this.#invocations = this.#invocations.map((one) => (one.id === id ? { ...one, outcome } : one));
    this.#onChange();
  }
}

import type { AgentState, ServerMessage } from '@calls/api-contract/data-messages/server-messages';

/** What the caller hears and sees of the agent, derived from the messages of the call. */
export class AgentWatch {
  #state: AgentState = 'idle';
  #stateSinceMs = 0;
  /** Texts of the agent by ordinal, as they are played. */
  readonly #texts = new Map<number, string>();
  /** How much of each text came before the caller's last words. */
  #before = new Map<number, number>();
  #responded = false;

  onMessage(message: ServerMessage, nowMs: number): void {
    if (message.type === 'state') {
      this.#state = message.state;
      this.#stateSinceMs = nowMs;
      if (message.state === 'thinking' || message.state === 'speaking') this.#responded = true;
    }
    if (message.type !== 'transcript' || message.role !== 'agent') return;
    const { ordinal, text, delta } = message;
    this.#texts.set(ordinal, text ?? `${this.#texts.get(ordinal) ?? ''}${delta ?? ''}`);
    if (this.response !== '') this.#responded = true;
  }

  /** The caller has said or done something: the words of the agent from now on are the response. */
  startTurn(): void {
    this.#before = new Map([...this.#texts].map(([ordinal, text]) => [ordinal, text.length]));
    this.#responded = false;
  }

  /** Whether a response has begun. */
  get responded(): boolean {
    return this.#responded;
  }

  /** Whether the caller can speak without interrupting, and how long that has been so. */
  silentForMs(nowMs: number): number {
    return this.#state === 'listening' || this.#state === 'idle' ? nowMs - this.#stateSinceMs : 0;
  }

  /** What the agent has said since the turn started. */
  get response(): string {
    const texts = [...this.#texts].map(([ordinal, text]) =>
      text.slice(this.#before.get(ordinal) ?? 0).trim(),
    );
    return texts.filter((text) => text !== '').join(' ');
  }
}

import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { CallSocket } from './call-socket.ts';

const PAUSE_MS = { least: 500, most: 2500 } as const;
/** Responses that take longer are counted as missing. */
const ANSWER_LIMIT_MS = 8000;

export interface ConversationOptions {
  /** Part of every text, so that texts are unique over all callers. */
  name: string;
  random: () => number;
  /** Called when the agent has sent text. */
  onAgent: () => void;
}

/** The text messages of a caller, turn by turn, with the agent's responses. The agent echoes its input. */
export class Conversation {
  readonly said: string[] = [];
  readonly answered: { text: string; atMs: number }[] = [];
  readonly #options: ConversationOptions;
  #socket: CallSocket | null = null;
  #waiting: string | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  /** Continues on a new connection with a new text. */
  start(socket: CallSocket): void {
    this.#socket = socket;
    this.#waiting = null;
    this.#pause();
  }

  stop(): void {
    this.#socket = null;
    clearTimeout(this.#timer);
  }

  onMessage(message: ServerMessage): void {
    if (message.type !== 'transcript' || message.role !== 'agent') return;
    this.#options.onAgent();
    const waiting = this.#waiting;
    if (!message.final || waiting === null || !message.text?.includes(waiting)) return;
    this.answered.push({ text: waiting, atMs: Date.now() });
    this.#waiting = null;
    this.#pause();
  }

  #pause(): void {
    const { least, most } = PAUSE_MS;
    this.#then(least + this.#options.random() * (most - least));
  }

  #then(pauseMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#say(), pauseMs);
  }

  #say(): void {
    const text = `number ${this.said.length + 1} of ${this.#options.name}`;
    this.said.push(text);
    this.#waiting = text;
    this.#socket?.send({ type: 'user_text_message', text });
    this.#then(ANSWER_LIMIT_MS);
  }
}

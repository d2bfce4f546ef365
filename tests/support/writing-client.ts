import { expect } from '@jest/globals';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import { WebSocket } from 'ws';
import { readServerMessage } from './contract/read-published.ts';
import { eventually } from './eventually.ts';

/** A client that sends text messages. */
export class WritingClient implements AsyncDisposable {
  readonly messages: ServerMessage[] = [];
  readonly closed: Promise<number>;
  /** Resolves when the first message arrives. */
  readonly firstMessage: Promise<'message'>;
  readonly #socket: WebSocket;

  constructor(joinUrl: string) {
    const socket = new WebSocket(joinUrl);
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.on('message', (data, isBinary) => {
      if (!isBinary) this.messages.push(readServerMessage((data as Buffer).toString()));
    });
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    this.firstMessage = new Promise((resolve) => socket.once('message', () => resolve('message')));
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#socket.terminate();
    return Promise.resolve();
  }

  write(text: string): void {
    this.#socket.send(JSON.stringify({ type: 'user_text_message', text }));
  }

  /** Simulates a network failure: no data arrives and the connection does not close. */
  fallSilent(): void {
    this.#socket.pause();
  }

  hangUp(): void {
    this.#socket.close(1000);
  }

  get isStarted(): boolean {
    return this.messages.some(({ type }) => type === 'call_started');
  }

  /** Final transcripts. */
  get said(): string[] {
    return this.messages.flatMap((message) =>
      message.type === 'transcript' && message.final ? [`${message.role}: ${message.text ?? ''}`] : [],
    );
  }

  async joined(): Promise<void> {
    await eventually(() => expect(this.isStarted).toBe(true));
  }

  async answered(times: number): Promise<void> {
    await eventually(() =>
      expect(this.said.filter((line) => line.startsWith('agent')).length).toBeGreaterThanOrEqual(times),
    );
  }
}

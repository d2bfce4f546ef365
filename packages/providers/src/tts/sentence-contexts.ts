import { ProviderError } from '@calls/engine-ports/provider-error';
import type { Deadline } from '../http/exchange.ts';
import { Inbox } from '../http/inbox.ts';
import { SocketLink, type SocketLinkOptions } from '../http/socket-link.ts';
import type { SpeechPiece, SpeechSource } from './speech-source.ts';

/** A parsed message of a provider. */
export interface ContextMessage {
  /** Null if it concerns the whole connection. */
  contextId: string | null;
  pieces: readonly SpeechPiece[];
  /** Whether it is the last message of its context. */
  isLast: boolean;
  error?: ProviderError;
}

/** How a provider speaks sentences over one WebSocket, one context per sentence. One object per connection. */
export interface ContextProtocol {
  /** Messages that request the speech of `text`. */
  speak(contextId: string, text: string): readonly object[];
  /** Messages that cancel a context. */
  cancel(contextId: string): readonly object[];
  /** Throws a ProviderError for malformed messages. Undefined for messages to ignore. */
  read(text: string): ContextMessage | undefined;
}

/** Maximum unread audio; above it the connection is paused. */
const MAX_UNREAD_SAMPLES = 24_000 * 20;
/** More than two sentences can have, even if the awaited one arrives after the other. */
const IMPOSSIBLE_UNREAD_SAMPLES = 24_000 * 300;

interface Context {
  inbox: Inbox<readonly SpeechPiece[]>;
  isOver: boolean;
}

/**
 * The sentences of one synthesis over one connection, which opens when constructed. If the provider closes it between
 * two sentences, for example while a tool runs, the next sentence opens another one.
 */
export class SentenceContexts {
  readonly #options: Omit<SocketLinkOptions, 'onText' | 'onLost'>;
  readonly #protocol: ContextProtocol;
  readonly #signal: AbortSignal;
  /** Null if the next sentence opens a connection. */
  #link: SocketLink | null;
  readonly #contexts = new Map<string, Context>();
  #lost: ProviderError | undefined;
  #started = 0;
  #unreadSamples = 0;

  constructor(
    options: Omit<SocketLinkOptions, 'onText' | 'onLost'>,
    protocol: ContextProtocol,
    signal: AbortSignal,
  ) {
    this.#options = options;
    this.#protocol = protocol;
    this.#signal = signal;
    this.#link = this.#connect();
  }

  start(text: string): SpeechSource {
    const { provider, clock } = this.#options;
    this.#started += 1;
    const contextId = `sentence-${this.#started}`;
    const inbox = new Inbox<readonly SpeechPiece[]>(
      clock,
      (message) => new ProviderError(provider, 'timeout', message),
    );
    const context = { inbox, isOver: false };
    this.#contexts.set(contextId, context);
    if (this.#lost) this.#end(context, this.#lost);
    else this.#link ??= this.#connect();
    this.#send(this.#protocol.speak(contextId, text));
    return {
      read: (deadline) => this.#read(inbox, deadline),
      close: () => this.#close(contextId, context),
    };
  }

  /** Idempotent. */
  close(): void {
    for (const [contextId, context] of this.#contexts) this.#close(contextId, context);
    this.#link?.close();
  }

  #connect(): SocketLink {
    return new SocketLink({
      ...this.#options,
      onText: (text) => this.#onText(text),
      onLost: (error) => this.#fail(error),
    });
  }

  #send(messages: readonly object[]): void {
    for (const message of messages) this.#link?.send(message);
  }

  async #read(
    inbox: Inbox<readonly SpeechPiece[]>,
    deadline: Deadline,
  ): Promise<readonly SpeechPiece[] | null> {
    // The audio of this reader may follow unread audio of another.
    this.#link?.resume();
    const pieces = await inbox.next(deadline, this.#signal);
    this.#unreadSamples -= sampleCount(pieces ?? []);
    return pieces;
  }

  #onText(text: string): void {
    try {
      const message = this.#protocol.read(text);
      if (message) this.#onMessage(message);
    } catch (thrown) {
      if (!(thrown instanceof ProviderError)) throw thrown;
      this.#fail(thrown);
    }
  }

  #onMessage({ contextId, pieces, isLast, error }: ContextMessage): void {
    if (contextId === null && error) {
      this.#fail(error);
      return;
    }
    const context = contextId === null ? undefined : this.#contexts.get(contextId);
    if (!context || context.isOver) return;
    this.#unreadSamples += sampleCount(pieces);
    context.inbox.push(pieces);
    if (error || isLast) this.#end(context, error);
    if (this.#unreadSamples > IMPOSSIBLE_UNREAD_SAMPLES) {
      this.#fail(
        new ProviderError(
          this.#options.provider,
          'malformed',
          'received more audio than two sentences can have',
        ),
      );
    } else if (this.#unreadSamples > MAX_UNREAD_SAMPLES && !this.#someoneWaits()) this.#link?.pause();
  }

  #someoneWaits(): boolean {
    return [...this.#contexts.values()].some(({ inbox }) => inbox.isWaitedFor);
  }

  #fail(error: ProviderError): void {
    this.#link?.close();
    this.#link = null;
    const isBetweenSentences =
      this.#started > 0 && [...this.#contexts.values()].every(({ isOver }) => isOver);
    if (isBetweenSentences) return;
    this.#lost ??= error;
    for (const context of this.#contexts.values()) this.#end(context, error);
  }

  #end(context: Context, error?: ProviderError): void {
    context.isOver = true;
    context.inbox.end(error);
  }

  #close(contextId: string, context: Context): void {
    if (!this.#contexts.delete(contextId) || context.isOver) return;
    this.#end(context);
    this.#send(this.#protocol.cancel(contextId));
  }
}

function sampleCount(pieces: readonly SpeechPiece[]): number {
  return pieces.reduce((sum, piece) => sum + (piece.type === 'audio' ? piece.samples.length : 0), 0);
}

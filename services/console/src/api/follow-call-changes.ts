import { createParser } from 'eventsource-parser';

/** A stream without data for this long is reconnected. The service sends a comment every 10 s. */
const SILENCE_LIMIT_MS = 30_000;
const MIN_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 30_000;

interface Follower {
  /** Opens the stream of changes; rejects if that fails. */
  readonly open: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  /** Called when a call has changed, or changes may have been missed. */
  readonly onChange: () => void;
  /** Called when changes begin or cease to arrive. */
  readonly onState: (isLive: boolean) => void;
}

/** Follows the stream of changes until aborted, and reconnects with growing pauses. Does not reject. */
export async function followCallChanges(follower: Follower, signal: AbortSignal): Promise<void> {
  const isStopped = (): boolean => signal.aborted;
  let pauseMs = MIN_PAUSE_MS;
  while (!isStopped()) {
    const connection = new AbortController();
    const stop = (): void => connection.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await readAll(follower, connection, () => {
        pauseMs = MIN_PAUSE_MS;
      });
    } catch {
      // The pages refresh on their own until the stream is connected again.
    }
    connection.abort();
    signal.removeEventListener('abort', stop);
    if (isStopped()) return;
    follower.onState(false);
    await pause(pauseMs, signal);
    pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
  }
}

async function readAll(
  { open, onChange, onState }: Follower,
  connection: AbortController,
  onEvent: () => void,
): Promise<void> {
  const parser = createParser({
    onEvent: () => {
      onEvent();
      onState(true);
      onChange();
    },
  });
  const text = new TextDecoder();
  let silence = setTimeout(() => connection.abort(), SILENCE_LIMIT_MS);
  try {
    const reader = (await open(connection.signal)).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(() => connection.abort(), SILENCE_LIMIT_MS);
      parser.feed(text.decode(value, { stream: true }));
    }
  } finally {
    clearTimeout(silence);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}

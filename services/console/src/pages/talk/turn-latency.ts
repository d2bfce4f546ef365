import type { DataMessage } from '@calls/client';

/** How loud both are, 0 to 1, as the browser SDK measures it. */
export interface Levels {
  readonly microphone: number;
  readonly agent: number;
}

/**
 * What a turn took, where the message is the server's report of it: from the end of the user's speech until the first audio of
 * the response was sent. Null for every other message.
 */
export function turnTookMs(message: DataMessage): number | null {
  if (message.type !== 'call_event' || message['eventType'] !== 'turn_latency') return null;
  const { extras } = message;
  if (typeof extras !== 'object' || extras === null || !('firstAudioSentMs' in extras)) return null;
  return typeof extras.firstAudioSentMs === 'number' ? extras.firstAudioSentMs : null;
}

/** `320 ms`, `1.2 s`. */
export function turnText(tookMs: number): string {
  return tookMs < 1000 ? `${Math.round(tookMs)} ms` : `${(tookMs / 1000).toFixed(1)} s`;
}

import type { TranscriptMessage } from '@calls/api-contract/data-messages/server-messages';
import type { Transcript } from './application-types.ts';

/** Returns a copy of the ordered `transcripts` with the message applied. */
export function withTranscript(
  transcripts: readonly Transcript[],
  { role, medium, text, delta, final, ordinal }: TranscriptMessage,
): readonly Transcript[] {
  // Usually the last one.
  let at = transcripts.length;
  while (at > 0 && (transcripts[at - 1]?.ordinal ?? 0) >= ordinal) at -= 1;
  const known = transcripts[at]?.ordinal === ordinal ? transcripts[at] : undefined;
  const utterance: Transcript = {
    role,
    medium,
    text: text ?? (known?.text ?? '') + (delta ?? ''),
    isFinal: final,
    ordinal,
  };
  return [...transcripts.slice(0, at), utterance, ...transcripts.slice(known ? at + 1 : at)];
}

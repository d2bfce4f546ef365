import type { MessageMedium, TranscriptMessage } from '@calls/api-contract/data-messages/server-messages';

export function transcript(
  role: 'user' | 'agent',
  medium: MessageMedium,
  ordinal: number,
  words: { text: string } | { delta: string },
  final: boolean,
): TranscriptMessage {
  return {
    type: 'transcript',
    role,
    medium,
    text: 'text' in words ? words.text : null,
    delta: 'delta' in words ? words.delta : null,
    final,
    ordinal,
  };
}

import type { Turn } from './intent.ts';

const FOLLOW_UPS = [
  'Is that right?',
  'What else can you tell me about it?',
  'Is there anything else?',
] as const;

/** The default response: repeats the caller's words to show what was understood. */
export function echo({ callerText, words, callerTurns }: Turn): string {
  const repeated = callerText.replace(/[\s.?!…]+$/u, '');
  if (isQuestion(words))
    return `You asked: ${repeated}. I don't know that, I know only a few simple things. Is there anything else?`;
  const followUp = FOLLOW_UPS[callerTurns.length % FOLLOW_UPS.length] ?? FOLLOW_UPS[0];
  return `You said: ${repeated}. ${followUp}`;
}

/** Whether the words, in lower case, are a question. */
export function isQuestion(words: string): boolean {
  return /\?\s*$|^(?:what|when|where|who|why|how|which|can|could|do|does|is|are|will|would)\b/.test(words);
}
